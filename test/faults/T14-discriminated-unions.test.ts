import { describe, expect, test } from "vitest";
import { callTool } from "../support/call-tool.js";
import { compileToolkit } from "../support/compile-toolkit.js";
import { buildTools, expectStrictSchema } from "../support/tool-project.js";

const source = `
export class Circle { radius!: number; readonly kind = "circle"; label?: string }
export class Square { side!: number; kind = "square" as const; since?: Date }
export class Drawing { name!: string; shape!: Circle | Square; more: (Circle | Square)[] = [] }
const shown = (shape: Circle | Square): string => \`\${shape.constructor.name} \${shape.kind} \${Object.keys(shape).sort().join()}\`;
export class T {
  /** Draws all of the shapes. */ @Tool({ effect: "read" })
  draw(drawing: Drawing): unknown { return [shown(drawing.shape), ...drawing.more.map(shown)]; }
  /** Measures one of the shapes. */ @Tool({ effect: "read" })
  measure(shape: Circle | Square): unknown { return shown(shape); }
}`;

const closed = (properties: object): object => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const circle = closed({ kind: { type: "string", enum: ["circle"] }, radius: { type: "number" }, label: { type: ["string", "null"] } });
const square = closed({
  kind: { type: "string", enum: ["square"] },
  side: { type: "number" },
  since: { type: ["string", "null"], format: "date-time" },
});

test("branches are closed, below the root, and begin with what tells them apart", async () => {
  const { tools, text } = await buildTools(source);
  expectStrictSchema(tools["draw"]?.parameters);
  expect(tools["draw"]?.parameters.properties["shape"]).toEqual({ anyOf: [{ $ref: "#/$defs/Circle" }, { $ref: "#/$defs/Square" }] });
  expect(tools["draw"]?.parameters.$defs).toEqual({ Circle: circle, Square: square });
  expect(JSON.stringify(tools["draw"]?.parameters.$defs)).toBe(JSON.stringify({ Circle: circle, Square: square }));
  // The single parameter that is a union is a property of an object.
  expectStrictSchema(tools["measure"]?.parameters);
  expect(tools["measure"]?.parameters).toEqual(closed({ shape: { anyOf: [circle, square] } }));
  expect(text).not.toMatch(/oneOf|"const"/);
});

test("a union whose branches nothing tells apart is refused", async () => {
  const { result } = await buildTools(`
    interface One { id: string } interface Two { id: number }
    export class T { /** Takes one of both. */ @Tool({ effect: "read" }) run(value: One | Two): void {} }`);
  expect(result.problems.map(({ subject, fix }) => [subject, fix])).toEqual([
    ["T.run(value)", expect.stringContaining('`kind: "circle"`') as string],
  ]);
});

describe("at run time", async () => {
  const tool = await compileToolkit(`import { Tool } from "@toolwright/core";\n${source}`, "T");
  const aCircle = { kind: "circle", radius: 1, label: null };
  const aSquare = { kind: "square", side: 2, since: "2024-05-31T12:00:00Z" };

  test("each branch becomes an instance of its class", async () => {
    const { calls } = await callTool(tool, "draw", [JSON.stringify({ name: "x", shape: aSquare, more: [aCircle, aSquare] })]);
    expect(calls[0]?.outcome).toMatchObject({
      kind: "ok",
      output: JSON.stringify(["Square square kind,side,since", "Circle circle kind,radius", "Square square kind,side,since"]),
    });
  });

  test("a mixture of both is refused with its path, and the others run", async () => {
    const { calls, issues } = await callTool(tool, "measure", [
      JSON.stringify({ shape: { ...aCircle, kind: "square" } }),
      JSON.stringify({ shape: { ...aCircle, side: 3 } }),
      JSON.stringify({ shape: { kind: "oval" } }),
      JSON.stringify({ shape: aCircle }),
    ]);
    expect(calls.map(({ outcome }) => outcome.kind)).toEqual(["invalid", "invalid", "invalid", "ok"]);
    for (const [first] of issues.slice(0, 3)) expect(first?.path).toMatch(/^shape\b/);
  });
});
