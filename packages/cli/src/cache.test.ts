import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryProject, type TemporaryProject } from "../test-support/temporary-project.js";
import { buildProject } from "./build-project.js";
import { readCache } from "./cache.js";

const orders = `import { Tool } from "@toolwright/core";
import type { Order } from "./order.js";
export class OrderTools {
  /** Saves one order with all of its lines. */
  @Tool()
  save(order: Order): void {}
}
`;
const sources = {
  "src/orders.ts": orders,
  "src/order.ts": "export interface Order { /** Id of the order. */ id: string }",
  "src/other.ts": "export const other = 1;",
};

/** Whether the last build would be reused: the one thing that a cache decides. */
const isFresh = (project: TemporaryProject): boolean =>
  readCache({ configPath: join(project.directory, "tsconfig.json"), out: undefined }) !== undefined;

describe("the cache of an unchanged build", () => {
  test("is used when nothing changed, and repeats the remarks", async () => {
    using project = temporaryProject(sources);
    expect(isFresh(project)).toBe(false);
    const first = await buildProject({ cwd: project.directory });
    expect(isFresh(project)).toBe(true);
    const second = await buildProject({ cwd: project.directory, check: true });
    expect(second).toEqual({ ...first, files: [{ path: "src/toolwright.generated.ts", state: "unchanged" }] });
    expect(second.warnings).toHaveLength(1);
    expect(readdirSync(join(project.directory, "node_modules/.cache/toolwright"))).toEqual(["tsconfig.json.json"]);
  });

  test.each<readonly [string, (project: TemporaryProject) => void]>([
    ["a type that a tool takes", (project) => project.write({ "src/order.ts": "export interface Order { id: number }" })],
    ["a file that has no tool", (project) => project.write({ "src/other.ts": "export const other = 2;" })],
    ["a new file", (project) => project.write({ "src/deep/new.ts": "export {};" })],
    ["a file that is gone", (project) => rmSync(join(project.directory, "src/other.ts"))],
    [
      "the tsconfig",
      (project) =>
        writeFileSync(join(project.directory, "tsconfig.json"), `${readFileSync(join(project.directory, "tsconfig.json"), "utf8")}\n`),
    ],
    ["the package.json", (project) => project.write({ "package.json": '{ "name": "other", "type": "module" }' })],
    ["the generated module", (project) => project.write({ "src/toolwright.generated.ts": "// edited" })],
    ["the generated module gone", (project) => rmSync(join(project.directory, "src/toolwright.generated.ts"))],
    ["a broken cache", (project) => project.write({ "node_modules/.cache/toolwright/tsconfig.json.json": "{" })],
  ])("is not used after a change of %s", async (_, change) => {
    using project = temporaryProject(sources);
    await buildProject({ cwd: project.directory });
    change(project);
    expect(isFresh(project)).toBe(false);
    await buildProject({ cwd: project.directory });
    expect(isFresh(project)).toBe(true);
  });

  test("is not kept for a build with problems, a stale check, or when it is switched off", async () => {
    using project = temporaryProject(sources);
    await buildProject({ cwd: project.directory, check: true });
    await buildProject({ cwd: project.directory, cache: false });
    project.write({ "src/order.ts": "export interface Order { id: any }" });
    await buildProject({ cwd: project.directory });
    expect(existsSync(join(project.directory, "node_modules/.cache"))).toBe(false);
  });
});
