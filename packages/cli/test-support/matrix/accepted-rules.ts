import { group, type MatrixGroup, one } from "./case.js";

/** What doc tags and decorators say of a value. */
export const rules: readonly MatrixGroup[] = [
  group(
    "Doc tags",
    one(
      "bounds of a number",
      "person: Person, more: string",
      "interface Person {\n  /**\n   * Age in years.\n   * @minimum 0\n   * @exclusiveMaximum 150\n   * @multipleOf 1\n   */\n  age: number;\n}",
    ),
    one(
      "a pattern and a format",
      "person: Person, more: string",
      "interface Person {\n  /** @pattern ^[a-z]+$ */\n  slug: string;\n  /** @format email */\n  mail: string;\n}",
    ),
    one(
      "lengths",
      "person: Person, more: string",
      "interface Person {\n  /** @maxLength 20 */\n  nick: string;\n  /** @minItems 1 */\n  tags: string[];\n}",
    ),
    one(
      "a tag that a strict schema cannot say",
      "person: Person, more: string",
      "interface Person {\n  /** @format uri */\n  page: string;\n  /** @uniqueItems true */\n  tags: string[];\n  /** @pattern ^(?=a) */\n  code: string;\n}",
    ),
    one(
      "tags whose values mean nothing",
      "person: Person, more: string",
      "interface Person {\n  /** @minLength -1 */\n  name: string;\n  /** @multipleOf 0 */\n  age: number;\n  /** @minItems 1.5 */\n  tags: string[];\n  /** @minimum many */\n  size: number;\n}",
    ),
    one("a tag that does not fit the type", "person: Person, more: string", "interface Person {\n  /** @minimum 1 */\n  name: string;\n}"),
  ),
  group(
    "class-validator's decorators",
    one(
      "a whole number with bounds",
      "rules: Rules1, more: string",
      "export class Rules1 { @v.IsInt() @v.Min(1) @v.Max(9) value!: number }",
    ),
    one("a positive number", "rules: Rules2, more: string", "export class Rules2 { @v.IsPositive() value!: number }"),
    one("a multiple", "rules: Rules3, more: string", "export class Rules3 { @v.IsDivisibleBy(5) value!: number }"),
    one("a latitude", "rules: Rules4, more: string", "export class Rules4 { @v.IsLatitude() value!: number }"),
    one(
      "decimal places, which are only told",
      "rules: Rules5, more: string",
      "export class Rules5 { @v.IsNumber({ maxDecimalPlaces: 2 }) value!: number }",
    ),
    one("a text that is not empty", "rules: Rules6, more: string", "export class Rules6 { @v.IsNotEmpty() value!: string }"),
    one("a length", "rules: Rules7, more: string", "export class Rules7 { @v.Length(2, 10) value!: string }"),
    one(
      "a length beyond what a pattern can say",
      "rules: Rules8, more: string",
      "export class Rules8 { @v.MaxLength(2000) value!: string }",
    ),
    one("a pattern", "rules: Rules9, more: string", "export class Rules9 { @v.Matches(/^[A-Z]{3}$/) value!: string }"),
    one("a pattern that the API refuses", "rules: Rules10, more: string", "export class Rules10 { @v.Matches(/^(?!a)b/) value!: string }"),
    one("a pattern with a flag", "rules: Rules11, more: string", "export class Rules11 { @v.Matches(/^abc$/i) value!: string }"),
    one("an e-mail address", "rules: Rules12, more: string", "export class Rules12 { @v.IsEmail() value!: string }"),
    one("a UUID", "rules: Rules13, more: string", "export class Rules13 { @v.IsUUID() value!: string }"),
    one("an IP address", "rules: Rules14, more: string", "export class Rules14 { @v.IsIP(4) value!: string }"),
    one("a URL, which is only told", "rules: Rules15, more: string", "export class Rules15 { @v.IsUrl() value!: string }"),
    one("letters", "rules: Rules16, more: string", "export class Rules16 { @v.IsAlpha() value!: string }"),
    one("a part of a text", "rules: Rules17, more: string", "export class Rules17 { @v.Contains('a.b') value!: string }"),
    one("a choice", "rules: Rules18, more: string", "export class Rules18 { @v.IsIn(['z', 'a']) value!: string }"),
    one(
      "a choice by an enum",
      "rules: Rules19, more: string",
      "enum Level { Low = 'lo', High = 'hi' } export class Rules19 { @v.IsEnum(Level) value!: string }",
    ),
    one("not one value", "rules: Rules20, more: string", "export class Rules20 { @v.NotEquals('x') value!: string }"),
    one(
      "an array's size",
      "rules: Rules21, more: string",
      "export class Rules21 { @v.ArrayMinSize(1) @v.ArrayMaxSize(3) value!: string[] }",
    ),
    one(
      "an array's items",
      "rules: Rules22, more: string",
      "export class Rules22 { @v.IsInt({ each: true }) @v.Min(1, { each: true }) value!: number[] }",
    ),
    one(
      "an array without twins, which is only told",
      "rules: Rules23, more: string",
      "export class Rules23 { @v.ArrayUnique() value!: string[] }",
    ),
    one(
      "choices that decorators make smaller",
      "rules: Smaller, more: string",
      "enum Step { None, Some = 1.5, All = 3 } export class Smaller { @v.Min(2) level!: 1 | 2 | 3; @v.MinLength(2) code!: 'a' | 'bb'; @v.Matches(/^b/) kind!: 'a' | 'b' | null; @v.IsInt() step!: Step; @v.IsIn(['a', 1]) mixed!: string | number }",
    ),
    one(
      "rules of properties whose names are no words",
      "rules: Named, more: string",
      "const key = 'computed'; export class Named { @v.MinLength(3) 1!: string; @v.MinLength(4) 'a-b'!: string; @v.MinLength(5) [key]!: string; @v.MinLength(6) ['literal']!: string }",
    ),
    one(
      "lengths and counts that are no whole numbers",
      "rules: Fractions, more: string",
      "export class Fractions { @v.MinLength(1.5) a!: string; @v.MinLength(-1) b!: string; @v.ArrayMinSize(0.5) c!: string[] }",
    ),
    one(
      "constants of the language",
      "rules: Constants, more: string",
      "export class Constants { @v.Max(Number.MAX_SAFE_INTEGER) a!: number; @v.Max(Infinity) b!: number }",
    ),
    one(
      "rules that nobody checks on a part of a class",
      'rules: Pick<Unchecked, "page" | "count">, more: string',
      "export class Unchecked { @v.IsUrl() page!: string; @v.Min(1) count!: number; id!: string }",
    ),
    one("an optional value", "rules: Rules24, more: string", "export class Rules24 { @v.IsOptional() @v.Min(1) value?: number }"),
    one("a value with a default", "rules: Rules25, more: string", "export class Rules25 { @v.Min(0) value = 5 }"),
    one("a nested object", "rules: Rules26, more: string", "export class Rules26 { @v.ValidateNested() value!: { a: string } }"),
    one(
      "a decorator that the build does not know by name",
      "rules: Rules27, more: string",
      "export class Rules27 { @v.IsHSL() value!: string }",
    ),
  ),
];
