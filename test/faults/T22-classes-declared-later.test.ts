import { describe, expect, test } from "vitest";
import { ToolProject, tsconfig } from "../support/tool-project.js";

const oneFile = {
  "src/first.ts": `import { Tool } from "@toolwright/core";
import { IsOptional, ValidateNested } from "class-validator";
export class T { /** Takes a chain of its kind. */ @Tool({ effect: "read" }) run(first: First): unknown { return [first.constructor.name, first.next?.constructor.name]; } }
export class First { id!: string; @IsOptional() @ValidateNested() next?: Second }
export class Second { id!: string; @IsOptional() @ValidateNested() back?: First }
`,
};
const twoFiles = {
  "src/first.ts": `import { Tool } from "@toolwright/core";
import { IsOptional, ValidateNested } from "class-validator";
import { Second } from "./second.js";
export class First { id!: string; @IsOptional() @ValidateNested() next?: Second }
export class T { /** Takes a chain of its kind. */ @Tool({ effect: "read" }) run(first: First): unknown { return [first.constructor.name, first.next?.constructor.name]; } }
`,
  "src/second.ts": `import { IsOptional, ValidateNested } from "class-validator";
import { First } from "./first.js";
export class Second { id!: string; @IsOptional() @ValidateNested() back?: First }
`,
};
const main = {
  "package.json": '{ "name": "app", "type": "module" }',
  "src/main.ts": `import { Agent } from "@toolwright/core";
import { reply, startResponsesServer } from "@toolwright/testing";
import OpenAI from "openai";
import { T } from "./toolwright.generated.js";
const call = { callId: "call_1", name: "run", arguments: { id: "1", next: { id: "2", back: null } } };
const server = await startResponsesServer([reply.calls(call), reply.text("Done.")]);
const agent = new Agent({ model: "test", client: new OpenAI({ baseURL: server.url, apiKey: "test" }), tools: [new T()] });
const result = await agent.run("Go.");
console.log(JSON.stringify(result.steps[0]?.calls[0]?.outcome));
await server[Symbol.asyncDispose]();
`,
};

describe.each([
  ["in one file", oneFile, 1],
  ["in two files that import each other", twoFiles, 2],
])("a class that is declared later, %s", (_, files, count) => {
  test("works, imported in each order, by import and by require", async () => {
    using project = new ToolProject({ ...main, ...files });
    const { problems, warnings } = await project.build();
    expect(problems).toEqual([]);
    expect(warnings.filter(({ reason }) => reason.includes("emitDecoratorMetadata"))).toEqual([]);
    await project.compile("--lib", "es2024,dom,esnext.disposable");
    expect(JSON.parse(await project.node("dist/main.js"))).toMatchObject({ kind: "ok", output: '["First","Second"]' });
    const modules = Array.from({ length: count }, (__, index) => ["./dist/first.js", "./dist/second.js"][index]);
    for (const order of [modules, modules.toReversed()]) {
      const imports = order.map((path) => `await import("${path}");`).join(" ");
      const requires = order.map((path) => `require("${path}");`).join(" ");
      expect(await project.node("--input-type=module", "--eval", `${imports} console.log("fine");`)).toBe("fine\n");
      expect(await project.node("--input-type=commonjs", "--eval", `${requires} console.log("fine");`)).toBe("fine\n");
    }
  }, 60_000);

  test("with emitDecoratorMetadata is remarked on, with the way out", async () => {
    using project = new ToolProject({ ...main, ...files, "tsconfig.json": tsconfig({ emitDecoratorMetadata: true }) });
    const { problems, warnings } = await project.build();
    expect(problems).toEqual([]);
    const early = warnings.filter(({ reason }) => reason.includes("emitDecoratorMetadata"));
    expect(early.length).toBeGreaterThan(0);
    for (const { fix } of early) expect(fix).toMatch(/further up.*does not import this one.*take "emitDecoratorMetadata" out/);
    // What it warns of is true.
    await project.compile("--lib", "es2024,dom,esnext.disposable");
    await expect(project.node("dist/main.js")).rejects.toThrow(/Cannot access '\w+' before initialization/);
  }, 60_000);
});

test("classes in the order in which they are needed are not remarked on", async () => {
  using project = new ToolProject({
    ...main,
    "tsconfig.json": tsconfig({ emitDecoratorMetadata: true }),
    "src/first.ts": `import { Tool } from "@toolwright/core"; import { ValidateNested } from "class-validator";
export class Second { id!: string; back?: Later } export class First { id!: string; @ValidateNested() next?: Second }
export class T { /** Takes a chain of its kind. */ @Tool({ effect: "read" }) run(first: First): unknown { return [first.constructor.name, first.next?.constructor.name]; } }
export class Later { id!: string }`,
  });
  const { warnings } = await project.build();
  expect(warnings.filter(({ reason }) => reason.includes("emitDecoratorMetadata"))).toEqual([]);
  await project.compile("--lib", "es2024,dom,esnext.disposable");
  expect(await project.node("dist/main.js")).toContain('["First","Second"]'.replaceAll('"', '\\"'));
}, 60_000);
