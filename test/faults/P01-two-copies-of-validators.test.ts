import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { askOnce, outcomesIn } from "../support/asked-once.js";
import { copyPackage } from "../support/package-copy.js";
import { scratchApp, type ScratchApp } from "../support/scratch-app.js";
import { type BuiltPackage, buildToolPackage } from "../support/tool-package.js";

// Compilers and other programs run here, side by side with other tests.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

const order = (decorators: boolean): string => `
  export class Line {
    /** Number of the article. */ @IsString() @MinLength(2) ${decorators ? "@Transform(({ value }) => String(value).toUpperCase())" : ""} sku!: string;
    /** How many. */ @IsInt() @IsEven() count!: number;
  }
  export class Order {
    /** Number of the order. */ @IsString() id!: string;
    /** What is ordered. */ @ValidateNested({ each: true }) @Type(() => Line) lines!: Line[];
  }
  export class OrderTools {
    /** Places an order. Use it when somebody wants to buy things. */
    @Tool({ effect: "read" })
    place(order: Order): string { return [order instanceof Order, ...order.lines.map((line) => [line instanceof Line, line.sku, line.count].join(" "))].join(", "); }
  }`;
const imports = `import { Tool } from "@toolwright/core";
  import { IsInt, IsString, MinLength, registerDecorator, ValidateNested } from "class-validator";
  import { Transform, Type } from "class-transformer";
  // A rule that no schema tells: only class-validator itself checks it.
  const IsEven = () => (target: object, propertyName: string) => registerDecorator({ name: "isEven", target: target.constructor, propertyName, validator: { validate: (value) => value % 2 === 0, defaultMessage: () => "count must be even" } });`;
const index = (config: string): string => `import { defineToolPackage } from "@toolwright/core";
  import { IsString, ValidateNested } from "class-validator";
  import { Type } from "class-transformer";
  import { OrderTools } from "./toolwright.generated.js";
  export class Database { @IsString() host = "localhost"; }
  export class Config { @ValidateNested() @Type(() => Database) database = new Database(); }
  export default defineToolPackage({ ${config} create: () => [new OrderTools()] });`;

let transforming: BuiltPackage;
let plain: BuiltPackage;
let configured: BuiltPackage;
beforeAll(async () => {
  [transforming, plain, configured] = await Promise.all([
    buildToolPackage("p", { "tools.ts": imports + order(true), "index.ts": index("") }),
    buildToolPackage("p", { "tools.ts": imports + order(false), "index.ts": index("") }),
    buildToolPackage("p", { "tools.ts": imports + order(false), "index.ts": index("config: Config,") }),
  ]);
});

const good = { id: "A-1", lines: [{ sku: "ab", count: 2 }] };
const bad = {
  id: "A-1",
  lines: [
    { sku: "ab", count: 2 },
    { sku: "cd", count: 3 },
  ],
};

/** What two calls come to in an app with copies of these beside the package, and what is odd about where they are. */
async function run(built: BuiltPackage, nested: readonly string[], allow: object = { p: {} }, prepare?: (app: ScratchApp) => void) {
  using app = scratchApp(["p"], built.at("node_modules/p"));
  app.install(["class-validator", "class-transformer"]);
  for (const name of nested) copyPackage(app, name, "node_modules/p");
  prepare?.(app);
  app.write({
    "main.mjs": askOnce(allow, [
      ["place", good],
      ["place", bad],
    ]),
  });
  const { code, stdout, stderr } = await app.node(["--no-warnings", "main.mjs"]);
  return { folder: app.folder, code, stderr, outcomes: outcomesIn(stdout) };
}

describe("P01: a package with its own copies of class-validator and class-transformer", () => {
  it.each([
    ["none", []],
    ["class-validator", ["class-validator"]],
  ])("own copy of %s: nested values are made and checked", async (_, nested) => {
    const { outcomes, stderr } = await run(transforming, nested);
    expect(stderr).toBe("");
    expect(outcomes).toEqual([
      { kind: "ok", output: "true, true AB 2" },
      expect.objectContaining({
        kind: "invalid",
        error: expect.objectContaining({ issues: [expect.objectContaining({ path: "lines.1.count" })] }),
      }),
    ]);
  });

  it("own copy of class-transformer, whose decorators nobody would see: no call runs, and both copies are named", async () => {
    for (const nested of [
      ["class-transformer"],
      ["class-validator", "class-transformer"],
      ["@toolwright/core", "class-validator", "class-transformer"],
    ]) {
      const { folder, outcomes } = await run(transforming, nested);
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ kind: "failed", error: { code: "TOOL_FAILED" } });
        expect(outcome.cause).toContain(
          `The class Line of p has decorators of the class-transformer in ${join(folder, "node_modules/p/node_modules/class-transformer")}, while @toolwright/core has the one in `,
        );
        expect(outcome.cause).toContain("\nFix: Let tool packages have it as a peer dependency, and run `npm dedupe`.");
      }
      expect(outcomes).toHaveLength(2);
    }
  });

  it("own copy of class-transformer with nothing but @Type: the plan of the build knows the classes, so all works", async () => {
    const { outcomes } = await run(plain, ["class-validator", "class-transformer"]);
    expect(outcomes.map(({ kind, output }) => [kind, output])).toEqual([
      ["ok", "true, true ab 2"],
      ["invalid", undefined],
    ]);
  });

  it("a configuration needs @Type, and is refused when another copy recorded it", async () => {
    const allow = { p: { config: { database: { host: "db" } } } };
    expect((await run(configured, [], allow)).outcomes[0]).toMatchObject({ kind: "ok" });
    const { outcomes } = await run(configured, ["class-transformer"], allow);
    expect(outcomes[0]?.cause).toContain("The class Config of p has decorators of the class-transformer in ");
  });

  it("a package that only has another copy lying about, and uses the app's, is none of this", async () => {
    const { outcomes } = await run(transforming, [], { p: {} }, (app) => {
      mkdirSync(join(app.folder, "node_modules/other"), { recursive: true });
      copyPackage(app, "class-transformer", "node_modules/other");
    });
    expect(outcomes[0]).toEqual({ kind: "ok", output: "true, true AB 2" });
  });
});
