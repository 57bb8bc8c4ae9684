import { Param, Tool, ToolError, type ToolContext } from "@toolwright/core";
import { OpenMeteoWeather } from "./open-meteo-weather.js";
import type { CityForecast, CurrentWeather, WeatherService } from "./weather-service.js";

/** What `get_weather` answers. For an unknown city every value is null. */
export type WeatherReport =
  | ({ readonly found: true } & CurrentWeather)
  | {
      readonly city: string;
      readonly found: false;
      readonly temperatureC: null;
      readonly condition: null;
      readonly country: null;
      readonly observedAt: null;
      readonly source: null;
    };

/** What `get_forecast` answers. For an unknown city every value is null. */
export type ForecastReport =
  | ({ readonly found: true } & CityForecast)
  | { readonly city: string; readonly found: false; readonly days: null; readonly country: null; readonly source: null };

const longestCity = 100;
/** Open-Meteo's own limit. */
const mostDays = 16;

/** Weather by city name: now, and for the coming days. */
export class WeatherTools {
  // A #private field: the service, with whatever it holds, is neither printed nor part of any schema.
  readonly #service: WeatherService;

  /** @param service - where the weather comes from. Default: Open-Meteo, over the network, without a key. */
  constructor(service: WeatherService = new OpenMeteoWeather()) {
    this.#service = service;
  }

  /** Tells the current weather of a city: temperature in degrees Celsius and condition. Use it for questions about the weather now; `found` is false for an unknown city. */
  @Tool({ effect: "read" })
  async getWeather(
    @Param("Name of one city, e.g. Kazan; a country may follow after a comma, e.g. Paris, France") city: string,
    context: ToolContext,
  ): Promise<WeatherReport> {
    const name = cityName(city);
    const weather = await this.#service.current(name, { signal: context.signal });
    if (weather === undefined) {
      return { city: name, found: false, temperatureC: null, condition: null, country: null, observedAt: null, source: null };
    }
    const { city: resolved, ...rest } = weather;
    return { city: resolved, found: true, ...rest };
  }

  /** Tells the weather forecast of a city for the coming days, today first: lowest and highest temperature in degrees Celsius and condition of each day. `found` is false for an unknown city. */
  @Tool({ effect: "read" })
  async getForecast(
    @Param("Name of one city, e.g. Kazan; a country may follow after a comma, e.g. Paris, France") city: string,
    @Param("How many days, today included: a whole number from 1 to 16. Default 3.") days: number = 3,
    context: ToolContext,
  ): Promise<ForecastReport> {
    const name = cityName(city);
    if (!Number.isInteger(days) || days < 1 || days > mostDays) {
      throw new ToolError({ code: "WEATHER_DAYS", message: `\`days\` must be a whole number from 1 to ${mostDays}, not ${days}.` });
    }
    const forecast = await this.#service.forecast(name, days, { signal: context.signal });
    if (forecast === undefined) return { city: name, found: false, days: null, country: null, source: null };
    const { city: resolved, ...rest } = forecast;
    return { city: resolved, found: true, ...rest };
  }
}

function cityName(city: string): string {
  const name = city.trim();
  if (name === "") throw new ToolError({ code: "WEATHER_CITY", message: "`city` is empty: give the name of a city." });
  if (name.length > longestCity) {
    throw new ToolError({ code: "WEATHER_CITY", message: `\`city\` has more than ${longestCity} characters: give the name of one city.` });
  }
  return name;
}
