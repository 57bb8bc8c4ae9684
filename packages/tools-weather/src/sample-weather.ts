import { plainName } from "./city-name.js";
import { type SampleCity, sampleCities } from "./sample-cities.js";
import type { CityForecast, CurrentWeather, WeatherRequestOptions, WeatherService } from "./weather-service.js";

/** Options of {@link SampleWeather}. */
export interface SampleWeatherOptions {
  /** What counts as now, for the dates of a forecast (in UTC). Default: the clock. */
  readonly now?: (() => Date) | undefined;
}

const source = "samples, not a measurement";
const dayMs = 86_400_000;

/** Fixed samples of some cities of the world, for work without a network. It has forecasts for three days at most. */
export class SampleWeather implements WeatherService {
  readonly #now: () => Date;

  constructor(options: SampleWeatherOptions = {}) {
    this.#now = options.now ?? (() => new Date());
  }

  async current(city: string, options: WeatherRequestOptions = {}): Promise<CurrentWeather | undefined> {
    options.signal?.throwIfAborted();
    const found = find(city);
    if (found === undefined) return undefined;
    return {
      city: found.city,
      temperatureC: found.temperatureC,
      condition: found.condition,
      country: found.country,
      observedAt: null,
      source,
    };
  }

  async forecast(city: string, days: number, options: WeatherRequestOptions = {}): Promise<CityForecast | undefined> {
    options.signal?.throwIfAborted();
    const found = find(city);
    if (found === undefined) return undefined;
    const today = this.#now().getTime();
    const list = found.days.slice(0, days).map(([minC, maxC, condition], index) => ({
      date: new Date(today + index * dayMs).toISOString().slice(0, 10),
      minC,
      maxC,
      condition,
    }));
    return { city: found.city, days: list, country: found.country, source };
  }
}

/** `Kazan`, `kazan `, `Zurich`, or with its country: `Kazan, Russia`. */
function find(text: string): SampleCity | undefined {
  const [city = "", country] = text.split(",", 2).map(plainName);
  return sampleCities.find((sample) => plainName(sample.city) === city && (country === undefined || plainName(sample.country) === country));
}
