import { type Constant, ConstantPattern } from "../constant.js";
import type { Literal, Rules } from "./rules.js";
import { safePattern } from "./safe-pattern.js";

/** The kind of value that a validator accepts. */
export type Accepts = "string" | "number" | "boolean" | "array" | "object" | "date";

/** What a decorator of class-validator says in a schema. */
export interface Validator {
  /** Undefined when it is for any value. */
  readonly accepts?: Accepts | undefined;
  /** The rules of these arguments; undefined when they are not understood. */
  rules(parameters: readonly Constant[]): Rules | undefined;
}

const nothing = (accepts?: Accepts): Validator => ({ accepts, rules: () => ({}) });
const says = (accepts: Accepts | undefined, words: string, rules: Rules = {}): Validator => ({
  accepts,
  rules: () => ({ ...rules, words: [words] }),
});
const number = (accepts: Accepts, make: (value: number) => Rules): Validator => ({
  accepts,
  rules: ([value]) => {
    if (typeof value !== "number" || Number.isNaN(value)) return undefined;
    return Number.isFinite(value) ? make(value) : {};
  },
});
/** Formats have options that change what is accepted; then only the words are true. */
const format = (name: string, words: string): Validator => ({
  accepts: "string",
  rules: ([options]) => (options === undefined ? { format: name } : { words: [words] }),
});
const quoted = (make: (text: string) => string, accepts?: Accepts): Validator => ({
  accepts,
  rules: ([value]) => (value === undefined ? undefined : { words: [make(JSON.stringify(value))] }),
});

const isLiteral = (value: Constant): value is Literal => ["string", "number", "boolean"].includes(typeof value);

const oneOf: Validator = {
  rules: ([given]) => {
    const values: readonly Constant[] =
      typeof given === "object" && given !== null && !(given instanceof ConstantPattern) ? Object.values(given) : [];
    return values.length > 0 && values.every(isLiteral) ? { values } : undefined;
  },
};

const length: Validator = {
  accepts: "string",
  rules: ([least, most]) => {
    if (typeof least !== "number") return undefined;
    if (typeof most !== "number") return { minLength: least, words: [atLeast(least)] };
    return {
      minLength: least,
      maxLength: most,
      words: [least === most ? `Exactly ${least} characters.` : `${least} to ${most} characters.`],
    };
  },
};

const atLeast = (count: number): string => `At least ${count} ${count === 1 ? "character" : "characters"}.`;

const matches: Validator = {
  accepts: "string",
  rules: ([given, modifiers]) => {
    const pattern = typeof given === "string" ? new ConstantPattern(given, typeof modifiers === "string" ? modifiers : "") : given;
    if (!(pattern instanceof ConstantPattern)) return undefined;
    const safe = safePattern(pattern);
    return safe === undefined ? { words: [`Matches the regular expression /${pattern.source}/${pattern.flags}.`] } : { pattern: safe };
  },
};

const ip: Validator = {
  accepts: "string",
  rules: ([version]) => {
    if (String(version) === "4") return { format: "ipv4" };
    return String(version) === "6" ? { format: "ipv6" } : { words: ["An IP address."] };
  },
};

const decimals: Validator = {
  accepts: "number",
  rules: ([options]) => {
    const places =
      typeof options === "object" && options !== null ? (options as { maxDecimalPlaces?: unknown }).maxDecimalPlaces : undefined;
    return typeof places === "number" ? { words: [`At most ${places} decimal places.`] } : {};
  },
};

/** A pattern that accepts exactly what class-validator does without options; with options only the words are true. */
const form = (pattern: string, words: string): Validator => ({
  accepts: "string",
  rules: (parameters) => (parameters.every((each) => each === undefined) ? { pattern, words: [words] } : { words: [words] }),
});

const contains: Validator = {
  accepts: "string",
  rules: ([seed]) => (typeof seed === "string" ? { pattern: literally(seed), words: [`Contains ${JSON.stringify(seed)}.`] } : undefined),
};

/** A regular expression for a text as it is. */
const literally = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** class-validator takes the whole part of what it is given. */
const isWholeDivisor = (value: number): boolean => Number.isSafeInteger(value) && value > 0;

/**
 * The decorators of class-validator 0.14 and 0.15 that say something about a value. Others are named in the description.
 * All of them are enforced by class-validator itself at run time, whatever of them a schema can carry.
 */
