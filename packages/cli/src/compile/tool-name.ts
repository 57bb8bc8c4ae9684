/** `getWeather` is `get_weather`, `getHTTPStatus` is `get_http_status`, `sha256Sum` is `sha256_sum`. */
export function snakeCase(name: string): string {
  return name
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase();
}
