import type { SchemaNode } from "@toolwright/core";
import { describe, expect, test } from "vitest";
import { compileCases } from "../../test-support/compile-cases.js";
import { expectStrict } from "../../test-support/expect-strict.js";
import { number, numberOrNull, text, textOrNull } from "../../test-support/schema-forms.js";

/** A property with decorators of class-validator (imported as `v`), beside its schema. */
const properties: Readonly<Record<string, SchemaNode>> = {
  "@v.IsInt() @v.Min(1) @v.Max(limits.most) whole!: number": { type: "integer", minimum: 1, maximum: 9 },
  "@v.IsPositive() positive?: number": { ...numberOrNull, exclusiveMinimum: 0 },
  "@v.IsNegative() negative!: number | null": { ...numberOrNull, exclusiveMaximum: 0 },
  "@v.IsDivisibleBy(5) step!: number": { type: "number", multipleOf: 5 },
  "@v.IsNumber({ maxDecimalPlaces: 2 }) price!: number": { type: "number", description: "At most 2 decimal places." },
  "@v.IsInt() @v.Min(-limits.most) either!: number | string": { anyOf: [{ type: "integer", minimum: -9 }, text] },
  "@v.Length(2, 10) length!: string": { type: "string", description: "2 to 10 characters.", pattern: String.raw`^[\s\S]{2,10}$` },
  "@v.MinLength(2) least!: string": { type: "string", description: "At least 2 characters.", pattern: String.raw`^[\s\S]{2,}$` },
  "@v.MaxLength(2000) most!: string": { type: "string", description: "At most 2000 characters." },
  "@v.Matches(/^[A-Z]{3}$/) @v.MinLength(3) code!: string": {
    type: "string",
    description: "At least 3 characters.",
    pattern: "^[A-Z]{3}$",
  },
  "@v.Matches(/^abc$/i) flags!: string": { type: "string", description: "Matches the regular expression /^abc$/i." },
  "@v.Matches(/^(?!a)b/) lookaround!: string": { type: "string", description: "Matches the regular expression /^(?!a)b/." },
  "@v.Matches(new RegExp('^' + limits.prefix)) made!: string": { type: "string", pattern: "^ab" },
  "@v.IsEmail() mail?: string": { ...textOrNull, format: "email" },
  "@v.IsUUID() id!: string": { type: "string", format: "uuid" },
  '@v.IsUUID("4") id4!: string': { type: "string", description: "UUID version 4.", format: "uuid" },
  '@v.IsIP("6") address!: string': { type: "string", format: "ipv6" },
  "@v.IsFQDN() host!: string": { type: "string", format: "hostname" },
  "@v.IsUrl() url!: string": { type: "string", description: "A URL." },
  "@v.IsCreditCard() card!: string": { type: "string", description: "A credit card number." },
  "@v.IsHSL() unlisted!: string": { type: "string", description: "Checked by IsHSL." },
  "@v.IsIn(limits.codes) among!: string": { type: "string", enum: ["z", "a"] },
  "@v.IsIn(Object.values(Level)) level!: string": { type: "string", enum: ["lo", "hi"] },
  "@v.IsEnum(Level) same!: Level": { type: "string", enum: ["lo", "hi"] },
  '@v.IsIn(["hi"]) narrowed?: Level': { type: ["string", "null"], enum: ["hi", null] },
  '@v.NotEquals("x") other!: string': { type: "string", description: 'Not "x".' },
  "@v.ArrayMinSize(1) @v.ArrayMaxSize(3) @v.ArrayUnique() list!: string[]": {
    type: "array",
    description: "No two items are equal.",
    minItems: 1,
    maxItems: 3,
    items: text,
  },
  "@v.ArrayNotEmpty() @v.IsInt({ each: true }) @v.Min(1, { each: true }) numbers!: number[]": {
    type: "array",
    minItems: 1,
    items: { type: "integer", minimum: 1 },
  },
  "@v.MinLength(2, { each: true }) words?: string[]": {
    type: ["array", "null"],
    description: "Each item: At least 2 characters.",
    items: { type: "string", pattern: String.raw`^[\s\S]{2,}$` },
  },
  "@v.Min(0) limit = 5": { ...numberOrNull, description: "Default: 5.", minimum: 0 },
  "@v.IsString() @v.IsOptional() @Type(() => String) plain?: string": textOrNull,
  "@v.Min(3) inherited!: number": { type: "number", minimum: 3, maximum: 10 },
};

/** A property whose decorators deserve a word to the author, beside that word. */
const remarks: Readonly<Record<string, RegExp>> = {
  "@v.Min(Math.max(1, 2)) computed!: number": /@Min is checked at run time but not told to the model: its arguments are not known/,
  '@v.Min(1, { groups: ["x"] }) grouped!: number':
    /@Min is checked at run time but not told to the model: it is for some validation groups/,
  "@v.ValidateIf(() => true) sometimes!: string": /condition of @ValidateIf is known only at run time/,
  "@Short() own!: string": /does not know the decorator @Short/,
  "@Expose({ name: 'b' }) renamed!: string": /@Expose of class-transformer may change/,
  "@v.IsString() wrongKind!: number": /@IsString accepts only a string, which the type is not/,
  "@v.IsInt() wrongItems!: number[]": /@IsInt accepts only a number.*/,
  "@v.Min(1) nullDefault: number | null = 3": /null of its own, so the model cannot ask for the default/,
};

const titles = Object.keys(properties);
const remarkTitles = Object.keys(remarks);
const nameIn = (title: string): string => /(\w+)(?:[!?]?:| =)/.exec(title.replaceAll(/\([^()]*(?:\([^()]*\))?[^()]*\)/g, ""))?.[1] ?? "";

const compiled = await compileCases({
  all: {
    types: `import { Expose } from "class-transformer";
      const limits = { most: 9, prefix: "ab", codes: ["z", "a"] } as const;
      enum Level { Low = "lo", High = "hi" }
      const Short = () => v.MaxLength(2);
      export class Parent { @v.Max(10) inherited!: number; }
      export class Checked extends Parent {\n${[...titles, ...remarkTitles].map((title) => `${title};`).join("\n")}\n}`,
    method: "run(checked: Checked): void {}",
  },
});
const { tool, problems, warnings } = compiled.all;

describe("class-validator's decorators in the schema", () => {
  test("nothing is refused, and the schema is strict", () => {
    expect(problems).toEqual([]);
    if (tool !== undefined) expectStrict(tool.parameters);
    expect(tool?.decode?.dto).toBe("Checked");
  });

  test.each(titles)("%s", (title) => {
    expect(tool?.parameters.properties[nameIn(title)]).toEqual(properties[title]);
  });

  test.each(remarkTitles)("a remark on %s", (title) => {
    const name = nameIn(title);
    expect(tool?.parameters.properties).toHaveProperty(name);
    const reasons = warnings.filter(({ subject }) => subject === `Case0.run(checked).${name}`).map(({ reason }) => reason);
    expect(reasons.some((reason) => remarks[title]?.test(reason))).toBe(true);
  });

  test("a plain number is not restricted by what is only remarked on", () => {
    expect(tool?.parameters.properties["computed"]).toEqual(number);
  });
});
