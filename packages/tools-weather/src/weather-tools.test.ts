import { readFileSync } from "node:fs";
import { type ToolContext, toolDefinitions, type ToolkitManifest } from "@toolwright/core";
import { describe, expect, it } from "vitest";
import weatherPackage, { SampleWeather, WeatherConfig, type WeatherService, WeatherTools } from "./index.js";

const { signal } = new AbortController();
// The tools read nothing of the context but its signal.
const context = { signal } as ToolContext;
const tools = new WeatherTools(new SampleWeather());

describe("WeatherTools", () => {
  it("reports the weather of a city", async () => {
    expect(await tools.getWeather(" kazan ", context)).toMatchObject({
      city: "Kazan",
      found: true,
      temperatureC: 12,
      condition: "cloudy",
      country: "Russia",
    });
  });

  it("reports a forecast, three days unless told otherwise", async () => {
    const report = await tools.getForecast("Sochi", undefined, context);
    expect(report).toMatchObject({ city: "Sochi", found: true });
    expect(report.days).toHaveLength(3);
    expect((await tools.getForecast("Sochi", 1, context)).days).toHaveLength(1);
  });

  it("invents nothing for an unknown city", async () => {
    expect(await tools.getWeather(" Atlantis ", context)).toEqual({
      city: "Atlantis",
      found: false,
      temperatureC: null,
      condition: null,
      country: null,
      observedAt: null,
      source: null,
    });
    expect(await tools.getForecast("Atlantis", 2, context)).toEqual({
      city: "Atlantis",
      found: false,
      days: null,
      country: null,
      source: null,
    });
  });

  it("gives the call's signal and a trimmed city to its service, and nothing else", async () => {
    const seen: unknown[] = [];
    const service: WeatherService = {
      current: async (...given) => void seen.push(given),
      forecast: async (...given) => void seen.push(given),
    };
    const spied = new WeatherTools(service);
    await spied.getWeather(" Kazan", context);
    await spied.getForecast("Kazan ", 16, context);
    expect(seen).toEqual([
      ["Kazan", { signal }],
      ["Kazan", 16, { signal }],
    ]);
  });

  it.each(["", "  ", "x".repeat(101)])("refuses the city %j", async (city) => {
    await expect(tools.getWeather(city, context)).rejects.toMatchObject({ code: "WEATHER_CITY", retryable: false });
    await expect(tools.getForecast(city, 1, context)).rejects.toMatchObject({ code: "WEATHER_CITY", retryable: false });
  });

  it.each([0, -1, 17, 1.5, Number.NaN])("refuses %d days", async (days) => {
    await expect(tools.getForecast("Kazan", days, context)).rejects.toMatchObject({ code: "WEATHER_DAYS", retryable: false });
  });

  it("is what the package makes for a registry, and what its manifest tells of it", async () => {
    const made = await weatherPackage.create(new WeatherConfig());
    expect(made).toEqual([expect.any(WeatherTools)]);
    const manifest = JSON.parse(readFileSync(new URL("../toolwright.manifest.json", import.meta.url), "utf8")) as {
      toolkits: ToolkitManifest[];
    };
    const told = manifest.toolkits.flatMap((toolkit) => toolkit.tools);
    expect(toolDefinitions([tools])).toEqual(
      told.map(({ name, description, parameters }) => ({ type: "function", name, description, parameters, strict: true })),
    );
    expect(told.map(({ name, effect }) => [name, effect])).toEqual([
      ["get_weather", "read"],
      ["get_forecast", "read"],
    ]);
  });

  it("answers from samples when the app configures that, and refuses a source that there is none of", async () => {
    const [toolkit] = await weatherPackage.create({ source: "sample" });
    expect(await (toolkit as WeatherTools).getWeather("Kazan", context)).toMatchObject({ found: true, temperatureC: 12 });
    expect(() => weatherPackage.create({ source: "guess" as "sample" })).toThrow(/"guess".*open-meteo, sample/);
  });
});
