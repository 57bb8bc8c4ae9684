import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryProject } from "../test-support/temporary-project.js";
import { buildProject } from "./build-project.js";

const shared = {
  "node_modules/@acme/dto/package.json": JSON.stringify({ name: "@acme/dto", type: "module", types: "index.d.ts" }),
  "node_modules/@acme/dto/index.d.ts": 'export { Parcel as Package } from "./parcel.js"; export type { Money } from "./money.js";',
  "node_modules/@acme/dto/parcel.d.ts": "export declare class Parcel { /** In grams. */ weight: number; private secret; note?: string }",
  "node_modules/@acme/dto/money.d.ts": 'export interface Money { amount: number; currency: "EUR" | "USD"; extra: Record<string, string> }',
};
const tools = (type: string): string => `import { Tool } from "@toolwright/core";
import { type Money, Package } from "@acme/dto";
export class A { /** Takes what another package declares. */ @Tool({ effect: "read" }) run(value: ${type}, at: Date): Money | Package | undefined { return undefined; } }`;

test("a class of another package is imported as the author imports it", async () => {
  using project = temporaryProject({ ...shared, "src/a.ts": tools("Package") });
  const { problems } = await buildProject({ cwd: project.directory, cache: false });
  expect(problems).toEqual([]);
  const text = readFileSync(join(project.directory, "src/toolwright.generated.ts"), "utf8");
  expect(text).toContain('import { Package as Parcel } from "@acme/dto";');
  expect(text).toContain("classes: { Parcel }");
  expect(text).toContain('"required": ["weight", "note"]');
});

test("a problem in a type of another package is shown where the author uses it", async () => {
  using project = temporaryProject({ ...shared, "src/a.ts": tools("Money") });
  const { problems } = await buildProject({ cwd: project.directory, cache: false });
  expect(problems).toMatchObject([{ file: "src/a.ts", line: 3, subject: "A.run(value).extra" }]);
  expect(problems[0]?.excerpt?.text.slice(problems[0].excerpt.start).startsWith("Money")).toBe(true);
});

test.each([
  ["all of its module", 'import type * as dto from "@acme/dto";', "dto.Package", "import { Package as Parcel }"],
  ["the default", 'import Crate from "@acme/dto/crate";', "Crate", "import { default as Crate }"],
])("a class of another package is found where the author imports %s", async (_, statement, type, expected) => {
  using project = temporaryProject({
    ...shared,
    "node_modules/@acme/dto/crate.d.ts": "export default class Crate { size: number }",
    "src/a.ts": `${statement} import { Tool } from "@toolwright/core";
export class A { /** Takes what another package declares. */ @Tool({ effect: "read" }) run(value: ${type}): void {} }`,
  });
  expect((await buildProject({ cwd: project.directory, cache: false })).problems).toEqual([]);
  expect(readFileSync(join(project.directory, "src/toolwright.generated.ts"), "utf8")).toContain(expected);
});

test("a class that another package exports as a type only is refused", async () => {
  using project = temporaryProject({
    ...shared,
    "node_modules/@acme/dto/index.d.ts": 'export type { Parcel as Package } from "./parcel.js"; export type { Money } from "./money.js";',
    "src/a.ts": tools("Package"),
  });
  const { problems } = await buildProject({ cwd: project.directory, cache: false });
  expect(problems.map(({ subject, reason }) => [subject, reason])).toEqual([
    ["Parcel", expect.stringContaining("no file of the project imports it")],
  ]);
});

test("a class that only the other package knows how to import is refused", async () => {
  using project = temporaryProject({
    ...shared,
    "src/a.ts": `import { Tool } from "@toolwright/core";
export class A { /** Takes what another package declares. */ @Tool({ effect: "read" }) run(value: import("@acme/dto").Package): void {} }`,
  });
  const { problems } = await buildProject({ cwd: project.directory, cache: false });
  expect(problems.map(({ subject, reason }) => [subject, reason])).toEqual([
    ["Parcel", expect.stringContaining("no file of the project imports it")],
  ]);
});

test("a class of a neighbour in the workspace is imported by its path, as the author does", async () => {
  using project = temporaryProject({
    "shared/box.ts": "export class Box { /** In cm. */ size!: number }",
    "app/tsconfig.json": JSON.stringify({
      compilerOptions: { experimentalDecorators: true, strict: true, module: "nodenext" },
      include: ["src"],
    }),
    "app/src/a.ts": `import { Tool } from "@toolwright/core"; import { Box } from "../../shared/box.js";
export class A { /** Takes what a neighbour declares. */ @Tool({ effect: "read" }) run(box: Box): void {} }`,
  });
  expect((await buildProject({ cwd: project.directory, project: "app", cache: false })).problems).toEqual([]);
  expect(readFileSync(join(project.directory, "app/src/toolwright.generated.ts"), "utf8")).toContain(
    'import { Box } from "../../shared/box.js";',
  );
});

test("classes whose names the generated module needs itself get another one in it", async () => {
  using project = temporaryProject({
    "src/a.ts": `import { Tool } from "@toolwright/core";
export class A_ { x!: number }
export class A { again?: A; a?: A_; /** Takes what is named like it. */ @Tool({ effect: "read" }) run(one: A_, two: string): void {} }`,
  });
  expect((await buildProject({ cwd: project.directory, cache: false })).problems).toEqual([]);
  const text = readFileSync(join(project.directory, "src/toolwright.generated.ts"), "utf8");
  expect(text).toContain('import { A as A_, A_ as A_Class } from "./a.js";');
  expect(text).toContain("classes: { A_: A_Class }");
});

test("types of @types/node are objects of the run time; with them unresolved at first, the message is the same", async () => {
  using project = temporaryProject({
    "node_modules/@types/node/package.json": JSON.stringify({ name: "@types/node", types: "index.d.ts" }),
    "node_modules/@types/node/index.d.ts":
      "interface Buffer { readonly length: number } declare module 'node:events' { export class EventEmitter { on(): this } }",
    "src/a.ts": `import { Tool } from "@toolwright/core"; import { EventEmitter } from "node:events";
export class A { /** Takes what another package declares. */ @Tool({ effect: "read" }) run(value: Buffer, emitter: EventEmitter): void {} }`,
  });
  const { problems } = await buildProject({ cwd: project.directory, cache: false });
  expect(problems.map(({ subject, reason }) => [subject, reason])).toEqual([
    ["A.run(value)", "Buffer is an object of the run time, not data: it has no form in JSON."],
    ["A.run(emitter)", "EventEmitter is an object of the run time, not data: it has no form in JSON."],
  ]);
});
