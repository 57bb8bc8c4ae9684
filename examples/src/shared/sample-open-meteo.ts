import { weatherChoice } from "./weather-choice.js";

/** Samples, with the place and the weather code that Open-Meteo would give. */
const cities = [
  { name: "Kazan", country: "Russia", latitude: 55.8, longitude: 49.1, temperatureC: 12, code: 3 },
  { name: "Sochi", country: "Russia", latitude: 43.6, longitude: 39.7, temperatureC: 21, code: 0 },
  { name: "London", country: "United Kingdom", latitude: 51.5, longitude: -0.1, temperatureC: 14, code: 53 },
  { name: "Cairo", country: "Egypt", latitude: 30.1, longitude: 31.2, temperatureC: 31, code: 0 },
];

/**
 * Answers what this process asks of Open-Meteo from samples, unless WEATHER is `live`, and says so in one line: what a
 * registry makes of `@toolwright/tools-weather` asks there, and the examples need no network.
 */
export function standInForOpenMeteo(): void {
  if (weatherChoice() === "live") return;
  console.log("WEATHER is not live: what the weather package asks Open-Meteo is answered here, from samples.");
  const realFetch = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    return url.hostname.endsWith("open-meteo.com") ? Response.json(answer(url)) : realFetch(input, init);
  };
}

function answer({ pathname, searchParams }: URL): object {
  if (pathname === "/v1/search") {
    const wanted = searchParams.get("name")?.toLowerCase();
    return { results: cities.filter(({ name }) => name.toLowerCase() === wanted) };
  }
  const found = cities.find(({ latitude }) => latitude === Number(searchParams.get("latitude")));
  return { current: { temperature_2m: found?.temperatureC, weather_code: found?.code, time: "2026-01-12T12:00" } };
}
