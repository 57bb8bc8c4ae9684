import { describe, expect, it } from "vitest";
import { sampleCities } from "./sample-cities.js";
import { SampleWeather } from "./sample-weather.js";

describe("SampleWeather", () => {
  const weather = new SampleWeather({ now: () => new Date("2026-12-30T23:00:00Z") });

  it("has its samples, and says that they are samples", async () => {
    expect(await weather.current("Kazan")).toEqual({
      city: "Kazan",
      country: "Russia",
      temperatureC: 12,
      condition: "cloudy",
      observedAt: null,
      source: "samples, not a measurement",
    });
    expect(await weather.current("Sochi")).toMatchObject({ temperatureC: 21, condition: "clear" });
  });

  it.each([
    ["kazan", "Kazan"],
    ["  KAZAN\n", "Kazan"],
    ["Kazan, Russia", "Kazan"],
    ["sao  paulo", "São Paulo"],
    ["São Paulo", "São Paulo"],
    ["SA\u0303O PAULO", "São Paulo"],
    ["Zurich,switzerland", "Zürich"],
    ["Reykjavik", "Reykjavík"],
    ["saint-petersburg", "Saint Petersburg"],
  ])("finds %j", async (asked, city) => {
    expect(await weather.current(asked)).toMatchObject({ city });
    expect(await weather.forecast(asked, 1)).toMatchObject({ city });
  });

  it.each(["Atlantis", "", "Kaz", "Kazan, France", "constructor"])("does not know %j", async (asked) => {
    expect(await weather.current(asked)).toBeUndefined();
    expect(await weather.forecast(asked, 3)).toBeUndefined();
  });

  it("dates a forecast from today, and never makes up more days than it has", async () => {
    const forecast = await weather.forecast("Kazan", 16);
    expect(forecast?.days.map((day) => day.date)).toEqual(["2026-12-30", "2026-12-31", "2027-01-01"]);
    expect(forecast?.days[0]).toEqual({ date: "2026-12-30", minC: 7, maxC: 13, condition: "cloudy" });
    expect((await weather.forecast("Kazan", 2))?.days).toHaveLength(2);
  });

  it("heeds an aborted signal", async () => {
    const reason = new Error("enough");
    await expect(weather.current("Kazan", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it("has samples that agree with themselves", () => {
    expect(new Set(sampleCities.map(({ city }) => city)).size).toBe(sampleCities.length);
    for (const { city, temperatureC, condition, days } of sampleCities) {
      for (const [minC, maxC] of days) expect(minC, city).toBeLessThan(maxC);
      expect(temperatureC, city).toBeGreaterThanOrEqual(days[0][0]);
      expect(temperatureC, city).toBeLessThanOrEqual(days[0][1]);
      expect(condition, city).toBe(days[0][2]);
    }
  });
});
