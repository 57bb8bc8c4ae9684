import { execFile } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryProject } from "../test-support/temporary-project.js";
import { buildProject } from "./build-project.js";

const require = createRequire(import.meta.url);
const folderOf = (name: string): string => dirname(require.resolve(`${name}/package.json`));
/** Newest first; 7 is the workspace's own. */
const versions = { "7": folderOf("typescript"), "6": folderOf("typescript-6"), "5.9": folderOf("typescript-5.9") };

const source = `import { Output, Param, Tool, type ToolContext } from "@toolwright/core";
import { IsInt, Min } from "class-validator";
export enum Mode { Fast = "fast", Slow = "slow" }
export class Line {
  /** Article number, e.g. A-17. */
  sku!: string;
  /** How many. */
  @IsInt() @Min(1) count = 1;
}
export class OrderTools {
  /** Places an order with its lines. */
  @Tool({ effect: "write" })
  place(@Param("Id of the order, e.g. A-17.") id: string | null, @Param("What is ordered.") lines: Line[], context: ToolContext<{ user: string }>, @Param("How fast.") mode?: Mode): string {
    return String(id) + lines.length + context.app.user + String(mode);
  }
}
/** A plan for one trip. */
@Output()
export class TripPlan { /** Where to. */ city!: string; /** What is needed. */ lines!: Line[] }
`;
const app = `import { Agent } from "@toolwright/core";
import { OrderTools, TripPlan } from "./toolwright.generated.js";
export const plan: TripPlan = new TripPlan();
export const agent = new Agent({ model: "gpt-test", tools: [new OrderTools()] });
export const run = agent.run("Hello.", { app: { user: plan.city } });
`;

/** Options as projects of each version have them, beside those that all need. */
const options: Readonly<Record<keyof typeof versions, object>> = {
  "7": { target: "es2025", lib: ["es2025", "esnext.disposable", "dom"], module: "nodenext" },
  "6": { target: "es2025", lib: ["es2025", "esnext.disposable", "dom"], module: "preserve" },
  "5.9": { target: "es2022", lib: ["esnext", "dom"], module: "node16", strict: true },
};
const common = { experimentalDecorators: true, skipLibCheck: true, noEmit: true, types: [] };

function check(compiler: string, directory: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(compiler, "bin/tsc"), "-p", directory, "--pretty", "false"], (_, out, error) => resolve(out + error));
  });
}

describe.each(["7", "6", "5.9"] as const)("a project on TypeScript %s", (version) => {
  test("is built, and what is written passes its own type checker", async () => {
    using project = temporaryProject({
      "tsconfig.json": JSON.stringify({ compilerOptions: { ...common, ...options[version] }, include: ["src"] }),
      "src/orders.ts": source,
      "src/app.ts": app,
    });
    symlinkSync(versions[version], join(project.directory, "node_modules/typescript"), "dir");
    expect(await buildProject({ cwd: project.directory, cache: false })).toMatchObject({
      problems: [],
      warnings: [],
      tools: ["OrderTools.place"],
    });
    expect(readFileSync(join(project.directory, "src/toolwright.generated.ts"), "utf8")).toContain('"id": { "type": ["string", "null"]');
    expect(await check(versions[version], project.directory)).toBe("");
  }, 60_000);

  test("is warned of loose null checks when they are its default", async () => {
    using project = temporaryProject({
      "tsconfig.json": JSON.stringify({ compilerOptions: { ...common, ...options[version], strict: undefined }, include: ["src"] }),
      "src/orders.ts": source,
    });
    symlinkSync(versions[version], join(project.directory, "node_modules/typescript"), "dir");
    const { warnings } = await buildProject({ cwd: project.directory, cache: false });
    expect(warnings.map(({ subject }) => subject)).toEqual(version === "5.9" ? ["strictNullChecks"] : []);
  });
});
