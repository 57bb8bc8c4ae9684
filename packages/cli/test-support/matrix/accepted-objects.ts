import { group, type MatrixGroup, one } from "./case.js";

/** Objects, classes, and types that are made of them. */
export const objects: readonly MatrixGroup[] = [
  group(
    "Objects",
    one("an interface", "from: Place, to: string", "interface Place { city: string; zip?: string }"),
    one("an object type without a name", "from: { city: string; at: { lat: number; lng: number } }, to: string"),
    one(
      "an interface that extends others",
      "child: Child, more: string",
      "interface One { id: number } interface Two { name: string } interface Child extends One, Two { own: boolean }",
    ),
    one("an interface declared in two parts", "both: Both, more: string", "interface Both { a: string } interface Both { b: number }"),
    one("a type that is used twice is a definition", "from: Place, to: Place", "/** A place. */ interface Place { city: string }"),
    one(
      "two uses with descriptions of their own",
      "trip: Trip, more: string",
      "interface Place { city: string }\ninterface Trip {\n  /** Where from. */\n  from: Place;\n  /** Where to. */\n  to: Place;\n}",
    ),
    one("what `typeof` says", "settings: typeof defaults, more: string", 'const defaults = { retries: 3, name: "x", tags: ["a"] };'),
    one("a generic interface with its argument", "box: Box<string>, more: Box<Box<number>[]>", "interface Box<T> { value: T }"),
    one("a generic type with a default argument", "pair: Pair<number>, more: string", "interface Pair<A, B = A> { first: A; second: B }"),
    one(
      "names that need quotes",
      "odd: Odd, more: string",
      "interface Odd { 'a b': string; 'x-y': number; 1: string; constructor: string }",
    ),
    one("accessors of an interface", "box: Box, more: string", "interface Box { get size(): number; set size(value: number) }"),
  ),
  group(
    "Classes",
    one("a class", "order: Order, more: string", "export class Order { id!: string; readonly note?: string }"),
    one(
      "only public data of a class",
      "order: Parcel, more: string",
      "export class Parcel { id!: string; static kind = 'k'; #cache = 1; private secret = 's'; protected own = 'o'; get label(): string { return this.secret + this.#cache + this.own; } set title(text: string) { this.own = text; } describe(): string { return this.label; } arrow = (): string => this.label; }",
    ),
    one(
      "a class that extends another",
      "sub: Sub, more: string",
      "export class Base { id!: string } export class Sub extends Base { name!: string }",
    ),
    one(
      "a class in a class",
      "order: Basket, more: string",
      "export class Line { sku!: string; count = 1 } export class Basket { lines!: Line[]; first?: Line }",
    ),
    one(
      "public parameters of a constructor",
      "point: Point, more: string",
      "export class Point { constructor(public x = 0, public readonly y?: number, private z = 1) { this.z += x; } }",
    ),
    one("an accessor field", "box: Box, more: string", "export class Box { accessor size = 1; accessor name!: string }"),
    one("a generic class with its argument", "page: Page<number>, more: string", "export class Page<T> { items!: T[]; size = 20 }"),
    one(
      "a class with a part declared as an interface",
      "both: Both, more: string",
      "export class Both { a!: string } export interface Both { b: number }",
    ),
    one(
      "a part of a class is a plain object",
      "account: Partial<Account>, more: string",
      "export class Account { id!: string; email = 'none'; method(): void {} get short(): string { return this.id; } }",
    ),
    one(
      "fields that are only declared",
      "narrow: Narrow, more: string",
      "export class Wide { value!: string | number; note?: string } export class Narrow extends Wide { declare value: 'a' | 'b'; declare private secret: string }",
    ),
    one(
      "a class that fills in what its abstract base asks for",
      "shape: Filled, more: string",
      "export abstract class Empty { abstract name: string; abstract get label(): string; size!: number } export class Filled extends Empty { name = 'none'; get label(): string { return this.name; } }",
    ),
    one("a generic class with a default argument", "page: Listing, more: string", "export class Listing<T = string> { items!: T[] }"),
    one(
      "a class that extends a part of another",
      "child: Child, more: string",
      "export class Parent { @v.MinLength(3) name!: string; id!: number } declare function without<T, K extends keyof T>(type: new () => T, key: K): new () => Omit<T, K>; export class Child extends without(Parent, 'id') { extra!: string }",
    ),
    one(
      "a class whose members are initialised",
      "shape: Shape, more: string",
      "export class Shape { readonly kind = 'circle'; radius = 1; tags: string[] = [] }",
    ),
  ),
  group(
    "Types made from types",
    one("Partial", "user: Partial<User>, more: string", "interface User { id: number; name: string; email?: string }"),
    one("Required", "user: Required<User>, more: string", "interface User { id: number; name: string; email?: string }"),
    one("Readonly", "user: Readonly<User>, more: string", "interface User { id: number; name: string; email?: string }"),
    one(
      "Pick, in the order of the type",
      'user: Pick<User, "name" | "id">, more: string',
      "interface User { id: number; name: string; email?: string }",
    ),
    one("Omit", 'user: Omit<User, "name">, more: string', "interface User { id: number; name: string; email?: string }"),
    one("Pick of Partial", 'user: Pick<Partial<User>, "name">, more: string', "interface User { id: number; name: string }"),
    one("a Record of named keys", 'sides: Record<"left" | "right", number>'),
    one("a Record of an enum's members", "axes: Record<Axis, boolean>", 'enum Axis { Y = "y", X = "x" }'),
    one("a Record of numbers", "rows: Record<1 | 2, string>"),
    one("a Record of objects", 'sides: Record<"left" | "right", { size: number }>'),
    one("Partial of a Record", 'sides: Partial<Record<"left" | "right", number>>'),
    one(
      "a mapped type of one's own",
      "flags: Flags, more: string",
      "interface User { id: number; name: string } type Flags = { [Key in keyof User]: boolean };",
    ),
    one(
      "a mapped type that renames",
      "getters: Getters, more: string",
      "interface User { id: number; name: string } type Getters = { [Key in keyof User as `get_${Key}`]: User[Key] };",
    ),
    one(
      "a mapped type that takes `?` away",
      "user: Full, more: string",
      "interface User { id?: number; name?: string } type Full = { -readonly [Key in keyof User]-?: User[Key] };",
    ),
    one(
      "a mapped type keeps the rules of its class",
      "rated: Required<Rated>, more: string",
      "export class Rated { @v.IsOptional() @v.Min(1) stars?: number; @v.MaxLength(3) code!: string }",
    ),
    one(
      "a conditional type",
      "value: Wrapped<string>, other: Wrapped<number>",
      "type Wrapped<T> = T extends string ? { text: T } : { count: T };",
    ),
    one(
      "a conditional type that takes a union apart",
      "value: Tagged<string | number>",
      'type Tagged<T> = T extends string ? { kind: "text"; text: T } : { kind: "count"; count: T };',
    ),
    one(
      "a mapped type that leaves keys out",
      "user: WithoutId, more: string",
      'interface User { id: number; name?: string } type WithoutId = { [Key in keyof User as Key extends "id" ? never : Key]: User[Key] };',
    ),
    one("a mapped tuple", "spans: Lists<[string, string]>", "type Lists<T> = { [Key in keyof T]: T[Key][] };"),
    one("one of the types of a mapped type", 'value: { [Key in "a" | "b"]: { type: Key; size: number } }["a" | "b"]'),
    one(
      "the values of a constant object",
      "code: (typeof codes)[keyof typeof codes]",
      'const codes = { Yes: "y", No: "n", Other: 9 } as const;',
    ),
    one(
      "the public keys of a class",
      "key: keyof Keyed",
      "export class Keyed { a!: string; private b = 1; get c(): number { return this.b; } }",
    ),
    one("an inferred type", "item: Item<{ id: string }[]>, more: string", "type Item<T> = T extends readonly (infer One)[] ? One : never;"),
    one("NonNullable", "text: NonNullable<string | null | undefined>"),
    one(
      "Extract",
      'shape: Extract<Shape, { kind: "a" }>, more: string',
      'type Shape = { kind: "a"; x: string } | { kind: "b"; y: string };',
    ),
    one("ReturnType", "made: ReturnType<typeof make>, more: string", "declare function make(): { a: string; at: Date };"),
    one(
      "Parameters and Awaited",
      "first: Parameters<typeof take>[0], text: Awaited<Promise<string>>",
      "declare function take(value: { a: 1 }): void;",
    ),
    one("an indexed type", 'mail: User["contact"]["mail"], more: string', "interface User { contact: { mail: string } }"),
    one(
      "objects that are joined",
      "link: HasHref & Templated, more: string",
      "interface HasHref { href: string; id?: string } interface Templated { templated?: boolean; id: string }",
    ),
    one(
      "an object joined with a choice",
      "way: (ByMail | ByPhone) & Urgent",
      'interface ByMail { by: "mail"; address: string } interface ByPhone { by: "phone"; number: string } interface Urgent { urgent: boolean }',
    ),
  ),
];
