import { describe, expect, test } from "vitest";
import { type Case, compileCases } from "../../test-support/compile-cases.js";

interface Refused extends Case {
  /** Subject of each problem, without the class, and its reason. */
  readonly because: Readonly<Record<string, string | RegExp>>;
  /** The way out that is named first. */
  readonly fix?: RegExp;
}

/** What an author may not write, beside what the build says about it. */
const refused: Readonly<Record<string, Refused>> = {
  "Record<string, T> and index signatures": {
    types: "interface Filter { tags: Record<string, number> } export class Open { a!: string; [key: string]: string }",
    method: "run(filter: Filter, open: Open, byNumber: { [index: number]: boolean }): void {}",
    because: {
      "run(filter).tags": "Record<string, number> is an object with free keys; a strict schema lists every key, so it would allow only {}.",
      "run(open)": /^Open is an object with free keys/,
      "run(byNumber)": /free keys/,
    },
    fix: /^Use an array of \{ key: string; value: (number|string) \}|^Use an array of \{ key: number; value: boolean \}/,
  },
  "any, unknown, object, {} and no type at all": {
    types: "interface Empty {} interface Loose { a: any; b: unknown; c: object; d: {}; e: Empty; f: any[] }",
    method: "run(loose: Loose, bare): void {}",
    because: {
      "run(loose).a": "`any` says nothing about the value, and a strict schema must.",
      "run(loose).b": "`unknown` says nothing about the value, and a strict schema must.",
      "run(loose).c": "`object` is an object without known properties; a strict schema lists every property.",
      "run(loose).d": "{} has no public data property, so the model could send only {}.",
      "run(loose).e": "Empty has no public data property, so the model could send only {}.",
      "run(loose).f[]": /^`any`/,
      "run(bare)": "It has no type, so the model could not know what to write.",
    },
  },
  "tuples that are not of one type": {
    method: "run(mixed: [string, number], rest: [string, ...boolean[]], maybe: [string, string?], empty: []): void {}",
    because: {
      "run(mixed)": /different types/,
      "run(rest)": /optional or rest/,
      "run(maybe)": /optional or rest/,
      "run(empty)": /without elements/,
    },
    fix: /^Use an object with a named property/,
  },
  functions: {
    types: "interface Calls { done: () => void; method(): string; maybe?: (a: string) => number } class Made {}",
    method: "run(calls: Calls, any: Function, make: new () => Calls, type: typeof Made): void {}",
    because: {
      "run(calls).done": "A function cannot come from a model: arguments are JSON.",
      "run(calls).method": /^A function/,
      "run(calls).maybe": /^A function/,
      "run(any)": /^A function/,
      "run(make)": /^A function/,
      "run(type)": /^A function/,
    },
  },
  "symbols, bigint, never, void and undefined": {
    method: "run(a: symbol, b: bigint, c: never, d: void, e: undefined, f: 1n | 2n): void {}",
    because: { "run(a)": /symbol/, "run(b)": /bigint/, "run(c)": /never/, "run(d)": /void/, "run(e)": /undefined/, "run(f)": /bigint/ },
  },
  "objects of the run time": {
    types: `interface Held {
      a: Map<string, number>; b: Set<string>; c: Promise<string>; d: RegExp; e: URL; f: Uint8Array;
      g: WeakMap<object, string>; h: Error; i: ReadonlyMap<string, string>; j: String; k: ArrayBuffer; l: Iterable<string>;
    }`,
    method: "run(held: Held): void {}",
    because: Object.fromEntries(
      ["Map", "Set", "Promise", "RegExp", "URL", "Uint8Array", "WeakMap", "Error", "ReadonlyMap", "String", "ArrayBuffer", "Iterable"].map(
        (name, index) => [`run(held).${"abcdefghijkl"[index]}`, `${name} is an object of the run time, not data: it has no form in JSON.`],
      ),
    ),
  },
  "a method with type parameters": {
    method: "run<T extends string>(value: T): void {}",
    because: { run: /type parameters of its own/ },
  },
  "forms of text that no pattern says exactly": {
    method: "run(text: Uppercase<string>, code: `n-${number}`): void {}",
    because: { "run(text)": /restricts letters/, "run(code)": /a part that is no string/ },
  },
  "intersections that contradict themselves": {
    types: "interface One { id: string } interface Two { id: number } interface Three { id: string | null }",
    method: "run(a: One & Two, b: One & Three, c: string[] & One): void {}",
    because: {
      "run(a)": /declare `id` with different types/,
      "run(b)": /declare `id` with different types/,
      "run(c)": /no single JSON value/,
    },
  },
  "classes that no instance can be made of": {
    types:
      "export abstract class Shape { area!: number } class Hidden { a!: string } export class Locked { a!: string; private constructor() {} }",
    method: "run(shape: Shape, hidden: Hidden, locked: Locked): void {}",
    because: {
      "run(locked)": /constructor of Locked is not public/,
      "run(shape)": /^Shape is abstract/,
      "run(hidden)": /^The class Hidden is not exported/,
    },
  },
  "a computed enum member": {
    types: "enum Computed { A = 1, B = 'ab'.length }",
    method: "run(value: Computed): void {}",
    because: { "run(value)": /^Computed\.B is a computed member of an enum/ },
  },
  "names that reach the prototype": {
    types: "interface Proto { __proto__: string; fine: string }",
    method: "run(proto: Proto, __proto__: string): void {}",
    because: { "run(__proto__)": /prototype/, "run(proto).__proto__": /prototype/ },
  },
  "every parameter at once, whatever is wrong with the method's form": {
    types: "",
    method: "run<T>(own: T, open: object, free: Record<string, number>, ...rest: string[]): void {}",
    because: { run: /type parameters/, "run(open)": /object/, "run(free)": /free keys/, "run(rest)": /rest parameter/ },
  },
  "a property named __proto__": {
    types: "interface Proto2 { __proto__: string; fine: string }",
    method: "run(proto: Proto2): void {}",
    because: { "run(proto).__proto__": "A property named __proto__ would change the object's prototype." },
  },
  "a property named by a symbol": {
    types: "declare const key: unique symbol; interface Keyed { [key]: string; fine: string }",
    method: "run(keyed: Keyed): void {}",
    because: { "run(keyed)[symbol]": /named by a symbol/ },
  },
  "parameters without a name": {
    method: "run({ a }: { a: string }, ...rest: string[]): void {}",
    because: { "run({ a })": /taken apart in the signature/, "run(rest)": /^A rest parameter/ },
  },
  "a `this` parameter": { method: "run(this: void, a: string): void {}", because: { run: /declares `this`/ } },
  overloads: {
    method: `run(a: string): void;
      run(a: number): void;
      /** Does one of two things. */ @Tool({ effect: "read" }) run(a: string | number): void {}`,
    because: { run: /has overloads/ },
  },
  "doc tags that would replace the type": {
    types: `interface Tagged {
      /** @type integer */
      a: number;
      /** @TJS-type integer */
      b: number;
      /** @ignore */
      c: string;
      /** @items {"type":"integer"} */
      d: string[];
      /** @additionalProperties true */
      e: { x: string };
      /** @$ref http://example.com */
      f: string;
    }`,
    method: "run(tagged: Tagged): void {}",
    because: Object.fromEntries("abcdef".split("").map((name) => [`run(tagged).${name}`, /would replace what the type says/])),
  },
  "doc tags that would run code": {
    types: `interface Running {
      /** @default require("./evil").value */
      a?: string;
      /** @examples require("./evil").list */
      b: string;
      c: string;
    }
    export class RunningClass {
      d!: string;
      /** @default require("./evil").value */
      protected hidden = "";
    }`,
    method: "run(running: Running, hidden: RunningClass): void {}",
    because: {
      "run(running).a": "The doc tag @default has `require(` in it, and documentation must never run code.",
      "run(running).b": /@examples has `require\(`/,
      "run(hidden).hidden": /@default has `require\(`/,
    },
  },
  "@IsOptional() on what the type requires": {
    types: "export class Wrong { @v.IsOptional() @v.IsString() a!: string; @v.IsOptional() b?: string; @v.IsOptional() c!: string | null }",
    method: "run(wrong: Wrong): void {}",
    because: { "run(wrong).a": /@IsOptional\(\) lets null and undefined through/ },
  },
  "rules that exclude each other": {
    types:
      "export class Never1 { @v.Min(5) @v.Max(3) a!: number; @v.ArrayMinSize(3) @v.ArrayMaxSize(2) b!: string[]; @v.IsIn(['x']) c!: 'y' }",
    method: "run(never: Never1): void {}",
    because: {
      "run(never).a": /at least 5 and at most 3/,
      "run(never).b": /at least 3 and at most 2 items/,
      "run(never).c": /No value is allowed/,
    },
  },
  "undefined inside arrays": {
    method: "run(list: (string | undefined)[]): void {}",
    because: { "run(list)[]": /undefined cannot be inside an array/ },
  },
  "types that cannot be resolved": {
    types: 'import type { Nope } from "./nowhere.js"; import { Gone } from "no-such-package";',
    method: "run(a: Nope, b: Gone, c: Missing): void {}",
    because: {
      "run(a)": "The type Nope cannot be resolved.",
      "run(b)": "The type Gone cannot be resolved.",
      "run(c)": "The type Missing cannot be resolved.",
    },
  },
  "a Date or a text": {
    method: 'run(a: Date | string, b: Date | "now"): void {}',
    because: { "run(a)": /leaves open which one was meant/, "run(b)": /leaves open which one was meant/ },
  },
  "a type that goes on for ever": {
    types: "interface Deep<T> { value: T; next?: Deep<T[]> }",
    method: "run(deep: Deep<string>): void {}",
    because: { "run(deep)": /goes on without end/ },
  },
  "a context with additions": {
    types: "interface MyContext extends ToolContext<string> { extra: string }",
    method: "run(context: MyContext): void {}",
    because: { "run(context)": /looks like a ToolContext but is another type/ },
  },
  "branches that cannot be told apart": {
    types:
      "interface Text { id: string } interface Count { id: number } export class Left { x!: string } export class Right { x!: string }",
    method: "run(a: Text | Count, b: Left | Right): void {}",
    because: { "run(a)": /begin with the same key/, "run(b)": /have the same properties/ },
  },
  "more levels than the API takes": {
    types: `interface Level1 { a: { a: { a: { a: { a: { a: { a: { a: { a: { a: { a: string } } } } } } } } } } }`,
    method: "run(level: Level1): void {}",
    because: { run: /11 levels of objects and arrays, and 10 are allowed/ },
  },
  "more enum values than the API takes": {
    types: `type Many = ${Array.from({ length: 1001 }, (_, index) => `"v${index}"`).join(" | ")};`,
    method: "run(value: Many): void {}",
    because: { run: /1001 enum values, and 1000 are allowed/ },
  },
};

const compiled = await compileCases(refused);

describe("types that are refused", () => {
  test.each(Object.keys(refused))("%s", (title) => {
    const { because = {}, fix = /./ } = refused[title] ?? {};
    const problems = compiled[title]?.problems ?? [];
    const reasons = Object.fromEntries(problems.map(({ subject, reason }) => [subject.replace(/^Case\d+\./, ""), reason]));
    expect(Object.keys(reasons).sort()).toEqual(Object.keys(because).sort());
    for (const [subject, reason] of Object.entries(because)) expect(reasons[subject]).toMatch(reason);
    for (const problem of problems) expect(problem.fix).toMatch(fix);
  });

  test.each(Object.keys(refused))("%s: shown in the source, and nothing is made of it", (title) => {
    const { problems = [], tool } = compiled[title] ?? {};
    expect(tool).toBeUndefined();
    for (const { line, column, excerpt } of problems) {
      expect(line).toBeGreaterThan(0);
      expect(column).toBe((excerpt?.start ?? -1) + 1);
      expect(excerpt?.text.slice(excerpt.start, excerpt.start + excerpt.length).trim()).not.toBe("");
    }
  });
});
