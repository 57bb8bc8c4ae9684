import { OpenMeteoWeather } from "./open-meteo-weather.js";
import { SampleWeather } from "./sample-weather.js";
import type { WeatherService } from "./weather-service.js";

const sources = ["open-meteo", "sample"] as const;

/** What an app may set when a registry makes this package's tools. */
export class WeatherConfig {
  /** `"open-meteo"` (default) asks Open-Meteo over the network; `"sample"` answers from samples, for work offline. */
  source: (typeof sources)[number] = "open-meteo";
}

/** @throws TypeError for a source that there is none of. */
export function configuredService({ source }: WeatherConfig): WeatherService {
  if (!sources.includes(source))
    throw new TypeError(`There is no weather source ${JSON.stringify(source)}. There are: ${sources.join(", ")}.`);
  return source === "sample" ? new SampleWeather() : new OpenMeteoWeather();
}
