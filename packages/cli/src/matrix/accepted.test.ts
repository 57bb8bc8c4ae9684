import type { DecodePlan, ObjectSchema } from "@toolwright/core";
import { describe, expect, test } from "vitest";
import { type Case, compileCases } from "../../test-support/compile-cases.js";
import { expectStrict } from "../../test-support/expect-strict.js";
import { closed, number, numberOrNull, orNull, reference, text, textOrNull } from "../../test-support/schema-forms.js";

interface Accepted extends Case {
  readonly parameters: ObjectSchema;
  readonly decode?: DecodePlan | undefined;
}

/** What an author may write, beside the schema that the model gets. */
const accepted: Readonly<Record<string, Accepted>> = {
  "no parameters": {
    method: "run(): void {}",
    parameters: closed({}),
  },
  "the context is no argument, wherever it stands": {
    method: "run(context: ToolContext<{ user: string }>, name: string): void {}",
    parameters: closed({ name: text }),
  },
  primitives: {
    method: "run(a: string, b: number, c: boolean, d: null): void {}",
    parameters: closed({ a: text, b: number, c: { type: "boolean" }, d: { type: "null" } }),
  },
  "one literal": {
    method: 'run(a: "x", b: 1, c: true): void {}',
    parameters: closed({ a: { type: "string", enum: ["x"] }, b: { type: "number", enum: [1] }, c: { type: "boolean", enum: [true] } }),
  },
  "literal unions keep the order in which they were written": {
    types: 'type Unit = "metric" | "imperial";',
    method: 'run(a: "b" | "a", b: 10 | 2 | 1, c: Unit): void {}',
    parameters: closed({
      a: { type: "string", enum: ["b", "a"] },
      b: { type: "number", enum: [10, 2, 1] },
      c: { type: "string", enum: ["metric", "imperial"] },
    }),
  },
  "literals of several types": {
    method: 'run(a: "auto" | 1 | true, b: string): void {}',
    parameters: closed({ a: { type: ["string", "number", "boolean"], enum: ["auto", 1, true] }, b: text }),
  },
  "a literal that a primitive covers": {
    method: 'run(a: "red" | "green" | (string & {})): void {}',
    parameters: closed({ a: text }),
  },
  "keys, elements and exclusions as literals": {
    types: 'interface Sizes { zeta: string; alpha: number } const codes = ["z", "a", "m"] as const; type Code = (typeof codes)[number];',
    method: 'run(a: keyof Sizes, b: Code, c: Exclude<Code, "a">): void {}',
    parameters: closed({
      a: { type: "string", enum: ["zeta", "alpha"] },
      b: { type: "string", enum: ["z", "a", "m"] },
      c: { type: "string", enum: ["z", "m"] },
    }),
  },
  "unions of primitives": {
    method: "run(a: string | number, b: number | null, c: string | boolean | null): void {}",
    parameters: closed({ a: { anyOf: [text, number] }, b: numberOrNull, c: { anyOf: [text, { type: "boolean" }, { type: "null" }] } }),
  },
  "numeric, string, mixed and const enums": {
    types: `enum Color { Red, Green = 5 }
      enum Level { High = "high", Low = "low" }
      enum Mixed { One = 1, Two = "two" }
      const enum Size { Large = "l", Small = "s" }`,
    method: "run(a: Color, b: Level, c: Mixed, d: Size, e: Level.Low, f: Color.Red | Color.Green | null): void {}",
    parameters: closed({
      a: { type: "number", enum: [0, 5] },
      b: { type: "string", enum: ["high", "low"] },
      c: { type: ["number", "string"], enum: [1, "two"] },
      d: { type: "string", enum: ["l", "s"] },
      e: { type: "string", enum: ["low"] },
      f: { type: ["number", "null"], enum: [0, 5, null] },
    }),
  },
  "optional and default parameters": {
    method: 'run(a?: string, b = 3, c: "x" | "y" = "y", d: number | undefined = -1.5): void {}',
    parameters: closed({
      a: textOrNull,
      b: { ...numberOrNull, description: "Default: 3." },
      c: { type: ["string", "null"], description: 'Default: "y".', enum: ["x", "y", null] },
      d: { ...numberOrNull, description: "Default: -1.5." },
    }),
    decode: { optional: ["a", "b", "c", "d"] },
  },
  "a default that is not constant is not shown": {
    types: 'const secret = (): string => "s3cret";',
    method: "run(a: string = secret(), b: number): void {}",
    parameters: closed({ a: { ...textOrNull, description: "Has a default." }, b: number }),
    decode: { optional: ["a"] },
  },
  "a declared null stays null": {
    types: "interface Nulls { a?: string | null; b: string | undefined; c: (string | null)[]; d: string | null }",
    method: "run(nulls: Nulls): void {}",
    parameters: closed({ a: textOrNull, b: textOrNull, c: { type: "array", items: textOrNull }, d: textOrNull }),
    decode: { optional: ["b"] },
  },
  "members that can only be undefined are no properties": {
    types: "interface Exclusive { a: string; b?: undefined; c?: never }",
    method: "run(exclusive: Exclusive): void {}",
    parameters: closed({ a: text }),
  },
  arrays: {
    method: 'run(a: string[], b: readonly number[][], c: Array<"x" | "a">, d?: ReadonlyArray<boolean | null>): void {}',
    parameters: closed({
      a: { type: "array", items: text },
      b: { type: "array", items: { type: "array", items: number } },
      c: { type: "array", items: { type: "string", enum: ["x", "a"] } },
      d: { type: ["array", "null"], items: { type: ["boolean", "null"] } },
    }),
    decode: { optional: ["d"] },
  },
  "a tuple of one type": {
    method: "run(span: [number, number], names: readonly [first: string, last: string] | null): void {}",
    parameters: closed({
      span: { type: "array", minItems: 2, maxItems: 2, items: number },
      names: { type: ["array", "null"], minItems: 2, maxItems: 2, items: text },
    }),
  },
  "an interface as the only parameter is the arguments": {
    types: `interface Search {
      /** What to look for. */
      term: string;
      where?: { city?: string };
    }`,
    method: "run(search: Search, context: ToolContext): void {}",
    parameters: closed({ term: { type: "string", description: "What to look for." }, where: orNull(closed({ city: textOrNull })) }),
    decode: { optional: ["where"], properties: { where: { anyOf: [{ optional: ["city"] }, null] } } },
  },
  "an object that may be absent is an argument": {
    types: "interface Filter { city: string }",
    method: "run(filter?: Filter): void {}",
    parameters: closed({ filter: orNull(closed({ city: text })) }),
    decode: { optional: ["filter"] },
  },
  "a type used twice is a definition": {
    types: `/** A place. */ interface Place { city: string }`,
    method: "run(from: Place, to: Place): void {}",
    parameters: closed(
      { from: reference("Place"), to: reference("Place") },
      { $defs: { Place: closed({ city: text }, { description: "A place." }) } },
    ),
  },
  "inherited and nested interfaces": {
    types: "interface Base { id: number } interface Child extends Base { list: { deep: { x: string }[] }[] }",
    method: "run(child: Child): void {}",
    parameters: closed({ list: { type: "array", items: closed({ deep: { type: "array", items: closed({ x: text }) } }) }, id: number }),
  },
  "generics with their arguments": {
    types: "interface Box<T> { value: T } interface Pair<A, B = A> { first: A; second: B }",
    method: "run(a: Box<string>, b: Pair<number>, c: Box<Box<boolean>[]>): void {}",
    parameters: closed({
      a: closed({ value: text }),
      b: closed({ first: number, second: number }),
      c: closed({ value: { type: "array", items: closed({ value: { type: "boolean" } }) } }),
    }),
  },
  "mapped types, in the order of the type they are made from": {
    types: "interface User { id: number; name: string; email?: string }",
    method: 'run(a: Partial<User>, b: Pick<User, "name" | "id">, c: Omit<User, "name">, d: Required<User>, e: Readonly<User>): void {}',
    parameters: closed({
      a: closed({ id: numberOrNull, name: textOrNull, email: textOrNull }),
      b: closed({ id: number, name: text }),
      c: closed({ id: number, email: textOrNull }),
      d: closed({ id: number, name: text, email: text }),
      e: closed({ id: number, name: text, email: textOrNull }),
    }),
    decode: { properties: { a: { optional: ["id", "name", "email"] }, c: { optional: ["email"] }, e: { optional: ["email"] } } },
  },
  "a record of named keys": {
    types: 'type Side = "left" | "right"; enum Axis { Y = "y", X = "x" }',
    method: 'run(a: Record<"b" | "a", number>, b: Record<Side, string>, c: Record<Axis, boolean>): void {}',
    parameters: closed({
      a: closed({ b: number, a: number }),
      b: closed({ left: text, right: text }),
      c: closed({ y: { type: "boolean" }, x: { type: "boolean" } }),
    }),
  },
  "conditional and inferred types": {
    types: `type Item<T> = T extends readonly (infer One)[] ? One : never; const defaults = { retries: 3, name: "x" };`,
    method: "run(a: Item<{ id: string }[]>, b: NonNullable<string | null>, c: typeof defaults): void {}",
    parameters: closed({ a: closed({ id: text }), b: text, c: closed({ retries: number, name: text }) }),
  },
  "a tree": {
    types: "interface Tree { label: string; children: Tree[]; parent?: Tree }",
    method: "run(name: string, tree: Tree): void {}",
    parameters: closed(
      { name: text, tree: reference("Tree") },
      {
        $defs: { Tree: closed({ label: text, children: { type: "array", items: reference("Tree") }, parent: orNull(reference("Tree")) }) },
      },
    ),
    decode: {
      properties: { tree: { ref: "Tree" } },
      defs: {
        Tree: { optional: ["parent"], properties: { children: { items: { ref: "Tree" } }, parent: { anyOf: [{ ref: "Tree" }, null] } } },
      },
    },
  },
  "recursion through two interfaces": {
    types: "interface Folder { files: File1[] } interface File1 { name: string; attached?: Folder }",
    method: "run(folder: Folder, name: string): void {}",
    parameters: closed(
      { folder: reference("Folder"), name: text },
      { $defs: { Folder: closed({ files: { type: "array", items: closed({ name: text, attached: orNull(reference("Folder")) }) } }) } },
    ),
    decode: {
      properties: { folder: { ref: "Folder" } },
      defs: {
        Folder: {
          properties: { files: { items: { optional: ["attached"], properties: { attached: { anyOf: [{ ref: "Folder" }, null] } } } } },
        },
      },
    },
  },
  "a union that contains itself": {
    types: "type Nested = string | Nested[] | { value: Nested };",
    method: "run(nested: Nested, name: string): void {}",
    parameters: closed(
      { nested: reference("Nested"), name: text },
      {
        $defs: { Nested: { anyOf: [text, { type: "array", items: reference("Nested") }, closed({ value: reference("Nested") })] } },
      },
    ),
  },
  "a generic tree has a plain name": {
    types: "interface Node1<T> { value: T; next?: Node1<T> }",
    method: "run(list: Node1<string>, name: string): void {}",
    parameters: closed(
      { list: reference("Node1_string"), name: text },
      { $defs: { Node1_string: closed({ value: text, next: orNull(reference("Node1_string")) }) } },
    ),
    decode: {
      properties: { list: { ref: "Node1_string" } },
      defs: { Node1_string: { optional: ["next"], properties: { next: { anyOf: [{ ref: "Node1_string" }, null] } } } },
    },
  },
  dates: {
    types: "interface Span { from: Date; to?: Date; all: Date[]; or: Date | null; seconds: Date | number }",
    method: "run(span: Span, at: Date): void {}",
    parameters: closed({
      span: closed({
        from: { type: "string", format: "date-time" },
        to: { type: ["string", "null"], format: "date-time" },
        all: { type: "array", items: { type: "string", format: "date-time" } },
        or: { type: ["string", "null"], format: "date-time" },
        seconds: { anyOf: [number, { type: "string", format: "date-time" }] },
      }),
      at: { type: "string", format: "date-time" },
    }),
    decode: {
      properties: {
        span: {
          optional: ["to"],
          properties: {
            from: { date: true },
            to: { date: true },
            all: { items: { date: true } },
            or: { date: true },
            seconds: { anyOf: [null, { date: true }] },
          },
        },
        at: { date: true },
      },
    },
  },
  "branded primitives are primitives": {
    types: `type OrderId = string & { readonly __brand: "OrderId" };
      declare const unit: unique symbol;
      type Cents = number & { readonly [unit]: "cents" };`,
    method: "run(a: OrderId, b: Cents[], c?: OrderId | null, d?: OrderId): void {}",
    parameters: closed({ a: text, b: { type: "array", items: number }, c: textOrNull, d: textOrNull }),
    decode: { optional: ["d"] },
  },
  "a template of strings is a pattern": {
    method: "run(id: `id-${string}`, path: `${string}/${string}.ts`): void {}",
    parameters: closed({
      id: { type: "string", pattern: String.raw`^id-[\s\S]*$` },
      path: { type: "string", pattern: String.raw`^[\s\S]*\/[\s\S]*\.ts$` },
    }),
  },
  "an intersection of objects that agree": {
    types: "interface HasHref { href: string; id?: string } interface Templated { templated?: boolean; id: string }",
    method: "run(link: HasHref & Templated): void {}",
    parameters: closed({ href: text, id: text, templated: { type: ["boolean", "null"] } }),
    decode: { optional: ["templated"] },
  },
  "an intersection with a union": {
    types:
      'interface ByMail { by: "mail"; address: string } interface ByPhone { by: "phone"; number: string } interface Urgent { urgent: boolean }',
    method: "run(way: (ByMail | ByPhone) & Urgent): void {}",
    parameters: closed({
      way: {
        anyOf: [
          closed({ by: { type: "string", enum: ["mail"] }, address: text, urgent: { type: "boolean" } }),
          closed({ by: { type: "string", enum: ["phone"] }, number: text, urgent: { type: "boolean" } }),
        ],
      },
    }),
  },
  "a union of objects has its discriminator first": {
    types: 'interface Circle { radius: number; kind: "circle" } interface Square { side: number; kind: "square" }',
    method: "run(shape: Circle | Square): void {}",
    parameters: closed({
      shape: {
        anyOf: [
          closed({ kind: { type: "string", enum: ["circle"] }, radius: number }),
          closed({ kind: { type: "string", enum: ["square"] }, side: number }),
        ],
      },
    }),
  },
  "a union of objects without a discriminator begins with different keys": {
    types: "interface ById { name?: string; id: number } interface ByCode { name?: string; code: string }",
    method: "run(search: ById | ByCode | null): void {}",
    parameters: closed({
      search: { anyOf: [closed({ id: number, name: textOrNull }), closed({ name: textOrNull, code: text }), { type: "null" }] },
    }),
    decode: { properties: { search: { anyOf: [{ optional: ["name"] }, { optional: ["name"] }, null] } } },
  },
  "a union of classes": {
    types: `export class CircleShape { readonly kind = "circle"; radius!: number }
      export class SquareShape { kind = "square" as const; side!: number; note?: string }`,
    method: "run(shapes: (CircleShape | SquareShape)[]): void {}",
    parameters: closed({
      shapes: {
        type: "array",
        items: {
          anyOf: [
            closed({ kind: { type: "string", enum: ["circle"] }, radius: number }),
            closed({ kind: { type: "string", enum: ["square"] }, side: number, note: textOrNull }),
          ],
        },
      },
    }),
    decode: { properties: { shapes: { items: { anyOf: [{ dto: "CircleShape" }, { optional: ["note"], dto: "SquareShape" }] } } } },
  },
  "arrays of different types, an object or its id": {
    types: "interface Tag { name: string }",
    method: "run(a: string[] | number[], b: Tag | string | null): void {}",
    parameters: closed({
      a: {
        anyOf: [
          { type: "array", items: text },
          { type: "array", items: number },
        ],
      },
      b: { anyOf: [text, closed({ name: text }), { type: "null" }] },
    }),
  },
  "a class gives its public, writable data": {
    types: `export class Base1 { /** Its id. */ id!: string; protected hidden = "no"; }
      export class Sub1 extends Base1 {
        static kind = "static";
        #cache = "no";
        private secret = "no";
        readonly tags: string[] = [];
        limit = 10;
        constructor(private injected?: string) { super(); }
        get label(): string { return this.#cache + this.secret + this.injected; }
        set title(value: string) { this.hidden = value; }
        describe(): string { return this.label; }
        arrow = (): string => this.hidden;
      }`,
    method: "run(sub: Sub1): void {}",
    parameters: closed({
      tags: { type: ["array", "null"], description: "Default: [].", items: text },
      limit: { ...numberOrNull, description: "Default: 10." },
      id: { type: "string", description: "Its id." },
    }),
    decode: { optional: ["tags", "limit"], dto: "Sub1" },
  },
  "classes in classes": {
    types: "export class Line1 { sku!: string; count = 1 } export class Order1 { lines!: Line1[]; first?: Line1 }",
    method: "run(order: Order1): void {}",
    parameters: closed(
      { lines: { type: "array", items: reference("Line1") }, first: orNull(reference("Line1")) },
      { $defs: { Line1: closed({ sku: text, count: { ...numberOrNull, description: "Default: 1." } }) } },
    ),
    decode: {
      optional: ["first"],
      dto: "Order1",
      properties: { lines: { items: { ref: "Line1" } }, first: { anyOf: [{ ref: "Line1" }, null] } },
      defs: { Line1: { optional: ["count"], dto: "Line1" } },
    },
  },
  "a part of a class is a plain object": {
    types: "export class Account { id!: string; email = 'none'; method(): void {} get short(): string { return this.id; } }",
    method: "run(account: Partial<Account>): void {}",
    parameters: closed({ id: textOrNull, email: textOrNull }),
    decode: { optional: ["id", "email"] },
  },
  "a mapped type keeps the rules of the class that it is made from": {
    types: "export class Rated { @v.IsOptional() @v.Min(1) stars?: number; @v.MaxLength(3) code!: string }",
    method: "run(rated: Required<Rated>): void {}",
    parameters: closed({
      stars: { type: "number", minimum: 1 },
      code: { type: "string", description: "At most 3 characters.", pattern: String.raw`^[\s\S]{0,3}$` },
    }),
  },
  "a generic class with its argument": {
    types: "export class Page1<T> { items!: T[]; size = 20 }",
    method: "run(page: Page1<number>): void {}",
    parameters: closed({ items: { type: "array", items: number }, size: { ...numberOrNull, description: "Default: 20." } }),
    decode: { optional: ["size"], dto: "Page1" },
  },
  "doc tags restrict": {
    types: `interface Person {
      /**
       * Age in years.
       * @minimum 0
       * @maximum 150
       */
      age: number;
      /** @pattern ^[a-z]+$ */
      slug: string;
      /** @format email */
      mail: string;
      /** @format uri */
      page: string;
      /**
       * @minItems 1
       * @uniqueItems true
       */
      tags: string[];
      /** @maxLength 20 */
      nick?: string;
      /** @default 5 */
      rank?: number;
    }`,
    method: "run(person: Person): void {}",
    parameters: closed({
      age: { type: "number", description: "Age in years.", minimum: 0, maximum: 150 },
      slug: { type: "string", pattern: "^[a-z]+$" },
      mail: { type: "string", format: "email" },
      page: { type: "string", description: "Format: uri." },
      tags: { type: "array", description: "No two items are equal.", minItems: 1, items: text },
      nick: { type: ["string", "null"], description: "At most 20 characters.", pattern: String.raw`^[\s\S]{0,20}$` },
      rank: { ...numberOrNull, description: "Default: 5." },
    }),
    decode: { optional: ["nick", "rank"] },
  },
  "descriptions from every place": {
    types: "interface OneLine { /** First. */ a: string; /** Second. */ b: string }",
    method: `/**
   * Does it, and says so in
   * two lines.
   *
   * @param first The first of both.
   */
  @Tool({ effect: "read" })
  run(first: string, @Param("The second.") second: string, @Param({ description: "The third." }) third: OneLine, /** The fourth. */ fourth?: number): void {}`,
    parameters: closed({
      first: { type: "string", description: "The first of both." },
      second: { type: "string", description: "The second." },
      third: closed(
        { a: { type: "string", description: "First." }, b: { type: "string", description: "Second." } },
        { description: "The third." },
      ),
      fourth: { ...numberOrNull, description: "The fourth." },
    }),
    decode: { optional: ["fourth"] },
  },
  "a default that the author tells is not told again": {
    method: 'run(@Param("How many days. Default 3.") days = 3): void {}',
    parameters: closed({ days: { ...numberOrNull, description: "How many days. Default 3." } }),
    decode: { optional: ["days"] },
  },
};

const compiled = await compileCases(accepted);

describe("types that become strict schemas", () => {
  test.each(Object.keys(accepted))("%s", (title) => {
    const { tool, problems } = compiled[title] ?? {};
    expect(problems).toEqual([]);
    expect(tool?.parameters).toEqual(accepted[title]?.parameters);
    expect(tool?.decode).toEqual(accepted[title]?.decode);
  });

  test.each(Object.keys(accepted))("%s: accepted by two independent judges", (title) => {
    const parameters = compiled[title]?.tool?.parameters;
    expect(parameters).toBeDefined();
    if (parameters !== undefined) expectStrict(parameters);
  });

  test("the order of keys is the order that the model writes", () => {
    const kinds = compiled["a union of objects has its discriminator first"]?.tool?.parameters.properties["shape"]?.anyOf;
    expect(kinds?.map((branch) => Object.keys(branch.properties ?? {}))).toEqual([
      ["kind", "radius"],
      ["kind", "side"],
    ]);
  });
});
