import { group, type MatrixGroup, nominal, one } from "./case.js";

/** Unions, recursion, Dates, and how parameters become arguments. */
export const unions: readonly MatrixGroup[] = [
  group(
    "Unions",
    one("an object or null", "place: Place | null", "interface Place { city: string }"),
    one(
      "objects that a literal tells apart: it comes first",
      "shape: Circle | Square",
      'interface Circle { radius: number; kind: "circle" } interface Square { side: number; kind: "square" }',
    ),
    one(
      "objects that an enum tells apart",
      "shape: Circle | Square",
      'enum Kind { Circle = "c", Square = "s" } interface Circle { radius: number; kind: Kind.Circle } interface Square { side: number; kind: Kind.Square }',
      nominal,
    ),
    one(
      "objects that a boolean tells apart",
      "result: Good | Bad",
      "interface Good { value: string; ok: true } interface Bad { error: string; ok: false }",
    ),
    one(
      "objects that numbers tell apart",
      "version: Old | New",
      "interface Old { a: string; version: 1 | 2 } interface New { b: string; version: 3 }",
    ),
    one("a generic object with different arguments", 'box: Box<"a"> | Box<"b">', "interface Box<T> { value: string; kind: T }"),
    one(
      "objects of which one may leave out what tells them apart",
      "shape: Plain | Special",
      'interface Plain { kind?: "plain"; size: number } interface Special { kind: "special"; extra: string }',
    ),
    one(
      "instances of one generic class that a literal tells apart",
      "value: Box1<'a', string> | Box1<'b', number>",
      "export class Box1<K, T> { kind!: K; value!: T }",
    ),
    one(
      "arrays of objects with different properties",
      "values: Left1[] | Right1[]",
      "interface Left1 { x: string } interface Right1 { y: string }",
    ),
    one(
      "objects that begin with different keys",
      "search: ById | ByCode | null",
      "interface ById { name?: string; id: number } interface ByCode { name?: string; code: string }",
    ),
    one(
      "a union in a union",
      'shape: Round | { kind: "square"; side: number }',
      'type Round = { kind: "circle"; radius: number } | { kind: "oval"; a: number; b: number };',
    ),
    one(
      "one object in two unions",
      "first: A | B, second: A | C",
      'interface A { k: "a"; m: 1; v: string } interface B { k: "b"; w: string } interface C { m: 2; z: string }',
    ),
    one(
      "classes that a literal tells apart",
      "shapes: (Circle | Square)[]",
      'export class Circle { readonly kind = "circle"; radius!: number } export class Square { kind = "square" as const; side!: number; note?: string }',
    ),
    one(
      "a class or a plain object",
      "shape: Round | Square",
      'export class Round { readonly kind = "circle"; radius!: number } interface Square { kind: "square"; side: number }',
    ),
    one("an object or a text", "tag: Tag | string | null", "interface Tag { name: string }"),
    one("an object or an array of them", "tags: Tag | Tag[]", "interface Tag { name: string }"),
    one("arrays of different types", "values: string[] | number[]"),
  ),
  group(
    "Types that refer to themselves",
    one("a tree", "tree: Tree, more: string", "interface Tree { label: string; children: Tree[]; parent?: Tree }"),
    one("a tree as the only parameter", "tree: Tree", "interface Tree { label: string; children: Tree[] }"),
    one("a tree by `this`", "tree: Tree, more: string", "interface Tree { label: string; children: this[] }"),
    one(
      "two types that refer to each other",
      "folder: Folder, more: string",
      "interface Folder { files: Item[] } interface Item { name: string; attached?: Folder }",
    ),
    one("a union that contains itself", "nested: Nested, more: string", "type Nested = string | Nested[] | { value: Nested };"),
    one("a generic list", "list: List<string>, more: string", "interface List<T> { value: T; next?: List<T> }"),
    one(
      "a generic list that holds another one",
      "list: Mixed<string>, more: string",
      "interface Mixed<T> { value: T; next?: Mixed<T>; other?: Mixed<number> }",
    ),
    one(
      "a part of a type that has parts of itself",
      "tree: Tree, more: string",
      "interface Tree { label: string; children?: Partial<Tree>[] }",
    ),
    one(
      "a class that contains itself",
      "tree: Tree, more: string",
      "export class Tree { label!: string; left?: Tree; right: Tree | null = null }",
    ),
  ),
  group(
    "Dates",
    one("a Date", "at: Date"),
    one("an optional Date", "at?: Date"),
    one("a Date or null", "at: Date | null"),
    one("an array of Dates", "days: Date[]"),
    one("a Date or a number", "at: Date | number"),
    one("a Date in an object", "span: Span, more: string", "interface Span { from: Date; to?: Date }"),
  ),
  group(
    "The form of the method",
    one("no parameters", ""),
    one("the context is no argument, wherever it stands", "context: ToolContext<{ user: string }>, name: string"),
    one(
      "an object as the only parameter is the arguments",
      "query: Query, context: ToolContext",
      "interface Query { term: string; page?: number }",
    ),
    one("a class as the only parameter is the arguments", "query: Search", "export class Search { term!: string; page = 1 }"),
    one("an object that may be left out is an argument", "query?: Query", "interface Query { term: string }"),
    one(
      "a union as the only parameter is an argument",
      "shape: Circle | Square",
      'interface Circle { kind: "circle"; radius: number } interface Square { kind: "square"; side: number }',
    ),
    one("an array as the only parameter is an argument", "tags: string[]"),
    one("a required parameter after one with a default", "page = 1, term: string"),
  ),
];
