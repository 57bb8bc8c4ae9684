import { OpenMeteoWeather, SampleWeather, type WeatherService } from "@toolwright/tools-weather";

/** The service that the variable WEATHER names: `sample` (default), which needs no network, or `live`. */
export function weatherService(): WeatherService {
  const wanted = process.env["WEATHER"]?.trim() || "sample";
  switch (wanted) {
    case "sample":
      return new SampleWeather();
    case "live":
      return new OpenMeteoWeather();
    default:
      throw new Error(`WEATHER is "${wanted}". Set it to "sample" or "live".`);
  }
}
