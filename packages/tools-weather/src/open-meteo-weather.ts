import { ToolwrightError } from "@toolwright/core";
import { getJson } from "./get-json.js";
import { type Place, readCurrent, readDays, readPlace } from "./open-meteo-shapes.js";
import type { CityForecast, CurrentWeather, WeatherRequestOptions, WeatherService } from "./weather-service.js";

/** Options of {@link OpenMeteoWeather}. */
export interface OpenMeteoOptions {
  /** Base address of the geocoding API. Default `https://geocoding-api.open-meteo.com`. */
  readonly geocodingUrl?: string | undefined;
  /** Base address of the forecast API. Default `https://api.open-meteo.com`. */
  readonly forecastUrl?: string | undefined;
  /** Milliseconds for each of the two requests of a call. Default 10 000. */
  readonly timeoutMs?: number | undefined;
}

const source = "Open-Meteo.com";

/**
 * Weather from Open-Meteo (https://open-meteo.com/en/docs): free for non-commercial use, without a key; its data is
 * under CC BY 4.0, which asks to name the source, so every answer does.
 *
 * A city is looked up by Open-Meteo's geocoding; of several places with one name its first match is taken, and the
 * answer has that place's own name and country.
 *
 * Failures are `ToolError`s: `WEATHER_TIMEOUT`, `WEATHER_UNREACHABLE`, `WEATHER_RATE_LIMIT` (retryable), `WEATHER_HTTP` (retryable from
 * status 500 on), `WEATHER_BAD_RESPONSE` (retryable when it is no JSON at all).
 *
 * @throws ToolwrightError `RUN_OPTIONS` at construction when an option is wrong.
 */
export class OpenMeteoWeather implements WeatherService {
  readonly #geocodingUrl: string;
  readonly #forecastUrl: string;
  readonly #timeoutMs: number;

  constructor(options: OpenMeteoOptions = {}) {
    this.#geocodingUrl = baseUrl("geocodingUrl", options.geocodingUrl ?? "https://geocoding-api.open-meteo.com");
    this.#forecastUrl = baseUrl("forecastUrl", options.forecastUrl ?? "https://api.open-meteo.com");
    this.#timeoutMs = options.timeoutMs ?? 10_000;
    if (!Number.isInteger(this.#timeoutMs) || this.#timeoutMs < 1) {
      throw new ToolwrightError(
        "RUN_OPTIONS",
        `OpenMeteoWeather: \`timeoutMs\` must be a positive whole number, not ${String(options.timeoutMs)}.`,
      );
    }
  }

  async current(city: string, options: WeatherRequestOptions = {}): Promise<CurrentWeather | undefined> {
    const place = await this.#find(city, options.signal);
    if (place === undefined) return undefined;
    const body = await this.#forecastOf(place, { current: "temperature_2m,weather_code" }, options.signal);
    const { temperatureC, condition, observedAt } = readCurrent(body);
    return { city: place.city, temperatureC, condition, country: place.country, observedAt, source };
  }

  async forecast(city: string, days: number, options: WeatherRequestOptions = {}): Promise<CityForecast | undefined> {
    const place = await this.#find(city, options.signal);
    if (place === undefined) return undefined;
    const daily = "weather_code,temperature_2m_max,temperature_2m_min";
    const body = await this.#forecastOf(place, { daily, forecast_days: String(days) }, options.signal);
    return { city: place.city, days: readDays(body, days), country: place.country, source };
  }

  async #find(city: string, signal: AbortSignal | undefined): Promise<Place | undefined> {
    const query = { name: city.trim(), count: "1", language: "en", format: "json" };
    return readPlace(await getJson(address(this.#geocodingUrl, "/v1/search", query), this.#timeoutMs, signal));
  }

  #forecastOf(place: Place, wanted: Record<string, string>, signal: AbortSignal | undefined): Promise<unknown> {
    const query = {
      latitude: String(place.latitude),
      longitude: String(place.longitude),
      ...wanted,
      temperature_unit: "celsius",
      // Times and days are then those of the place.
      timezone: "auto",
    };
    return getJson(address(this.#forecastUrl, "/v1/forecast", query), this.#timeoutMs, signal);
  }
}

function baseUrl(option: string, value: string): string {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new ToolwrightError("RUN_OPTIONS", `OpenMeteoWeather: \`${option}\` must be an http or https address, not "${value}".`);
  }
  return value.replace(/\/+$/, "");
}

function address(base: string, path: string, query: Record<string, string>): URL {
  const url = new URL(base + path);
  url.search = new URLSearchParams(query).toString();
  return url;
}
