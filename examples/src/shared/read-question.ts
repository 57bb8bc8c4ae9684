import { readCities } from "./read-cities.js";
import { type OrderIntent, readOrders } from "./read-orders.js";

/** A temperature scale. */
export type Scale = "C" | "F";

/** What a question, or a part of it, asks for. */
export type Intent =
  | OrderIntent
  | { readonly kind: "weather"; readonly cities: readonly string[]; readonly fahrenheit: boolean }
  | { readonly kind: "forecast"; readonly cities: readonly string[]; readonly fahrenheit: boolean; readonly days: number | null }
  | { readonly kind: "conversion"; readonly value: string; readonly from: Scale; readonly to: Scale }
  | { readonly kind: "sum"; readonly expression: string };

/** Reads a question by a few patterns, in English only. It may ask for several things; nothing is read from what fits none. */
export function readQuestion(question: string): Intent[] {
  const text = question.normalize("NFC").replaceAll("−", "-").trim();
  const calculation = readConversion(text) ?? readSum(text);
  if (calculation !== undefined) return [calculation];
  const orders = readOrders(text);
  // The days and the cities in a question about orders are those of a delivery, unless it speaks of weather.
  const weather = orders.length === 0 || /\bweather\b|\bforecast\b|\btemperature\b/i.test(text) ? readWeather(text) : undefined;
  return weather === undefined ? orders : [weather, ...orders];
}

function readWeather(text: string): Intent | undefined {
  const forecast = /\bforecast\b|\btomorrow\b|\bdays\b|\bweek\b/i.test(text);
  if (!forecast && !/\bweather\b|\btemperature\b|\bdegrees\b|\bhow (?:warm|hot|cold)\b|\bwarmer\b|\bcolder\b/i.test(text)) return undefined;
  const cities = readCities(text);
  if (cities.length === 0) return undefined;
  const fahrenheit = /\bfahrenheit\b|°\s*F\b|\bin F\b/i.test(text);
  return forecast ? { kind: "forecast", cities, fahrenheit, days: readDays(text) } : { kind: "weather", cities, fahrenheit };
}

function readDays(text: string): number | null {
  const count = /\b(\d{1,3})[\s-]*days?\b/i.exec(text)?.[1];
  if (count !== undefined) return Number(count);
  if (/\btomorrow\b/i.test(text)) return 2;
  return /\bweek\b/i.test(text) ? 7 : null;
}

const conversion =
  /(-?\d+(?:\.\d+)?)\s*(?:°\s*|degrees?\s+)?(celsius|fahrenheit|[cf])\b.*\b(?:in|to|into|as)\s+(?:°\s*|degrees?\s+)?(celsius|fahrenheit|[cf])\b/i;

function readConversion(text: string): Intent | undefined {
  const [, value, from, to] = conversion.exec(text) ?? [];
  if (value === undefined || from === undefined || to === undefined) return undefined;
  return { kind: "conversion", value, from: scale(from), to: scale(to) };
}

const scale = (word: string): Scale => (word.toLowerCase().startsWith("c") ? "C" : "F");

const words: readonly (readonly [pattern: RegExp, operator: string])[] = [
  [/\bplus\b/gi, "+"],
  [/\bminus\b/gi, "-"],
  [/\b(?:times|multiplied by)\b|×/gi, "*"],
  [/\bdivided by\b|÷/gi, "/"],
  [/\bto the power of\b|\^/gi, "**"],
  [/(?<=\d\s*)x(?=\s*\d)/gi, "*"],
];

function readSum(text: string): Intent | undefined {
  let expression = text
    .replace(/^(?:please\s+)?(?:what\s+is|what['’]s|how much is|calculate|compute|evaluate|work out)\b/i, "")
    .replace(/[\s=?!.]+$/, "");
  for (const [pattern, operator] of words) expression = expression.replaceAll(pattern, operator);
  expression = expression.trim();
  const arithmetic = /^(?:[\d\s.,+\-*/%()]|\b(?:sqrt|abs|min|max|round|floor|ceil|pi)\b)+$/.test(expression);
  if (!arithmetic || !/\d/.test(expression) || !/[+\-*/%(]/.test(expression)) return undefined;
  return { kind: "sum", expression };
}
