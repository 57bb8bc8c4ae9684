import * as v from "class-validator";
import { Transform } from "class-transformer";
import { describe, expect, it } from "vitest";
import type { DecodePlan, Issue, ObjectSchema, SchemaNode } from "../contracts/schema.js";
import { argumentChecker } from "./argument-checker.js";
import type { DtoClass } from "./make-instances.js";

const string = { type: "string" } as const;
const integer = { type: "integer" } as const;
const list = (items: SchemaNode): SchemaNode => ({ type: "array", items });
const object = (properties: Record<string, SchemaNode>): ObjectSchema => {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
};

interface Case {
  readonly schema: ObjectSchema;
  readonly plan?: DecodePlan;
  readonly classes?: Record<string, DtoClass>;
}

async function issuesOf(Class: DtoClass, { schema, plan, classes }: Case, value: unknown): Promise<readonly Issue[]> {
  const { check, decode } = argumentChecker(schema, { dto: "Root", ...plan }, { Root: Class, ...classes });
  const checked = check(value);
  if (!checked.ok) throw new Error(JSON.stringify(checked.issues));
  const decoded = await decode(checked.arguments);
  return decoded.ok ? [] : decoded.issues;
}

/** What the rules of one property say of a value, within the time in which nobody thinks that it hangs. */
async function judge(decorators: readonly PropertyDecorator[], value: unknown, node: SchemaNode = string): Promise<readonly Issue[]> {
  class Dto {
    value!: unknown;
  }
  for (const decorator of decorators) decorator(Dto.prototype, "value");
  const start = performance.now();
  const issues = await issuesOf(Dto, { schema: object({ value: node }) }, { value });
  expect(performance.now() - start).toBeLessThan(5000);
  return issues;
}

const hostile = `${"a".repeat(50_000)}!`;

