/** Lowest, highest temperature and condition of one day. */
export type SampleDay = readonly [minC: number, maxC: number, condition: string];

/** Samples of one city, made up once and fixed. */
export interface SampleCity {
  readonly city: string;
  readonly country: string;
  readonly temperatureC: number;
  readonly condition: string;
  /** Today, tomorrow, the day after. */
  readonly days: readonly [SampleDay, SampleDay, SampleDay];
}

const sample = (
  city: string,
  country: string,
  temperatureC: number,
  condition: string,
  ...days: [SampleDay, SampleDay, SampleDay]
): SampleCity => ({
  city,
  country,
  temperatureC,
  condition,
  days,
});

export const sampleCities: readonly SampleCity[] = [
  sample("Kazan", "Russia", 12, "cloudy", [7, 13, "cloudy"], [6, 11, "light rain"], [4, 10, "partly cloudy"]),
  sample("Sochi", "Russia", 21, "clear", [15, 22, "clear"], [16, 23, "clear"], [16, 20, "rain showers"]),
  sample("Moscow", "Russia", 9, "light rain", [5, 10, "light rain"], [4, 9, "overcast"], [3, 9, "partly cloudy"]),
  sample("Saint Petersburg", "Russia", 8, "overcast", [5, 9, "overcast"], [4, 8, "drizzle"], [3, 8, "cloudy"]),
  sample("London", "United Kingdom", 14, "drizzle", [10, 15, "drizzle"], [9, 15, "partly cloudy"], [8, 14, "rain"]),
  sample("Paris", "France", 17, "partly cloudy", [11, 18, "partly cloudy"], [12, 19, "clear"], [11, 16, "light rain"]),
  sample("Berlin", "Germany", 13, "overcast", [8, 14, "overcast"], [7, 15, "partly cloudy"], [9, 16, "clear"]),
  sample("Zürich", "Switzerland", 11, "fog", [6, 13, "fog"], [7, 15, "partly cloudy"], [8, 16, "clear"]),
  sample("Reykjavík", "Iceland", -2, "light snow", [-5, 0, "light snow"], [-6, -1, "snow"], [-3, 2, "overcast"]),
  sample("New York", "United States", 18, "clear", [12, 20, "clear"], [13, 21, "partly cloudy"], [14, 19, "thunderstorm"]),
  sample("São Paulo", "Brazil", 24, "rain showers", [18, 26, "rain showers"], [19, 27, "thunderstorm"], [18, 25, "partly cloudy"]),
  sample("Cairo", "Egypt", 31, "clear", [21, 32, "clear"], [21, 33, "clear"], [22, 32, "clear"]),
  sample("Delhi", "India", 33, "haze", [23, 34, "haze"], [23, 34, "haze"], [22, 33, "clear"]),
  sample("Tokyo", "Japan", 20, "partly cloudy", [15, 22, "partly cloudy"], [16, 21, "rain"], [15, 20, "cloudy"]),
  sample("Sydney", "Australia", 23, "clear", [16, 24, "clear"], [17, 26, "clear"], [15, 21, "rain showers"]),
];
