import { call, callMissing, fieldsOf, type Plan, type PlannerRequest, type Result, resultOf, text } from "./plan.js";
import type { Intent } from "./read-question.js";
import { missingConversions, temperature } from "./temperature.js";

type WeatherIntent = Extract<Intent, { kind: "weather" | "forecast" }>;

interface CityResult {
  readonly city: string;
  readonly result: Result;
}

/** First all cities at once, then the conversions that their answers ask for, then the answer. */
export function planWeather(request: PlannerRequest, intent: WeatherIntent): Plan {
  const tool = intent.kind === "weather" ? "get_weather" : "get_forecast";
  const asked = intent.cities.map((city) => ({
    city,
    planned: call(request, tool, intent.kind === "weather" ? { city } : { city, days: intent.days }),
  }));
  const asking = callMissing(
    request,
    tool,
    asked.map(({ planned }) => planned),
  );
  if (asking !== undefined) return asking;
  const results = asked.map(({ city, planned }): CityResult => ({ city, result: resultOf(request, planned) }));
  const conversions = intent.fahrenheit ? missingConversions(request, results.flatMap(temperaturesOf)) : [];
  if (conversions.length > 0) return { kind: "calls", calls: conversions };
  return text(results.map((city) => sentence(request, city, intent)).join("\n"));
}

function temperaturesOf({ result }: CityResult): number[] {
  const { temperatureC, days } = answerOf(result);
  const daily = days.flatMap((day) => [day["minC"], day["maxC"]]);
  return [temperatureC, ...daily].filter((value) => typeof value === "number");
}

function sentence(request: PlannerRequest, { city, result }: CityResult, intent: WeatherIntent): string {
  if (result.kind === "failure") return `The weather in ${city} could not be looked up: ${result.message}`;
  const answer = answerOf(result);
  if (answer.found === false) return `${city} was not found.`;
  const name = answer.city ?? city;
  if (intent.kind === "forecast") {
    if (answer.days.length === 0) return `There is no forecast for ${name}.`;
    return [`Forecast for ${name}:`, ...answer.days.map((day) => `  ${dayLine(request, day, intent.fahrenheit)}`)].join("\n");
  }
  if (answer.temperatureC === undefined) return `The weather in ${name} is not known.`;
  const condition = answer.condition === undefined ? "" : `, ${answer.condition}`;
  return `${name}: ${temperature(request, answer.temperatureC, intent.fahrenheit)}${condition}.`;
}

function dayLine(request: PlannerRequest, day: Record<string, unknown>, fahrenheit: boolean): string {
  const show = (value: unknown): string => (typeof value === "number" ? temperature(request, value, fahrenheit) : "?");
  const condition = typeof day["condition"] === "string" ? `, ${day["condition"]}` : "";
  return `${String(day["date"])}: ${show(day["minC"])} to ${show(day["maxC"])}${condition}`;
}

/** The fields that the sentences use, each checked. */
function answerOf(result: Result): {
  found: unknown;
  city: string | undefined;
  temperatureC: number | undefined;
  condition: string | undefined;
  days: Record<string, unknown>[];
} {
  const { found, city, temperatureC, condition, days } = fieldsOf(result);
  return {
    found,
    city: typeof city === "string" ? city : undefined,
    temperatureC: typeof temperatureC === "number" ? temperatureC : undefined,
    condition: typeof condition === "string" ? condition : undefined,
    days: Array.isArray(days) ? days.filter((day) => typeof day === "object" && day !== null) : [],
  };
}
