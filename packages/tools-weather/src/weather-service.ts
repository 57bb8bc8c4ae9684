/** Weather now. */
export interface CurrentWeather {
  /** As the service spells it. */
  readonly city: string;
  /** Null when the service does not tell. */
  readonly country: string | null;
  /** Degrees Celsius. */
  readonly temperatureC: number;
  /** In words, e.g. `cloudy`; null when the service does not tell. */
  readonly condition: string | null;
  /** Local time of the city as ISO text without an offset; null when the service does not tell. */
  readonly observedAt: string | null;
  /** Who says so. */
  readonly source: string;
}

/** One day of a forecast. A value is null when the service does not tell it. */
export interface DayForecast {
  /** Local date of the city, `YYYY-MM-DD`. */
  readonly date: string;
  /** Degrees Celsius. */
  readonly minC: number | null;
  /** Degrees Celsius. */
  readonly maxC: number | null;
  readonly condition: string | null;
}

/** The coming days, today first. */
export interface CityForecast {
  readonly city: string;
  readonly country: string | null;
  /** As many as the service has, at most as many as were asked for. */
  readonly days: readonly DayForecast[];
  readonly source: string;
}

/** Options of one request. */
export interface WeatherRequestOptions {
  /** Ends the request; the rejection is the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Where weather comes from. Implement it to bring another source.
 *
 * Both methods resolve to undefined for a city that the source does not know, and reject with a `ToolError` when the
 * source fails.
 */
export interface WeatherService {
  current(city: string, options?: WeatherRequestOptions): Promise<CurrentWeather | undefined>;
  /** @param days - 1 to 16. */
  forecast(city: string, days: number, options?: WeatherRequestOptions): Promise<CityForecast | undefined>;
}
