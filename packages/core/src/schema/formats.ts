/** A format of the strict subset: what is expected, as the model reads it, and the test. */
export interface Format {
  readonly expected: string;
  test(text: string): boolean;
}

/**
 * The formats that the API accepts in strict schemas. The tests are no stricter than RFC 3339, 5321, 1123 and 4122 as the
 * API samples them, except that a day must exist: 2024-02-31 would silently become 2 March as a Date.
 */
export const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ["date-time", { expected: "an existing date and time with offset, e.g. 2024-05-01T10:00:00Z", test: isDateTime }],
  ["date", { expected: "an existing date, e.g. 2024-05-01", test: isDate }],
  ["time", { expected: "a time, e.g. 10:00:00 or 10:00:00Z", test: (text) => isTime(text, false) }],
  ["duration", { expected: "an ISO 8601 duration, e.g. PT1H30M", test: isDuration }],
  ["email", { expected: "an e-mail address", test: isEmail }],
  ["hostname", { expected: "a host name", test: isHostname }],
  ["ipv4", { expected: "an IPv4 address", test: isIpv4 }],
  ["ipv6", { expected: "an IPv6 address", test: isIpv6 }],
  ["uuid", { expected: "a UUID", test: (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text) }],
]);

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  const day = Number(text.slice(8));
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month >= 1 && month <= 12 && day >= 1 && day <= (month === 2 && leap ? 29 : (DAYS[month - 1] as number));
}

function isTime(text: string, offsetRequired: boolean): boolean {
  const [, hour, minute, second, offset] = /^(\d\d):(\d\d):(\d\d)(?:\.\d{1,100})?(Z|[+-]\d\d(?::?\d\d)?)?$/i.exec(text) ?? [];
  if (hour === undefined || (offset === undefined && offsetRequired)) return false;
  if (offset !== undefined && !isOffset(offset)) return false;
  // A leap second exists at the end of a UTC day only, but which one no program knows: any 60 is let through.
  return Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 60;
}

function isOffset(text: string): boolean {
  if (text.toUpperCase() === "Z") return true;
  return Number(text.slice(1, 3)) <= 23 && Number(text.slice(3).replace(":", "")) <= 59;
}

function isDateTime(text: string): boolean {
  return /^.{10}[Tt ]/.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11), true);
}

const DURATION =
  /^P(?=[\dT])(?:\d+(?:[.,]\d+)?Y)?(?:\d+(?:[.,]\d+)?M)?(?:\d+(?:[.,]\d+)?W)?(?:\d+(?:[.,]\d+)?D)?(?:T(?=\d)(?:\d+(?:[.,]\d+)?H)?(?:\d+(?:[.,]\d+)?M)?(?:\d+(?:[.,]\d+)?S)?)?$/;

function isDuration(text: string): boolean {
  return text.length <= 100 && DURATION.test(text);
}

function isEmail(text: string): boolean {
  return text.length <= 320 && /^[^\s@]+@[^\s@]+$/.test(text);
}

function isHostname(text: string): boolean {
  if (text.length > 254) return false;
  return text
    .replace(/\.$/, "")
    .split(".")
    .every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(label));
}

function isIpv4(text: string): boolean {
  return text.length <= 15 && /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text);
}

function isIpv6(text: string): boolean {
  if (text.length > 45) return false;
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  const last = groups.at(-1);
  const embedded = last !== undefined && last.includes(".") && !text.endsWith("::");
  if (embedded && !isIpv4(last)) return false;
  const plain = embedded ? groups.slice(0, -1) : groups;
  const count = plain.length + (embedded ? 2 : 0);
  return plain.every((group) => /^[0-9a-f]{1,4}$/i.test(group)) && (halves.length === 2 ? count <= 7 : count === 8);
}
