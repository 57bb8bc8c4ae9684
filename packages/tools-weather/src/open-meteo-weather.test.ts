import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ToolwrightError } from "@toolwright/core";
import { afterEach, describe, expect, it } from "vitest";
import { OpenMeteoWeather } from "./open-meteo-weather.js";

type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => void;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A local server in place of Open-Meteo's two; each handler may be replaced. */
async function startOpenMeteo(
  handlers: { search?: Handler; forecast?: Handler } = {},
): Promise<{ weather: OpenMeteoWeather; url: string; requests: URL[] }> {
  const requests: URL[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://stand-in");
    requests.push(url);
    if (url.pathname === "/geo/v1/search") (handlers.search ?? json(kazan))(request, response, url);
    else if (url.pathname === "/wx/v1/forecast") (handlers.forecast ?? json(current))(request, response, url);
    else response.writeHead(404).end("not here");
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { weather: new OpenMeteoWeather({ geocodingUrl: `${url}/geo/`, forecastUrl: `${url}/wx`, timeoutMs: 5_000 }), url, requests };
}

const json =
  (body: unknown, status = 200): Handler =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };

const kazan = {
  results: [{ id: 551487, name: "Kazan", latitude: 55.78874, longitude: 49.12214, country_code: "RU", country: "Russia" }],
  generationtime_ms: 0.5,
};
const current = {
  latitude: 55.8,
  longitude: 49.1,
  current: { time: "2026-11-30T15:15", interval: 900, temperature_2m: -3.4, weather_code: 71 },
};
const daily = {
  daily: {
    time: ["2026-11-30", "2026-12-01", "2026-12-02"],
    weather_code: [71, 3, null],
    temperature_2m_max: [-2.1, 0.4, null],
    temperature_2m_min: [-7, -5.5, null],
  },
};

