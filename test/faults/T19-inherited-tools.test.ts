import { describe, expect, test } from "vitest";
import { toolDefinitions } from "@toolwright/core";
import { callTool } from "../support/call-tool.js";
import { compileToolkit } from "../support/compile-toolkit.js";
import { imports, ToolProject } from "../support/tool-project.js";

const source = `
type Class<T = object> = abstract new (...rest: any[]) => T;
export class Base {
  name = "base";
  /** Answers with its own name. */ @Tool({ effect: "read" }) ping(): string { return \`ping \${this.name} \${this.constructor.name}\`; }
  /** Answers with its own text. */ @Tool({ effect: "read" }) text(prefix: string): string { return prefix + this.name; }
}
export class Sub extends Base {
  override name = "sub";
  /** Answers with its own name too. */ @Tool({ effect: "read" }) pong(): string { return \`pong \${this.name}\`; }
}
export class Sub2 extends Base { override name = "sub2"; override ping(): string { return "quiet"; } }
export class Sub3 extends Base {
  /** Answers otherwise than its base. */ @Tool({ effect: "write" }) override ping(loud = false): string { return \`\${super.ping()}\${loud ? "!" : "?"}\`; }
}
export abstract class Store<Item> {
  readonly items: Item[] = [];
  /** Saves one item of its kind. */ @Tool({ effect: "write" }) save(item: Item): unknown { this.items.push(item); return [this.constructor.name, this.items.length, item]; }
}
export class User { mail!: string; since = 2024 }
export class Users extends Store<User> {}
export class Numbers extends Store<number> {}
function Counting<Base extends Class>(Parent: Base) {
  abstract class Counts extends Parent {
    count = 0;
    /** Counts one call more. */ @Tool({ effect: "read" }) next(): number { return (this.count += 1); }
  }
  return Counts;
}
export class Mixed extends Counting(Base) { override name = "mixed"; }
`;

async function names(className: string): Promise<readonly string[]> {
  const tool = await compileToolkit(`import { Tool } from "@toolwright/core";\n${source}`, className);
  return toolDefinitions([tool as never]).map(({ name }) => name);
}

async function outputs(className: string, name: string, ...calls: readonly object[]): Promise<readonly unknown[]> {
  const tool = await compileToolkit(`import { Tool } from "@toolwright/core";\n${source}`, className);
  const { calls: records } = await callTool(
    tool,
    name,
    calls.map((call) => JSON.stringify(call)),
  );
  return records.map(({ outcome }) => (outcome.kind === "ok" ? outcome.output : outcome.kind));
}

describe("tools of a base class", () => {
  test.each([
    ["Base", ["ping", "text"]],
    ["Sub", ["pong", "ping", "text"]],
    ["Sub2", ["text"]],
    ["Sub3", ["ping", "text"]],
    ["Mixed", ["next", "ping", "text"]],
  ])("%s has %j", async (className, expected) => {
    expect(await names(className)).toEqual(expected);
  });

  test("run on the concrete instance", async () => {
    expect(await outputs("Base", "ping", {})).toEqual(["ping base Base"]);
    expect(await outputs("Sub", "ping", {})).toEqual(["ping sub Sub"]);
    expect(await outputs("Sub2", "text", { prefix: "> " })).toEqual(["> sub2"]);
    expect(await outputs("Mixed", "ping", {})).toEqual(["ping mixed Mixed"]);
    expect(await outputs("Mixed", "next", {}, {})).toEqual(["1", "2"]);
  });

  test("an override with @Tool has its own schema and effect", async () => {
    expect(await outputs("Sub3", "ping", { loud: true })).toEqual(["ping base Sub3!"]);
  });

  test("a generic base has the types that the class gives it", async () => {
    expect(await outputs("Users", "save", { mail: "a@b.c", since: null })).toEqual(['["Users",1,{"mail":"a@b.c","since":2024}]']);
    expect(await outputs("Numbers", "save", { item: 5 }, { item: "5" })).toEqual(['["Numbers",1,5]', "invalid"]);
  });
});

describe("a base class of another package, of which only declarations are there", () => {
  const base = {
    "node_modules/@acme/base/package.json": JSON.stringify({
      ...{ name: "@acme/base", version: "1.0.0", type: "module", exports: { ".": { types: "./index.d.ts", default: "./index.js" } } },
      peerDependencies: { "@toolwright/core": "*" },
    }),
    "node_modules/@acme/base/index.d.ts": `export declare class Stock {
      /** @param id Of the article. */
      count(id: string, at?: Date): number;
      audit(note: string): boolean;
      other(): void;
    }`,
  };
  const tool = {
    effect: "write",
    approval: { method: "audit", call: [] },
    parameters: { properties: { note: { description: "Why it is done." } } },
  };
  const manifest = {
    format: 1,
    package: "@acme/base",
    version: "1.0.0",
    toolkits: [
      {
        ...{ format: 1, className: "Stock", package: "@acme/base" },
        tools: [
          {
            name: "x_count",
            method: "count",
            description: "Counts what is in stock.",
            effect: "read",
            maxCalls: 3,
            parameters: { properties: {} },
          },
          { name: "look", method: "audit", description: "Looks whether all is well.", ...tool },
        ],
      },
    ],
  };
  const heir = `${imports}import { Stock } from "@acme/base";
    export class MyStock extends Stock { /** Does its own thing too. */ @Tool({ effect: "read" }) own(): void {} }`;

  test("brings the tools that its package's manifest names, with their options and the types of the declarations", async () => {
    using project = new ToolProject({
      ...base,
      "node_modules/@acme/base/toolwright.manifest.json": JSON.stringify(manifest),
      "src/a.ts": heir,
    });
    const { problems } = await project.build();
    expect(problems).toEqual([]);
    const { own, count, audit, ...others } = project.tools();
    expect(others).toEqual({});
    expect(own?.name).toBe("own");
    expect(count).toMatchObject({ name: "count", description: "Counts what is in stock.", effect: "read", maxCalls: 3 });
    expect(count?.parameters.properties).toEqual({
      id: { type: "string", description: "Of the article." },
      at: { type: ["string", "null"], format: "date-time" },
    });
    expect(audit).toMatchObject({ name: "look", approval: { method: "audit", call: [{ argument: "note" }] } });
    expect(audit?.parameters.properties["note"]).toEqual({ type: "string", description: "Why it is done." });
  });

  test("is remarked on when nothing tells what its tools are", async () => {
    using project = new ToolProject({ ...base, "src/a.ts": heir });
    const { ok, warnings } = await project.build();
    expect(ok).toBe(true);
    expect(warnings.map(({ subject, reason, fix }) => [subject, reason, fix])).toEqual([
      [
        "MyStock",
        expect.stringContaining("do not tell what of it is a tool") as string,
        expect.stringContaining("super.method(…)") as string,
      ],
    ]);
  });
});
