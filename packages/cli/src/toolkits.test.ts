import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryProject } from "../test-support/temporary-project.js";
import { buildProject } from "./build-project.js";
import { manifestsIn } from "./emit/generated-module.js";

const head = 'import { Param, Tool, Toolkit } from "@toolwright/core";\n';
const tool = (method: string, options = '{ effect: "read" }'): string =>
  `/** Does what this test is about, no more. */ @Tool(${options}) ${method}(@Param("Id of the thing, e.g. A-17.") id: string): string { return id; }`;

/** Builds files below `src/`; `text` is the generated module. */
async function build(files: Readonly<Record<string, string>>, more: Readonly<Record<string, string>> = {}) {
  using project = temporaryProject({
    ...more,
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`src/${name}`, head + text])),
  });
  const result = await buildProject({ cwd: project.directory, cache: false });
  const text = result.ok ? readFileSync(join(project.directory, "src/toolwright.generated.ts"), "utf8") : "";
  const tools = manifestsIn(text).map(({ className, tools: list }) => [className, list.map(({ name }) => name)] as const);
  return { ...result, text, tools: Object.fromEntries(tools) };
}

const reasons = (problems: readonly { readonly reason: string }[]): readonly string[] => problems.map(({ reason }) => reason);

describe("names", () => {
  test("a method's name in snake_case, its own name, and a prefix before both", async () => {
    const { tools } = await build({
      "a.ts": `export class Plain { ${tool("getHTTPStatus")} ${tool("sha256Sum")} ${tool("already_snake")} }
        @Toolkit({ prefix: "wx" }) export class Prefixed { ${tool("getWeather")} ${tool("other", '{ name: "own", effect: "read" }')} }`,
    });
    expect(tools).toEqual({ Plain: ["get_http_status", "sha256_sum", "already_snake"], Prefixed: ["wx_get_weather", "wx_own"] });
  });

  test("a prefix that no name may have is refused", async () => {
    const { problems } = await build({ "a.ts": `@Toolkit({ prefix: "w x" }) export class A { ${tool("one")} }` });
    expect(reasons(problems)).toEqual(["`prefix` must be letters, digits, _ or -."]);
  });

  test("two @Tool on one method are refused: one of them would not count", async () => {
    const { problems } = await build({ "a.ts": `export class A { @Tool({ effect: "read", approval: true }) ${tool("one")} }` });
    expect(reasons(problems)).toContain("The method has two @Tool decorators, and only one of them would count.");
  });

  test("one name in two classes is a remark, since one agent could not have both", async () => {
    const { ok, warnings } = await build({ "a.ts": `export class A { ${tool("find")} } export class B { ${tool("find")} }` });
    expect(ok).toBe(true);
    expect(reasons(warnings)).toEqual(['A.find is named "find" for the model too.']);
  });
});

describe("classes of tools as a whole", () => {
  test.each([
    ["an unknown option", '@Toolkit({ prefx: "a" } as never)', "@Toolkit has no option `prefx`; its only one is `prefix`."],
    ["no parentheses", "@Toolkit", "@Toolkit is written without parentheses, so it gets the class in place of its options."],
    ["options that are not constant", "@Toolkit(JSON.parse('{}'))", "The options are not known at build time."],
  ])("%s are refused", async (_, decorator, reason) => {
    const { problems } = await build({ "a.ts": `${decorator} export class A { ${tool("one")} }` });
    expect(reasons(problems)).toEqual([reason]);
  });

  test("more tools than servers take are remarked on", async () => {
    const many = Array.from({ length: 129 }, (_, index) => tool(`tool${index}`)).join("\n");
    const { ok, warnings } = await build({ "a.ts": `export class A { ${many} }` });
    expect(ok).toBe(true);
    expect(reasons(warnings)).toEqual(["The class has 129 tools, and servers refuse requests with more than 128."]);
  });

  test("a subclass that overrides a tool is no clash with its base", async () => {
    const { tools, warnings } = await build({
      "a.ts": `export class Base { ${tool("find")} } export class Sub extends Base { ${tool("find")} }`,
    });
    expect(tools).toEqual({ Base: ["find"], Sub: ["find"] });
    expect(warnings).toEqual([]);
  });

  test("a base that cannot be resolved is refused, since its tools would be left out", async () => {
    const { problems } = await build({ "a.ts": `import { Base } from "./gone.js"; export class A extends Base { ${tool("one")} }` });
    expect(reasons(problems)).toEqual(["The base class Base cannot be resolved, so its tools would be left out."]);
  });

  test("a generated module with the marks of a merge does not keep the next build from writing it", async () => {
    const { ok } = await build(
      { "a.ts": `export class A { ${tool("one")} }`, "app.ts": 'import { A } from "./toolwright.generated.js"; new A();' },
      { "src/toolwright.generated.ts": "<<<<<<< ours\nexport const A = ;\n=======\n>>>>>>> theirs\n" },
    );
    expect(ok).toBe(true);
  });
});

