import "reflect-metadata";
import { Expose, Transform, Type } from "class-transformer";
import {
  ArrayMinSize,
  IsDefined,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  Matches,
  Min,
  registerDecorator,
  ValidateIf,
  ValidateNested,
} from "class-validator";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../contracts/json.js";
import type { DecodePlan, ObjectSchema, SchemaNode } from "../contracts/schema.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { argumentChecker } from "./argument-checker.js";
import { createDecoder } from "./decode-arguments.js";
import type { DtoClass } from "./make-instances.js";

function object(properties: Record<string, SchemaNode>): ObjectSchema {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}
const string = { type: "string" } as const;
const integer = { type: "integer" } as const;
const optionalInteger = { type: ["integer", "null"] } as const;
const list = (items: SchemaNode): SchemaNode => ({ type: "array", items });

async function decode(schema: ObjectSchema, plan: DecodePlan | undefined, classes: Record<string, DtoClass>, value: unknown) {
  const checker = argumentChecker(schema, plan, classes);
  const checked = checker.check(value);
  if (!checked.ok) throw new Error(JSON.stringify(checked.issues));
  return checker.decode(checked.arguments);
}

async function decoded<T>(...parameters: Parameters<typeof decode>): Promise<T> {
  const result = await decode(...parameters);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value as T;
}

describe("without classes", () => {
  it("gives a fresh, mutable copy at once", () => {
    const schema = object({ tags: list(string), inner: object({ a: string }) });
    const { check, decode: now } = argumentChecker(schema, undefined, {});
    const checked = check({ tags: ["b", "a"], inner: { a: "x" } });
    if (!checked.ok) throw new Error("refused");
    const result = now(checked.arguments);
    if (result instanceof Promise || !result.ok) throw new Error("not at once");
    const value = result.value as { tags: string[]; inner: { a?: string } };
    value.tags.sort();
    delete value.inner.a;
    expect(value).toStrictEqual({ tags: ["a", "b"], inner: {} });
    expect(checked.arguments).toStrictEqual({ tags: ["b", "a"], inner: { a: "x" } });
  });

  it("makes Dates of date-times, at every depth, whatever their RFC 3339 form", async () => {
    const at = { type: "string", format: "date-time" } as const;
    const schema = object({
      at,
      all: list(at),
      maybe: { anyOf: [at, { type: "null" }] },
      nullable: { type: ["string", "null"], format: "date-time" },
    });
    const plan: DecodePlan = {
      properties: {
        at: { date: true },
        all: { items: { date: true } },
        maybe: { anyOf: [{ date: true }, null] },
        nullable: { date: true },
      },
    };
    const value = {
      at: "2024-05-01t10:00:00z",
      all: ["2024-05-01 10:00:00.5+02:00", "2024-05-01T10:00:00.123456789-0030", "2024-05-01T10:00:00+02"],
      maybe: null,
      nullable: null,
    };
    const result = await decoded<{ at: Date; all: Date[]; maybe: null; nullable: null }>(schema, plan, {}, value);
    expect(result.at).toEqual(new Date("2024-05-01T10:00:00.000Z"));
    expect(result.all.map((date) => date.toISOString())).toEqual([
      "2024-05-01T08:00:00.500Z",
      "2024-05-01T10:30:00.123Z",
      "2024-05-01T08:00:00.000Z",
    ]);
    expect([result.maybe, result.nullable]).toEqual([null, null]);
  });

  it("refuses a leap second for a Date, with its place", async () => {
    const schema = object({ all: list({ type: "string", format: "date-time" }) });
    const result = await decode(schema, { properties: { all: { items: { date: true } } } }, {}, { all: ["2016-12-31T23:59:60Z"] });
    expect(result).toMatchObject({ ok: false, issues: [{ path: "all.0" }] });
  });

  it("finds the branch of a choice again", async () => {
    const schema = object({
      v: {
        anyOf: [
          object({ kind: { type: "string", enum: ["at"] }, at: { type: "string", format: "date-time" } }),
          object({ kind: { type: "string", enum: ["text"] }, at: string }),
        ],
      },
    });
    const plan: DecodePlan = { properties: { v: { anyOf: [{ properties: { at: { date: true } } }] } } };
    expect(await decoded(schema, plan, {}, { v: { kind: "at", at: "2024-05-01T10:00:00Z" } })).toEqual({
      v: { kind: "at", at: new Date("2024-05-01T10:00:00Z") },
    });
    expect(await decoded(schema, plan, {}, { v: { kind: "text", at: "2024-05-01T10:00:00Z" } })).toEqual({
      v: { kind: "text", at: "2024-05-01T10:00:00Z" },
    });
  });
});

class Line {
  @IsString() sku!: string;
  @IsInt() @Min(1) qty!: number;
  @IsString() note?: string;
}
class Order {
  @ValidateNested({ each: true }) lines!: Line[];
  @IsOptional() @IsInt() page?: number = 7;
  @IsInt() size?: number;
}
const lineSchema = object({ sku: string, qty: integer, note: { type: ["string", "null"] } });
const orderSchema = object({ lines: list(lineSchema), page: optionalInteger, size: optionalInteger });
const linePlan: DecodePlan = { dto: "Line", optional: ["note"] };
const orderPlan: DecodePlan = { dto: "Order", optional: ["page", "size"], properties: { lines: { items: linePlan } } };

