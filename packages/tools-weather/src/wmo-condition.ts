// Code table 4677 of the World Meteorological Organization, in the selection that Open-Meteo uses.
const conditions: ReadonlyMap<number, string> = new Map([
  [0, "clear"],
  [1, "mainly clear"],
  [2, "partly cloudy"],
  [3, "overcast"],
  [45, "fog"],
  [48, "freezing fog"],
  [51, "light drizzle"],
  [53, "drizzle"],
  [55, "heavy drizzle"],
  [56, "light freezing drizzle"],
  [57, "freezing drizzle"],
  [61, "light rain"],
  [63, "rain"],
  [65, "heavy rain"],
  [66, "light freezing rain"],
  [67, "freezing rain"],
  [71, "light snow"],
  [73, "snow"],
  [75, "heavy snow"],
  [77, "snow grains"],
  [80, "light rain showers"],
  [81, "rain showers"],
  [82, "violent rain showers"],
  [85, "light snow showers"],
  [86, "snow showers"],
  [95, "thunderstorm"],
  [96, "thunderstorm with light hail"],
  [99, "thunderstorm with hail"],
]);

/** A WMO weather code in words; null for anything else. */
export function wmoCondition(code: unknown): string | null {
  return typeof code === "number" ? (conditions.get(code) ?? null) : null;
}
