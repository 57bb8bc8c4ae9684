import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ToolwrightError } from "@toolwright/core";
import { expect, test } from "vitest";
import { temporaryProject, type TemporaryProject } from "../test-support/temporary-project.js";
import { buildProject } from "./build-project.js";
import type { BuildResult } from "./build-result.js";
import { watchProject } from "./watch-project.js";

const tools = `import { Tool } from "@toolwright/core";
import type { Order } from "./dto/order.js";
export class OrderTools { /** Saves one order with its lines. */ @Tool({ effect: "write" }) save(order: Order): void {} }
`;
const others = `import { Tool } from "@toolwright/core";
export class OtherTools { /** Does the one thing well. */ @Tool({ effect: "read" }) one(): void {} }
`;
const sources = {
  "src/tools.ts": tools,
  "src/others.ts": others,
  "src/dto/order.ts": "export interface Order { /** Its id. */ id: string }",
};
const generated = "src/toolwright.generated.ts";

/** A watch whose builds are asked for one by one. */
class Watch implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #builds: (BuildResult | ToolwrightError)[] = [];
  #wake: (() => void) | undefined;
  readonly #end: Promise<void>;

  constructor(readonly project: TemporaryProject) {
    const push = (build: BuildResult | ToolwrightError): void => {
      this.#builds.push(build);
      this.#wake?.();
    };
    this.#end = watchProject({ cwd: project.directory, signal: this.#stop.signal, onBuild: push, onError: push });
  }

  async next(): Promise<BuildResult | ToolwrightError> {
    while (this.#builds.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#builds.shift() as BuildResult;
  }

  text(): string {
    return readFileSync(join(this.project.directory, generated), "utf8");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#end;
  }
}

/** What a build from nothing writes for the same sources. */
async function fresh(project: TemporaryProject): Promise<string> {
  await buildProject({ cwd: project.directory, cache: false });
  return readFileSync(join(project.directory, generated), "utf8");
}

test("builds again after changes of a type, a body, new files and files that go, to the byte as a fresh build does", async () => {
  using project = temporaryProject(sources);
  await using watch = new Watch(project);
  expect(await watch.next()).toMatchObject({ ok: true, tools: ["OrderTools.save", "OtherTools.one"] });

  project.write({ "src/dto/order.ts": "export interface Order { /** Its id. */ id: number; note?: string }" });
  expect(await watch.next()).toMatchObject({ ok: true, files: [{ state: "written" }] });
  expect(watch.text()).toContain('"required": ["id", "note"]');
  expect(watch.text()).toBe(await fresh(project));

  project.write({ "src/deep/new.ts": others.replace("OtherTools", "NewTools") });
  // One event for the folder, perhaps another for the file in it.
  for (let result = await watch.next(); !("tools" in result) || result.tools.length < 3; result = await watch.next());
  expect(watch.text()).toContain("registerToolkit(NewTools_");
  expect(watch.text()).toBe(await fresh(project));

  rmSync(join(project.directory, "src/others.ts"));
  expect(await watch.next()).toMatchObject({ ok: true, tools: ["NewTools.one", "OrderTools.save"] });
  expect(watch.text()).toBe(await fresh(project));
});

test("tells problems of a change, writes nothing meanwhile, and goes on when they are solved", async () => {
  using project = temporaryProject(sources);
  await using watch = new Watch(project);
  await watch.next();
  const before = watch.text();
  project.write({ "src/dto/order.ts": "export interface Order { id: Map<string, string> }" });
  const failed = await watch.next();
  expect(failed).toMatchObject({ ok: false, problems: [{ file: "src/dto/order.ts", subject: "OrderTools.save(order).id" }] });
  expect(watch.text()).toBe(before);
  project.write({ "src/dto/order.ts": "export interface Order { /** Its id. */ id: boolean }" });
  expect(await watch.next()).toMatchObject({ ok: true, problems: [], files: [{ state: "written" }] });
  expect(watch.text()).toContain('"type": "boolean"');
});

test("a global type that changes concerns files that do not import it", async () => {
  using project = temporaryProject({
    ...sources,
    "src/globals.d.ts": "interface Currency { /** Three letters. */ code: string }",
    "src/others.ts": others.replace("one()", "one(currency: Currency)"),
  });
  await using watch = new Watch(project);
  await watch.next();
  project.write({ "src/globals.d.ts": "interface Currency { /** Three letters. */ iso: string }" });
  await watch.next();
  expect(watch.text()).toContain('"iso"');
});

test("a tsconfig that breaks is told, and the watch goes on", async () => {
  using project = temporaryProject(sources);
  const config = readFileSync(join(project.directory, "tsconfig.json"), "utf8");
  await using watch = new Watch(project);
  await watch.next();
  project.write({ "tsconfig.json": "{ nonsense" });
  const failed = await watch.next();
  expect(ToolwrightError.is(failed, "BUILD_CONFIG")).toBe(true);
  project.write({ "tsconfig.json": config });
  expect(await watch.next()).toMatchObject({ ok: true });
});

test("an import that leads nowhere at first is followed when its file is there, and changes", async () => {
  using project = temporaryProject({ ...sources, "src/dto/order.ts": 'export type { Order } from "./later.js";' });
  await using watch = new Watch(project);
  expect(await watch.next()).toMatchObject({ ok: false, problems: [{ subject: "OrderTools.save(order)" }] });
  project.write({ "src/dto/later.ts": "export interface Order { /** Id of the order. */ id: string }" });
  expect(await watch.next()).toMatchObject({ ok: true, problems: [] });
  project.write({ "src/dto/later.ts": "export interface Order { /** Id of the order. */ code: string }" });
  expect(await watch.next()).toMatchObject({ ok: true });
  expect(watch.text()).toContain('"code"');
  expect(watch.text()).toBe(await fresh(project));
});

test("a base class in another file that changes concerns the tools that inherit from it", async () => {
  using project = temporaryProject({
    "src/base.ts": `import { Tool } from "@toolwright/core";
export abstract class Base<T> { /** Saves one thing of its kind. */ @Tool({ effect: "write" }) save(item: T): void {} }
`,
    "src/tools.ts": 'import { Base } from "./base.js";\nexport class Texts extends Base<string> {}\n',
  });
  await using watch = new Watch(project);
  expect(await watch.next()).toMatchObject({ tools: ["Texts.save"] });
  project.write({
    "src/base.ts": `import { Tool } from "@toolwright/core";
export abstract class Base<T> { /** Keeps one thing of its kind. */ @Tool({ effect: "write" }) keep(item: T, more: number): void {} }
`,
  });
  expect(await watch.next()).toMatchObject({ tools: ["Texts.keep"] });
  expect(watch.text()).toBe(await fresh(project));
});
