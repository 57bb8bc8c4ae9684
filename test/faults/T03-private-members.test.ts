import { expect, test } from "vitest";
import { buildTools, expectStrictSchema } from "../support/tool-project.js";

test("only public, writable, non-static data is in the schema, and no private value is published", async () => {
  const { tools, text } = await buildTools(`
    export class Base { inherited!: string; protected fromBase = "LITERAL-1"; }
    export class Dto extends Base {
      open!: string;
      private cache = "LITERAL-2";
      protected secret = "LITERAL-3";
      #hash = "LITERAL-4";
      static kind = "LITERAL-5";
      constructor(private pp: number, protected readonly qq = "LITERAL-6") { super(); }
      get label(): string { return this.cache + this.secret + this.#hash + this.pp + this.qq; }
      set value(text: string) { this.cache = text; }
      get pair(): string { return "LITERAL-7"; }
      set pair(text: string) { this.cache = text; }
      compute(): string { return "LITERAL-8"; }
      arrow = (): string => "LITERAL-9";
    }
    export class T {
      private key = "LITERAL-10";
      /** Takes what this test is about. */ @Tool({ effect: "read" })
      run(dto: Dto, nested: { dto: Dto }[]): string { return this.key; }
    }`);
  const parameters = tools["run"]?.parameters;
  expectStrictSchema(parameters);
  expect(Object.keys(parameters?.$defs?.["Dto"]?.properties ?? {})).toEqual(["open", "inherited"]);
  expect(parameters?.$defs?.["Dto"]?.required).toEqual(["open", "inherited"]);
  expect(text).toContain('"open"');
  expect(text).not.toMatch(/LITERAL|cache|secret|\bhash\b|kind|label|pair|compute|arrow|\bpp\b|\bqq\b|fromBase/);
});