describe("classes whose tools nobody could call", () => {
  test.each([
    ["inside a function", `export function make() { class Inner { ${tool("one")} } return Inner; }`, /must be exported/],
    ["with a private constructor", `export class Single { private constructor() {} ${tool("one")} }`, /constructor .* must be public/],
    ["with type parameters", `export class Generic<T> { item?: T; ${tool("one")} }`, /cannot have type parameters/],
  ])("%s: refused", async (_, source, reason) => {
    const { ok, problems } = await build({ "a.ts": source });
    expect(ok).toBe(false);
    expect(reasons(problems)).toEqual([expect.stringMatching(reason)]);
  });

  test("two classes of one name are refused, each naming the other's file", async () => {
    const { problems } = await build({ "a.ts": `export class Same { ${tool("one")} }`, "b.ts": `export class Same { ${tool("two")} }` });
    expect(problems.map(({ file, reason }) => [file, reason])).toEqual([
      ["src/a.ts", expect.stringContaining("the other one is in src/b.ts")],
      ["src/b.ts", expect.stringContaining("the other one is in src/a.ts")],
    ]);
  });

  test("two classes of one name that arguments become are refused", async () => {
    const { problems } = await build({
      "a.ts": `export class Item { a!: string } export class A { /** Takes an item of its kind. */ @Tool({ effect: "read" }) one(item: Item): void {} }`,
      "b.ts": `export class Item { b!: string } export class B { /** Takes an item of its kind. */ @Tool({ effect: "read" }) two(item: Item): void {} }`,
    });
    expect(problems.map(({ file, subject }) => [file, subject])).toEqual([
      ["src/a.ts", "Item"],
      ["src/b.ts", "Item"],
    ]);
  });

  test("a class in a test file is left out with a remark", async () => {
    const { tools, warnings } = await build({ "a.ts": `export class A { ${tool("one")} }`, "a.test.ts": `class Fake { ${tool("two")} }` });
    expect(tools).toEqual({ A: ["one"] });
    expect(reasons(warnings)).toEqual([expect.stringContaining("in a test file is left out")]);
  });
});

describe("inherited tools", () => {
  test("a subclass has the tools of its base, with the types that it gives them", async () => {
    const { tools, text, ok } = await build({
      "a.ts": `export abstract class Base<T> { /** Saves one item of the kind. */ @Tool({ effect: "write" }) save(@Param("It.") item: T, @Param("When.") at: Date): void {} }
        export class Texts extends Base<string> { ${tool("other")} }
        export class Counts extends Base<{ count: number }> {}`,
    });
    expect(ok).toBe(true);
    expect(tools).toEqual({ Counts: ["save"], Texts: ["other", "save"] });
    const [counts, texts] = manifestsIn(text);
    expect(counts?.tools[0]?.parameters.properties["item"]).toMatchObject({ type: "object", properties: { count: { type: "number" } } });
    expect(texts?.tools[1]?.parameters.properties["item"]).toEqual({ type: "string", description: "It." });
  });

  test("an override without @Tool takes the tool away, and says so", async () => {
    const { tools, warnings } = await build({
      "a.ts": `export class Base { ${tool("ping")} ${tool("pong")} } export class Quiet extends Base { ping(id: string): string { return id; } }`,
    });
    expect(tools).toEqual({ Base: ["ping", "pong"], Quiet: ["pong"] });
    expect(warnings.map(({ subject, reason }) => [subject, reason])).toEqual([
      ["Quiet.ping", "It overrides a tool of Base without @Tool, so Quiet does not offer that tool."],
    ]);
  });

  test("an abstract class that nothing extends is remarked on", async () => {
    const { warnings } = await build({ "a.ts": `export abstract class Lost { ${tool("one")} } export class A { ${tool("two")} }` });
    expect(warnings.map(({ subject }) => subject)).toEqual(["Lost"]);
  });
});

describe("decorators are known by where they come from", () => {
  test("renamed imports, namespaces and re-exports count", async () => {
    const { tools } = await build({
      "decorators.ts": 'export { Tool as Action } from "@toolwright/core";',
      "a.ts": `import { Tool as T } from "@toolwright/core"; import * as tw from "@toolwright/core"; import { Action } from "./decorators.js";
        export class A { /** Does the one thing well. */ @T({ effect: "read" }) one(): void {} /** Does the two things well. */ @tw.Tool({ effect: "read" }) two(): void {}
          /** Does the three things well. */ @Action({ effect: "read" }) three(): void {} }`,
    });
    expect(tools).toEqual({ A: ["one", "two", "three"] });
  });

  test("a decorator of the same name from elsewhere does not", async () => {
    const { tools } = await build({
      "other.ts": "export const Tool = (_: object) => (..._rest: unknown[]): void => {};",
      "a.ts": `export class A { ${tool("one")} }`,
      "b.ts": 'import { Tool as Other } from "./other.js"; export class B { @Other({}) two(): void {} }',
    });
    expect(tools).toEqual({ A: ["one"] });
  });
});

describe("experimentalDecorators", () => {
  const standard = JSON.stringify({ compilerOptions: { module: "nodenext", strict: true }, include: ["src"] });

  test("is not needed by @Tool and doc comments", async () => {
    const { tools } = await build(
      {
        "a.ts": `export class A { /** Does the one thing well.\n * @param id The id. */ @Tool({ effect: "read" }) one(id: string): void {} }`,
      },
      { "tsconfig.json": standard },
    );
    expect(tools).toEqual({ A: ["one"] });
  });

  test("is needed by @Param and by class-validator, and the build says so", async () => {
    const { problems } = await build(
      {
        "a.ts": `import { Min } from "class-validator"; export class Query { @Min(1) page!: number }
          export class A { ${tool("one")} /** Takes a query of its own. */ @Tool({ effect: "read" }) two(query: Query): void {} }`,
      },
      { "tsconfig.json": standard },
    );
    expect(problems.map(({ subject, fix }) => [subject, fix])).toEqual([
      ["A.two(query).page", expect.stringContaining('"experimentalDecorators": true')],
      ["A.one(id)", expect.stringContaining('"experimentalDecorators": true')],
    ]);
  });
});