describe("expressions of @Matches", () => {
  it.each([
    [v.Matches(/^(a+)+$/i)],
    [v.Matches(/^(a+)+$/)],
    [v.Matches("^(a+)+$")],
    [v.Matches("^(a+)+$", "i")],
    [v.Matches("^(a+)+$", "i", {})],
    [v.Matches(/^(a|a)*$/s)],
    [v.Matches(/^(?=(a+)+$)/)],
    [v.Matches(/^(?!(a|b)*!$)/)],
    [v.Matches(/(?<=^(a+)+)$/u)],
    [v.Matches(/^(a+)+$/g)],
    [v.Matches(/(a+)+$/y)],
    [v.Matches(/^(a+)+$/v)],
  ])("are answered on a hostile text", async (decorator) => {
    expect(await judge([decorator], hostile)).toMatchObject([
      { path: "value", expected: expect.stringMatching(/^value must match/) as string, received: "string" },
    ]);
  });

  it("of many texts and rules have one budget", async () => {
    const texts = Array.from({ length: 200 }, () => hostile);
    const issues = await judge([v.Matches(/^(a+)+$/i, { each: true }), v.Length(1, 9, { each: true })], texts, list(string));
    expect(issues).toContainEqual({ path: "value", expected: 'fewer or shorter strings for the rule "matches"', received: "array" });
    expect(issues.map(({ expected }) => expected)).toContainEqual(expect.stringContaining("shorter than or equal to 9 characters"));
  });

  it("that only a backtracking engine can run have a longest text, which the issue names", async () => {
    const rule = v.Matches(/^(a+)+\1$/, { message: "value must be like $constraint1" });
    expect(await judge([rule], "aaaa")).toEqual([]);
    expect(await judge([rule], "!")).toMatchObject([{ expected: "value must be like /^(a+)+\\1$/" }]);
    expect(await judge([rule], hostile)).toEqual([
      { path: "value", expected: expect.stringMatching(/^at most \d+ characters for the rule "matches"$/) as string, received: "string" },
    ]);
  });

  it("are judged as before where they are harmless, with their messages", async () => {
    const password = v.Matches(/^(?=.*[A-Z])(?=.*\d)(?!.*\s).{8,}$/, { message: ({ property, value }) => `${property}: ${typeof value}` });
    expect(await judge([password], "Passw0rds")).toEqual([]);
    expect(await judge([password], "password")).toEqual([{ path: "value", expected: "value: string", received: "string" }]);
    expect(await judge([v.Matches(/^ABC$/i)], "abc")).toEqual([]);
    expect(await judge([v.Matches(/^a.b$/s)], "a\nb")).toEqual([]);
    expect(await judge([v.Matches(/^(['"]).*\1$/)], `"${"x".repeat(5000)}"`)).toEqual([]);
    expect(await judge([v.Matches(/^\d+$/g), v.Matches(/^\d+$/g)], "12")).toEqual([]);
    expect(await judge([v.Matches(/^x/, { groups: ["other"] })], "a")).toHaveLength(1);
    expect(await judge([v.Matches(/^x/, { validateIf: (_, value) => value !== "a" })], "a")).toEqual([]);
    expect(await judge([v.Matches(/^x/i, { each: true })], ["X", "xy"], list(string))).toEqual([]);
    expect(await judge([v.Matches(/^x/i, { each: true })], ["X", "y"], list(string))).toMatchObject([{ path: "value" }]);
    expect(await judge([v.ValidateIf(() => false), v.Matches(/^(a+)+$/i)], hostile)).toEqual([]);
  });

  it("of collections that a @Transform made are bounded too", async () => {
    class Collections {
      @Transform(({ value }) => new Set(value as string[])) @v.Matches(/^(a+)+$/i, { each: true }) set!: Set<string>;
      @Transform(({ value }) => new Map((value as string[]).map((item) => [item, item]))) @v.Matches(/^(a+)+$/i, { each: true }) map!: Map<
        string,
        string
      >;
    }
    const issues = await issuesOf(
      Collections,
      { schema: object({ set: list(string), map: list(string) }) },
      { set: [hostile], map: ["aa", hostile] },
    );
    expect(issues.map(({ path }) => path)).toEqual(["set", "map"]);
  });

  it("of nested classes are bounded too", async () => {
    class Line {
      @v.Matches(/^(a+)+$/i) sku!: string;
    }
    class Order {
      @v.ValidateNested({ each: true }) lines!: Line[];
      other!: Line;
    }
    const line = object({ sku: string });
    const plan = { properties: { lines: { items: { dto: "Line" } }, other: { dto: "Line" } } };
    const value = { lines: [{ sku: "AA" }, { sku: hostile }], other: { sku: hostile } };
    const issues = await issuesOf(Order, { schema: object({ lines: list(line), other: line }), plan, classes: { Line } }, value);
    expect(issues.map(({ path }) => path)).toEqual(["lines.1.sku", "other.sku"]);
  });

  it("in the options of @IsUrl and @IsEmail are bounded, and refuse what they can not judge", async () => {
    const host = `${"a".repeat(60)}.${"a".repeat(60)}.com`;
    expect(await judge([v.IsUrl({ host_whitelist: [/^([a.]+)+!$/i] })], `https://${host}/`)).toHaveLength(1);
    expect(await judge([v.IsUrl({ host_whitelist: [/^([a.]+)+com$/i] })], `https://${host}/`)).toEqual([]);
    expect(await judge([v.IsUrl({ host_blacklist: [/^([a.]+)+\1!$/i] })], `https://${host}/`)).toMatchObject([
      { expected: expect.stringContaining('for the rule "isUrl"') as string },
    ]);
    expect(await judge([v.IsEmail({ host_blacklist: [/^([a.]+)+com$/i] })], `me@${host}`)).toHaveLength(1);
    expect(await judge([v.IsEmail({ host_blacklist: ["other.com"] })], `me@${host}`)).toEqual([]);
  });
});

describe("class-validator's own rules", () => {
  const rules: Record<string, PropertyDecorator> = {
    ...Object.fromEntries(
      // Those that take no argument, or whose options may be left out.
      Object.entries(v)
        .filter(
          ([name, make]) =>
            /^Is[A-Z0-9]/.test(name) &&
            typeof make === "function" &&
            !/^Is(?:Enum|In|NotIn|Instance|Hash|DivisibleBy|Optional|Defined)$/.test(name),
        )
        .map(([name, make]) => [name, (make as () => PropertyDecorator)()]),
    ),
    IsIdentityCard: v.IsIdentityCard("ES"),
    IsPassportNumber: v.IsPassportNumber("GB"),
    IsPostalCode: v.IsPostalCode("any"),
    Contains: v.Contains("aab"),
    Equals: v.Equals("a"),
    IsIn: v.IsIn(["a"]),
    Length: v.Length(1, 5),
    IsHash: v.IsHash("sha256"),
  };
  const fill = (unit: string): string => unit.repeat(Math.ceil(1_000_000 / unit.length)).slice(0, 1_000_000);
  const texts = ["a", "1", "-", ".", "a.", "a@", "1,", ":", "ab:", "<", '"', "%20", " ", "😀", "[", "=;"].map(fill);
  const starts = [
    "http://",
    "a@",
    "data:",
    "magnet:?xt=urn:",
    "1.0.0-",
    "hsl(",
    "rgb(",
    "$",
    "+1",
    "2020-01-01T00:00:00.",
    "text/plain;",
    '"',
    "{",
  ];

  it("are there", () => {
    expect(Object.keys(rules).length).toBeGreaterThan(70);
  });

  it.each(Object.entries(rules))("%s answers a text of a million characters", async (_, decorator) => {
    const hostileTexts = [...texts, ...starts.map((start) => `${start}${texts[1]}!`)];
    for (const text of hostileTexts) expect((await judge([decorator], text)).length).toBeLessThan(2);
  });
});

describe("nested classes", () => {
  class Line {
    @v.IsInt() @v.Min(1) qty!: number;
  }
  class Order {
    @v.ValidateNested({ each: true }) lines!: Line[];
  }
  const nested: Case = {
    schema: object({ lines: list(object({ qty: integer })) }),
    plan: { properties: { lines: { items: { dto: "Line" } } } },
    classes: { Line },
  };

  it("of two hundred thousand wrong elements give twenty issues, without an error for each", async () => {
    const { check, decode } = argumentChecker(nested.schema, { dto: "Root", ...nested.plan }, { Root: Order, Line });
    const checked = check({ lines: Array.from({ length: 200_000 }, () => ({ qty: 0 })) });
    if (!checked.ok) throw new Error("refused");
    const start = performance.now();
    const before = process.memoryUsage().heapUsed;
    const decoded = await decode(checked.arguments);
    // The instances are a third of it; an error for each was six times as much.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(250_000_000);
    expect(performance.now() - start).toBeLessThan(10_000);
    expect(decoded.ok ? [] : decoded.issues.map(({ path }) => path)).toEqual(
      Array.from({ length: 20 }, (_, index) => `lines.${index}.qty`),
    );
  });

  it("of a hundred thousand right elements are all looked at", async () => {
    const lines = Array.from({ length: 100_000 }, (_, index) => ({ qty: index === 99_999 ? 0 : 1 }));
    expect(await issuesOf(Order, nested, { lines })).toMatchObject([{ path: "lines.99999.qty" }]);
  });

  it("in sets, maps and lists of lists are found, by index or key", async () => {
    class Collections {
      @Transform(({ value }) => new Set(make(value as Line[]))) @v.ValidateNested() set!: unknown;
      @Transform(({ value }) => new Map(make(value as Line[]).map((line) => [`k${line.qty}`, line]))) @v.ValidateNested() map!: unknown;
      @Transform(({ value }) => [make(value as Line[])]) @v.ValidateNested({ each: true }) lists!: unknown;
    }
    const make = (plain: readonly Line[]): Line[] => plain.map((each) => Object.assign(new Line(), each));
    const lines = list(object({ qty: integer }));
    const value = [{ qty: 1 }, { qty: 0 }];
    const issues = await issuesOf(
      Collections,
      { schema: object({ set: lines, map: lines, lists: lines }) },
      { set: value, map: value, lists: value },
    );
    expect(issues.map(({ path }) => path)).toEqual(["set.1.qty", "map.k0.qty", "lists.0.1.qty"]);
  });

  it("that are none are refused in the words of the decorator", async () => {
    class Tagged {
      @v.ValidateNested({ each: true }) tags!: string[];
      @v.ValidateNested({ message: "$property is no class" }) name!: string;
    }
    expect(await issuesOf(Tagged, { schema: object({ tags: list(string), name: string }) }, { tags: ["a"], name: "b" })).toEqual([
      { path: "tags", expected: "each value in nested property tags must be either object or array", received: "array" },
      { path: "name", expected: "name is no class", received: "string" },
    ]);
  });

  it("are validated though a property is called constructor", async () => {
    class Odd {
      @v.MinLength(3) a!: string;
    }
    const issues = await issuesOf(Odd, { schema: object({ constructor: string, a: string }) }, { constructor: "x", a: "b" });
    expect(issues).toMatchObject([{ path: "a" }]);
  });
});

describe("what others do with class-validator", () => {
  it("stays as it is, while and after the kernel validates", async () => {
    class Inner {
      @v.Matches(/^x/) a = "y";
      @v.ValidateNested() self?: Inner;
    }
    const outside: unknown[] = [];
    const storage = v.getMetadataStorage();
    const asking = v.ValidateBy({
      name: "asking",
      validator: {
        async validate() {
          outside.push(v.getMetadataStorage() === storage);
          const errors = await v.validate(Object.assign(new Inner(), { self: new Inner() }));
          outside.push(
            v.getMetadataStorage() === storage,
            errors.map(({ property, children }) => [property, children?.length]),
          );
          return false;
        },
      },
    });
    expect(await judge([asking], "a")).toHaveLength(1);
    expect(outside).toEqual([
      true,
      true,
      [
        ["a", 0],
        ["self", 1],
      ],
    ]);
    expect(v.getMetadataStorage()).toBe(storage);
  });

  it("is not disturbed by a constraint that throws", async () => {
    const storage = v.getMetadataStorage();
    const failing = v.ValidateBy({
      name: "failing",
      validator: {
        validate: () => {
          throw new RangeError("no");
        },
      },
    });
    await expect(judge([failing], "a")).rejects.toThrow(new RangeError("no"));
    expect(v.getMetadataStorage()).toBe(storage);
  });

  it("runs as it was written: rules of the author's own see their own constraints", async () => {
    const seen: unknown[] = [];
    const expression = /^(?<first>a)/;
    const own = v.ValidateBy({
      name: "own",
      constraints: [expression],
      validator: {
        validate(value, given) {
          const [mine] = given?.constraints ?? [];
          return seen.push(mine, (mine as RegExp).exec(value as string)?.groups?.["first"]) > 0;
        },
      },
    });
    expect(await judge([own], "ab")).toEqual([]);
    expect(seen).toEqual([expression, "a"]);
  });
});
