import { OpenMeteoWeather, SampleWeather, type WeatherService } from "@toolwright/tools-weather";
import { weatherChoice } from "./weather-choice.js";

/** The service that the variable WEATHER names. */
export function weatherService(): WeatherService {
  return weatherChoice() === "live" ? new OpenMeteoWeather() : new SampleWeather();
}
