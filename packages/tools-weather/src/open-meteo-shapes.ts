import { ToolError } from "@toolwright/core";
import type { DayForecast } from "./weather-service.js";
import { wmoCondition } from "./wmo-condition.js";

/** A place as Open-Meteo's geocoding names it. */
export interface Place {
  readonly city: string;
  readonly country: string | null;
  readonly latitude: number;
  readonly longitude: number;
}

/** The first match of a geocoding answer; undefined when it has none (then `results` is left out). */
export function readPlace(body: unknown): Place | undefined {
  const { results } = object(body, "geocoding answer");
  if (results === undefined) return undefined;
  if (!Array.isArray(results)) throw wrong("`results` is not a list");
  if (results.length === 0) return undefined;
  const first = object(results[0], "first geocoding result");
  const { name, latitude, longitude, country } = first;
  if (typeof name !== "string" || name === "") throw wrong("a place has no name");
  if (!isNumber(latitude) || !isNumber(longitude)) throw wrong("a place has no coordinates");
  return { city: name, country: text(country), latitude, longitude };
}

/** Temperature, condition and time of a forecast answer that was asked for `current`. */
export function readCurrent(body: unknown): { temperatureC: number; condition: string | null; observedAt: string | null } {
  const current = object(object(body, "forecast answer")["current"], "`current`");
  const temperature = current["temperature_2m"];
  if (!isNumber(temperature)) throw wrong("the temperature is missing");
  return { temperatureC: temperature, condition: wmoCondition(current["weather_code"]), observedAt: text(current["time"]) };
}

/** Days of a forecast answer that was asked for `daily`: parallel lists, of which single values may be null. */
export function readDays(body: unknown, most: number): DayForecast[] {
  const daily = object(object(body, "forecast answer")["daily"], "`daily`");
  const dates = list(daily["time"], "daily.time");
  const codes = list(daily["weather_code"], "daily.weather_code");
  const highest = list(daily["temperature_2m_max"], "daily.temperature_2m_max");
  const lowest = list(daily["temperature_2m_min"], "daily.temperature_2m_min");
  if ([codes, highest, lowest].some((values) => values.length !== dates.length)) throw wrong("the daily lists differ in length");
  return dates.slice(0, most).map((date, index) => {
    if (typeof date !== "string") throw wrong("a day has no date");
    return { date, minC: number(lowest[index]), maxC: number(highest[index]), condition: wmoCondition(codes[index]) };
  });
}

function object(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong(`${what} is not an object`);
  // Any object may be read by name; each value is checked where it is used.
  return value as Record<string, unknown>;
}

function list(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) throw wrong(`\`${what}\` is not a list`);
  return value;
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const number = (value: unknown): number | null => (isNumber(value) ? value : null);
const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

function wrong(what: string): ToolError {
  return new ToolError({ code: "WEATHER_BAD_RESPONSE", message: `The weather service answered in an unknown form: ${what}.` });
}