async function errorOf(promise: Promise<unknown>): Promise<ToolwrightError> {
  const error: unknown = await promise.then(
    (value) => new Error(`resolved to ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!ToolwrightError.is(error)) throw error;
  return error;
}

describe("OpenMeteoWeather", () => {
  it("finds the city, then asks for its weather in Celsius and its own time", async () => {
    const { weather, requests } = await startOpenMeteo();
    expect(await weather.current("  kazan ")).toEqual({
      city: "Kazan",
      country: "Russia",
      temperatureC: -3.4,
      condition: "light snow",
      observedAt: "2026-11-30T15:15",
      source: "Open-Meteo.com",
    });
    expect(Object.fromEntries(requests[0]?.searchParams ?? [])).toEqual({ name: "kazan", count: "1", language: "en", format: "json" });
    expect(Object.fromEntries(requests[1]?.searchParams ?? [])).toEqual({
      latitude: "55.78874",
      longitude: "49.12214",
      current: "temperature_2m,weather_code",
      temperature_unit: "celsius",
      timezone: "auto",
    });
  });

  it("sends a city as text, whatever is in it", async () => {
    const { weather, requests } = await startOpenMeteo();
    await weather.current("Foo&count=9#/../São Paulo");
    expect(requests[0]?.pathname).toBe("/geo/v1/search");
    expect(requests[0]?.searchParams.getAll("count")).toEqual(["1"]);
    expect(requests[0]?.searchParams.get("name")).toBe("Foo&count=9#/../São Paulo");
  });

  it("gives a forecast day by day, and null for what it does not know", async () => {
    const { weather, requests } = await startOpenMeteo({ forecast: json(daily) });
    expect(await weather.forecast("Kazan", 3)).toEqual({
      city: "Kazan",
      country: "Russia",
      source: "Open-Meteo.com",
      days: [
        { date: "2026-11-30", minC: -7, maxC: -2.1, condition: "light snow" },
        { date: "2026-12-01", minC: -5.5, maxC: 0.4, condition: "overcast" },
        { date: "2026-12-02", minC: null, maxC: null, condition: null },
      ],
    });
    expect(requests[1]?.searchParams.get("daily")).toBe("weather_code,temperature_2m_max,temperature_2m_min");
    expect(requests[1]?.searchParams.get("forecast_days")).toBe("3");
  });

  it.each([[{ generationtime_ms: 0.3 }], [{ results: [] }]])("knows nothing of a city without a match: %j", async (body) => {
    const { weather, requests } = await startOpenMeteo({ search: json(body) });
    expect(await weather.current("Atlantis")).toBeUndefined();
    expect(await weather.forecast("Atlantis", 3)).toBeUndefined();
    expect(requests).toHaveLength(2);
  });

  it("leaves country, condition and time null when the service does not tell them", async () => {
    const { weather } = await startOpenMeteo({
      search: json({ results: [{ name: "Somewhere", latitude: 0, longitude: 0 }] }),
      forecast: json({ current: { temperature_2m: 0, weather_code: 4711 } }),
    });
    expect(await weather.current("Somewhere")).toMatchObject({
      city: "Somewhere",
      country: null,
      temperatureC: 0,
      condition: null,
      observedAt: null,
    });
  });

  it.each([
    ["a text", '"sunny"'],
    ["no current weather", "{}"],
    ["no temperature", '{"current":{"weather_code":3}}'],
    ["a temperature as text", '{"current":{"temperature_2m":"12"}}'],
    ["an infinite temperature", '{"current":{"temperature_2m":1e999}}'],
  ])("refuses an answer with %s", async (_name, body) => {
    const { weather } = await startOpenMeteo({ forecast: (_request, response) => response.end(body) });
    expect(await errorOf(weather.current("Kazan"))).toMatchObject({ code: "WEATHER_BAD_RESPONSE", retryable: false });
  });

  it.each([
    ["no list", { results: {} }],
    ["no name", { results: [{ latitude: 1, longitude: 1 }] }],
    ["no coordinates", { results: [{ name: "Kazan", latitude: null, longitude: 1 }] }],
    ["an empty place", { results: [null] }],
  ])("refuses a geocoding answer with %s", async (_name, body) => {
    const { weather } = await startOpenMeteo({ search: json(body) });
    expect(await errorOf(weather.current("Kazan"))).toMatchObject({ code: "WEATHER_BAD_RESPONSE", retryable: false });
  });

  it("refuses daily lists that do not belong together", async () => {
    const { weather } = await startOpenMeteo({ forecast: json({ daily: { ...daily.daily, weather_code: [1] } }) });
    expect(await errorOf(weather.forecast("Kazan", 3))).toMatchObject({ code: "WEATHER_BAD_RESPONSE" });
  });

  it.each([["<html>Bad gateway</html>"], ['{"results":[{"name":"Ka'], [""]])(
    "may be asked again after an answer that is no JSON: %j",
    async (body) => {
      const { weather } = await startOpenMeteo({ search: (_request, response) => response.end(body) });
      expect(await errorOf(weather.current("Kazan"))).toMatchObject({ code: "WEATHER_BAD_RESPONSE", retryable: true });
    },
  );

  it("refuses an endless answer", async () => {
    const { weather } = await startOpenMeteo({ search: (_request, response) => response.end(" ".repeat(1_000_001)) });
    expect(await errorOf(weather.current("Kazan"))).toMatchObject({ code: "WEATHER_BAD_RESPONSE", retryable: false });
  });

  it.each([
    [500, "WEATHER_HTTP", true],
    [503, "WEATHER_HTTP", true],
    [408, "WEATHER_HTTP", true],
    [404, "WEATHER_HTTP", false],
    [429, "WEATHER_RATE_LIMIT", true],
  ])("turns status %d into %s", async (status, code, retryable) => {
    const { weather } = await startOpenMeteo({ search: (_request, response) => response.writeHead(status).end("<h1>sorry</h1>") });
    const error = await errorOf(weather.current("Kazan"));
    expect(error).toMatchObject({ code, retryable });
    expect(error.message).not.toContain("sorry");
  });

  it.each([400, 200])("tells the service's own reason, with status %d", async (status) => {
    const { weather } = await startOpenMeteo({
      forecast: json({ error: true, reason: "Parameter 'forecast_days' is out of\n allowed range" }, status),
    });
    const error = await errorOf(weather.forecast("Kazan", 16));
    expect(error).toMatchObject({ code: "WEATHER_HTTP", retryable: false });
    expect(error.message).toContain("Parameter 'forecast_days' is out of allowed range");
  });

  it("follows no redirect", async () => {
    const { weather, requests } = await startOpenMeteo({
      search: (_request, response) => response.writeHead(302, { location: "/elsewhere" }).end(),
    });
    expect(await errorOf(weather.current("Kazan"))).toMatchObject({ code: "WEATHER_UNREACHABLE" });
    expect(requests.map((url) => url.pathname)).toEqual(["/geo/v1/search"]);
  });

  it.each([
    ["never answers", () => {}],
    ["stops in the middle", (_request: IncomingMessage, response: ServerResponse) => void response.writeHead(200).write('{"results":')],
  ])("ends in time when the server %s", async (_name, search) => {
    const { url } = await startOpenMeteo({ search });
    const weather = new OpenMeteoWeather({ geocodingUrl: `${url}/geo`, forecastUrl: `${url}/wx`, timeoutMs: 100 });
    const error = await errorOf(weather.current("Kazan"));
    expect(error).toMatchObject({ code: "WEATHER_TIMEOUT", retryable: true });
    expect(error.message).toContain("within 100 ms");
  });

  it("says that the service is out of reach, and may be asked again", async () => {
    const { url } = await startOpenMeteo();
    const [server] = servers.splice(0);
    await new Promise((resolve) => server?.close(resolve));
    const weather = new OpenMeteoWeather({ geocodingUrl: url, forecastUrl: url });
    const error = await errorOf(weather.current("Kazan"));
    expect(error).toMatchObject({ code: "WEATHER_UNREACHABLE", retryable: true });
    expect(error.message).not.toContain("127.0.0.1");
  });

  it("says the same when the connection is cut", async () => {
    const { weather } = await startOpenMeteo({ search: (request) => void request.socket.destroy() });
    expect(await errorOf(weather.current("Kazan"))).toMatchObject({ code: "WEATHER_UNREACHABLE", retryable: true });
  });

  it("ends with the signal's own reason, before and during a request", async () => {
    const { weather, requests } = await startOpenMeteo({ search: () => controller.abort(reason) });
    const controller = new AbortController();
    const reason = new Error("enough");
    await expect(weather.current("Kazan", { signal: controller.signal })).rejects.toBe(reason);
    await expect(weather.forecast("Kazan", 2, { signal: controller.signal })).rejects.toBe(reason);
    expect(requests).toHaveLength(1);
  });

  it.each([
    { geocodingUrl: "open-meteo" },
    { forecastUrl: "file:///etc/hosts" },
    { timeoutMs: 0 },
    { timeoutMs: Number.NaN },
    { timeoutMs: 1.5 },
  ])("refuses the options %j", (options) => {
    expect(() => new OpenMeteoWeather(options)).toThrow(expect.objectContaining({ code: "RUN_OPTIONS" }));
  });
});