describe("with DTO classes", () => {
  it("makes instances, nested ones without @Type, and leaves absent properties to their initialisers", async () => {
    const order = await decoded<Order>(
      orderSchema,
      orderPlan,
      { Order, Line },
      { lines: [{ sku: "a", qty: 1, note: null }], page: null, size: null },
    );
    expect(order).toBeInstanceOf(Order);
    expect(order.lines[0]).toBeInstanceOf(Line);
    expect(order.page).toBe(7);
    expect("size" in order).toBe(false);
    expect("note" in (order.lines[0] as Line)).toBe(false);
    expect(Object.getPrototypeOf(order)).toBe(Order.prototype);
  });

  it("reports a nested rule once, with its dotted path, though @ValidateNested covers it too", async () => {
    const result = await decode(
      orderSchema,
      orderPlan,
      { Order, Line },
      {
        lines: [
          { sku: "a", qty: 1 },
          { sku: "b", qty: 0 },
        ],
      },
    );
    expect(result).toEqual({ ok: false, issues: [{ path: "lines.1.qty", expected: "qty must not be less than 1", received: "integer" }] });
  });

  it("validates a nested DTO without @ValidateNested, in a plain object in a DTO, and behind a reference", async () => {
    class Plain {
      lines!: Line[];
      box!: { line: Line };
    }
    const schema: ObjectSchema = {
      ...object({ lines: list({ $ref: "#/$defs/Line" }), box: object({ line: lineSchema }) }),
      $defs: { Line: lineSchema },
    };
    const plan: DecodePlan = {
      dto: "Plain",
      properties: { lines: { items: { ref: "Line" } }, box: { properties: { line: linePlan } } },
      defs: { Line: linePlan },
    };
    const result = await decode(schema, plan, { Plain, Line }, { lines: [{ sku: "a", qty: 0 }], box: { line: { sku: "a", qty: -1 } } });
    expect(result.ok ? [] : result.issues.map(({ path }) => path)).toEqual(["lines.0.qty", "box.line.qty"]);
    expect(
      (await decoded<Plain>(schema, plan, { Plain, Line }, { lines: [], box: { line: { sku: "a", qty: 1 } } })).box.line,
    ).toBeInstanceOf(Line);
  });

  it("makes DTOs that are arguments of their own, beside others", async () => {
    const schema = object({ order: { anyOf: [lineSchema, { type: "null" }] }, count: integer });
    const plan: DecodePlan = { optional: ["order"], properties: { order: { anyOf: [linePlan, null] } } };
    expect((await decoded<{ order: Line }>(schema, plan, { Line }, { order: { sku: "a", qty: 1 }, count: 1 })).order).toBeInstanceOf(Line);
    expect(await decoded(schema, plan, { Line }, { order: null, count: 1 })).toStrictEqual({ count: 1 });
  });

  it("takes the class of the branch that fits", async () => {
    class Card {
      kind!: "card";
    }
    class Cash {
      kind!: "cash";
    }
    const branch = (kind: string): SchemaNode => object({ kind: { type: "string", enum: [kind] } });
    const schema = object({ pay: list({ anyOf: [branch("card"), branch("cash")] }) });
    const plan: DecodePlan = { properties: { pay: { items: { anyOf: [{ dto: "Card" }, { dto: "Cash" }] } } } };
    const { pay } = await decoded<{ pay: unknown[] }>(schema, plan, { Card, Cash }, { pay: [{ kind: "cash" }, { kind: "card" }] });
    expect(pay.map((item) => (item as object).constructor)).toEqual([Cash, Card]);
  });

  it("applies @Transform once, with @Type and without", async () => {
    class Price {
      @Transform(({ value }) => (value as number) * 100) cents!: number;
    }
    class Typed {
      @Type(() => Price) price!: Price;
      other!: Price;
    }
    const price = object({ cents: integer });
    const schema = object({ price, other: price });
    const plan: DecodePlan = { dto: "Typed", properties: { price: { dto: "Price" }, other: { dto: "Price" } } };
    const result = await decoded<Typed>(schema, plan, { Typed, Price }, { price: { cents: 2 }, other: { cents: 3 } });
    expect([result.price, result.other]).toEqual([Object.assign(new Price(), { cents: 200 }), Object.assign(new Price(), { cents: 300 })]);
    expect(result.other).toBeInstanceOf(Price);
  });

  it("keeps initialisers of exposed properties", async () => {
    class Exposed {
      @Expose() page?: number = 3;
      @Expose({ name: "other_name" }) size!: number;
    }
    const result = await decoded<Exposed>(
      object({ page: optionalInteger, size: integer }),
      { dto: "Exposed", optional: ["page"] },
      { Exposed },
      { page: null, size: 1 },
    );
    expect(result).toEqual(Object.assign(new Exposed(), { page: 3, size: 1 }));
  });

  it("converts nothing implicitly", async () => {
    class Strict {
      @IsString() text!: string;
    }
    expect(await decoded<Strict>(object({ text: string }), { dto: "Strict" }, { Strict }, { text: "007" })).toEqual(
      Object.assign(new Strict(), { text: "007" }),
    );
  });

  it("leaves classes without rules, and plain objects inside classes, to the schema", async () => {
    class Bare {
      a!: string;
    }
    class Holder {
      @ValidateNested() bare!: Bare;
      @ValidateNested() plain!: { b: string };
    }
    const schema = object({ bare: object({ a: string }), plain: object({ b: string }) });
    const holder = await decoded<Holder>(
      schema,
      { dto: "Holder", properties: { bare: { dto: "Bare" } } },
      { Holder, Bare },
      { bare: { a: "x" }, plain: { b: "y" } },
    );
    expect(holder.bare).toBeInstanceOf(Bare);
    expect(holder.plain).toStrictEqual({ b: "y" });
  });

  it("holds an absent optional property against its rules only where the author says so", async () => {
    class Search {
      kind!: string;
      @IsInt() @Min(1) page?: number;
      @IsDefined() size?: number;
      @ValidateIf((search: Search) => search.kind === "deep") @IsNotEmpty() depth?: number;
    }
    const schema = object({ kind: string, page: optionalInteger, size: optionalInteger, depth: optionalInteger });
    const plan: DecodePlan = { dto: "Search", optional: ["page", "size", "depth"] };
    const issues = async (value: JsonObject): Promise<string[]> => {
      const result = await decode(schema, plan, { Search }, value);
      return result.ok ? [] : result.issues.map(({ path }) => path);
    };
    expect(await issues({ kind: "flat", page: null, size: 1, depth: null })).toEqual([]);
    expect(await issues({ kind: "deep", page: null, size: null, depth: null })).toEqual(["size", "depth"]);
    expect(await issues({ kind: "flat", page: 0, size: 1, depth: null })).toEqual(["page"]);
  });

  it("follows the conditions of an outer @ValidateNested", async () => {
    class Shipping {
      kind!: string;
      @ValidateIf((shipping: Shipping) => shipping.kind === "post") @ValidateNested() line!: Line;
    }
    const schema = object({ kind: string, line: lineSchema });
    const plan: DecodePlan = { dto: "Shipping", properties: { line: linePlan } };
    expect((await decode(schema, plan, { Shipping, Line }, { kind: "none", line: { sku: "a", qty: 0 } })).ok).toBe(true);
    expect((await decode(schema, plan, { Shipping, Line }, { kind: "post", line: { sku: "a", qty: 0 } })).ok).toBe(false);
  });

  it("waits for asynchronous rules, inherited ones included", async () => {
    class Base {
      name!: string;
    }
    registerDecorator({
      target: Base,
      propertyName: "name",
      name: "free",
      validator: { validate: async (value) => value !== "taken", defaultMessage: () => "name must be free" },
    });
    class Derived extends Base {
      @ArrayMinSize(1) tags!: string[];
    }
    const result = await decode(object({ name: string, tags: list(string) }), { dto: "Derived" }, { Derived }, { name: "taken", tags: [] });
    expect(result.ok ? [] : result.issues.map(({ path, expected }) => `${path}: ${expected}`)).toEqual([
      "tags: tags must contain at least 1 elements",
      "name: name must be free",
    ]);
  });

  it("does not repeat a value that a message quotes", async () => {
    class Quoting {
      @Matches(/^x/, { message: "$value is wrong" }) id!: string;
    }
    const result = await decode(object({ id: string }), { dto: "Quoting" }, { Quoting }, { id: "secret-7" });
    expect(result).toEqual({ ok: false, issues: [{ path: "id", expected: "… is wrong", received: "string" }] });
  });

  it("leaves alone what a @Transform of the outer class made of a nested object", async () => {
    class Shop {
      @Transform(({ value }) => (value as Line[]).map(({ sku }) => sku)) lines!: unknown;
    }
    const result = await decoded<Shop>(
      object({ lines: list(lineSchema) }),
      { dto: "Shop", properties: { lines: { items: linePlan } } },
      { Shop, Line },
      { lines: [{ sku: "a", qty: 0 }] },
    );
    expect(result.lines).toEqual(["a"]);
  });

  it("says what to do when a class can not be made", async () => {
    class Needy {
      constructor(options: { a: string }) {
        this.a = options.a;
      }
      a: string;
    }
    const failure = await decode(object({ a: string }), { dto: "Needy" }, { Needy }, { a: "x" }).catch((error: unknown) => error);
    expect(ToolwrightError.is(failure, "TOOL_DEFINITION")).toBe(true);
    expect((failure as Error).message).toMatch(/class Needy.*\nFix: Let its constructor work without arguments/s);
  });

  it("is refused at once when a class is not registered", () => {
    expect(() => createDecoder(orderSchema, orderPlan, { Order }, 'the tool "t"')).toThrow(
      'The class "Line" of the tool "t" was not registered.',
    );
    expect(() => createDecoder(object({ a: string }), { dto: "toString" }, {})).toThrow('The class "toString"');
  });
});