export const validators: Readonly<Record<string, Validator | undefined>> = {
  Allow: nothing(),
  IsDefined: nothing(),
  IsOptional: nothing(),
  ValidateNested: nothing(),
  IsString: nothing("string"),
  IsBoolean: nothing("boolean"),
  IsArray: nothing("array"),
  IsObject: nothing("object"),
  IsInstance: nothing("object"),
  IsDate: nothing("date"),
  IsNumber: decimals,
  IsInt: { accepts: "number", rules: () => ({ integer: true }) },
  Min: number("number", (minimum) => ({ minimum })),
  Max: number("number", (maximum) => ({ maximum })),
  IsPositive: { accepts: "number", rules: () => ({ exclusiveMinimum: 0 }) },
  IsNegative: { accepts: "number", rules: () => ({ exclusiveMaximum: 0 }) },
  IsDivisibleBy: number("number", (multipleOf) =>
    isWholeDivisor(multipleOf) ? { multipleOf } : { words: [`Divisible by ${multipleOf}.`] },
  ),
  IsLatitude: says(undefined, "A latitude, from -90 to 90.", { minimum: -90, maximum: 90 }),
  IsLongitude: says(undefined, "A longitude, from -180 to 180.", { minimum: -180, maximum: 180 }),
  IsIn: oneOf,
  IsEnum: oneOf,
  Equals: { rules: ([value]) => (value !== undefined && isLiteral(value) ? { values: [value] } : undefined) },
  NotEquals: quoted((text) => `Not ${text}.`),
  IsNotIn: quoted((text) => `None of ${text}.`),
  IsNotEmpty: says(undefined, "Not empty.", { minLength: 1 }),
  Length: length,
  MinLength: number("string", (minLength) => ({ minLength, words: [atLeast(minLength)] })),
  MaxLength: number("string", (maxLength) => ({
    maxLength,
    words: [`At most ${maxLength} ${maxLength === 1 ? "character" : "characters"}.`],
  })),
  Matches: matches,
  IsEmail: format("email", "An e-mail address."),
  IsUUID: {
    accepts: "string",
    rules: ([version]) =>
      version === undefined || version === "all" ? { format: "uuid" } : { format: "uuid", words: [`UUID version ${String(version)}.`] },
  },
  IsIP: ip,
  IsFQDN: format("hostname", "A domain name."),
  IsUrl: says("string", "A URL."),
  IsDateString: says("string", "A date or date and time in ISO 8601, e.g. 2024-05-31 or 2024-05-31T12:00:00Z."),
  IsISO8601: says("string", "A date or date and time in ISO 8601, e.g. 2024-05-31 or 2024-05-31T12:00:00Z."),
  IsRFC3339: says("string", "A date and time as in RFC 3339, e.g. 2024-05-31T12:00:00Z."),
  IsMilitaryTime: form(String.raw`^([01]\d|2[0-3]):?([0-5]\d)$`, "A time of day as HH:MM, 24 hours."),
  IsTimeZone: says("string", "An IANA time zone, e.g. Europe/Berlin."),
  IsAlpha: form("^[A-Za-z]+$", "Letters only."),
  IsAlphanumeric: form("^[0-9A-Za-z]+$", "Letters and digits only."),
  IsNumberString: says("string", "A number written as text."),
  IsLowercase: says("string", "Lower case."),
  IsUppercase: says("string", "Upper case."),
  IsHexColor: form("^#?([0-9A-Fa-f]{3}|[0-9A-Fa-f]{4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$", "A colour such as #1a2b3c."),
  IsJSON: says("string", "JSON text."),
  IsBase64: says("string", "Base64 text."),
  IsPhoneNumber: says("string", "A phone number."),
  IsMobilePhone: says("string", "A mobile phone number."),
  IsCreditCard: says("string", "A credit card number."),
  IsIBAN: says("string", "An IBAN."),
  IsISO31661Alpha2: says("string", "A country code of two letters (ISO 3166-1)."),
  IsISO31661Alpha3: says("string", "A country code of three letters (ISO 3166-1)."),
  IsISO4217CurrencyCode: says("string", "A currency code of three letters (ISO 4217)."),
  IsLocale: says("string", "A locale, e.g. en-GB."),
  IsPort: says("string", "A port number as text."),
  IsSemVer: says("string", "A semantic version, e.g. 1.2.3."),
  IsMongoId: form("^(0[xXhH][0-9A-Fa-f]{22}|[0-9A-Fa-f]{24})$", "A MongoDB id: 24 hexadecimal digits."),
  Contains: contains,
  NotContains: quoted((text) => `Does not contain ${text}.`, "string"),
  ArrayMinSize: number("array", (minItems) => ({ minItems })),
  ArrayMaxSize: number("array", (maxItems) => ({ maxItems })),
  ArrayNotEmpty: { accepts: "array", rules: () => ({ minItems: 1 }) },
  ArrayUnique: says("array", "No two items are equal."),
  ArrayContains: quoted((text) => `Contains all of ${text}.`, "array"),
  ArrayNotContains: quoted((text) => `Contains none of ${text}.`, "array"),
};
