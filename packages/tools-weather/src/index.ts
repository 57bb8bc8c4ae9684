import { defineToolPackage } from "@toolwright/core";
import { WeatherTools } from "./toolwright.generated.js";
import { configuredService, WeatherConfig } from "./weather-config.js";

export { OpenMeteoWeather, type OpenMeteoOptions } from "./open-meteo-weather.js";
export { SampleWeather, type SampleWeatherOptions } from "./sample-weather.js";
export { WeatherTools } from "./toolwright.generated.js";
export type { CityForecast, CurrentWeather, DayForecast, WeatherRequestOptions, WeatherService } from "./weather-service.js";
export { WeatherConfig };
export type { ForecastReport, WeatherReport } from "./weather-tools.js";

/** What a registry makes of this package: its tools over the source that the app configures, Open-Meteo by default. */
export default defineToolPackage({
  config: WeatherConfig,
  needs: { hosts: ["api.open-meteo.com", "geocoding-api.open-meteo.com"] },
  create: (config) => [new WeatherTools(configuredService(config))],
});
