import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect } from "vitest";
import { fittingValues } from "../support/schema-values.js";
import { fileOf, type FuzzedProject, type FuzzedTool } from "./fuzzed-tools.js";

const compiler = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));

/** Types that a plain value does not fit by itself are compared by their data alone. */
const byData: ReadonlySet<string> = new Set(["Members"]);

/**
 * Samples values of every schema, decodes them as a call does, and lets TypeScript compare each with the parameters of the
 * method: whatever a schema allows, the type must allow. All of it is one program.
 *
 * @returns how many values of each tool were compared
 */
export async function checkSoundness(project: FuzzedProject, samples: number, seed: number): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const files = new Map<string, string[]>();
  for (const [name, tool] of project.tools) {
    const tuples = await decodedTuples(tool, samples, seed);
    counts.set(name, tuples.length);
    const lines = files.get(tool.className) ?? [];
    files.set(tool.className, [...lines, ...linesOf(tool, tuples)]);
  }
  for (const [className, lines] of files) {
    const imports = [`import type { Data } from "./data.js";`, `import type { ${className} } from "./${fileOf(className)}.js";`];
    const text = [...imports, "export type UsedOrNot = Data<string>;", ...lines, ""].join("\n");
    await writeFile(join(project.directory, "src", `check-${fileOf(className)}.ts`), text);
  }
  const output = await new Promise<string>((resolve) => {
    const parameters = [compiler, "-p", project.directory, "--pretty", "false"];
    execFile(process.execPath, parameters, { maxBuffer: 64 << 20 }, (_, out, error) => resolve(out + error));
  });
  expect(output.slice(0, 5000), `seed ${seed}`).toBe("");
  return counts;
}

async function decodedTuples({ manifest, runnable, received }: FuzzedTool, numRuns: number, seed: number): Promise<readonly string[][]> {
  const tuples = new Map<string, string[]>();
  for (const value of fc.sample(fittingValues(manifest.parameters), { numRuns, seed })) {
    const checked = runnable.check(JSON.parse(JSON.stringify(value)));
    if (!checked.ok)
      throw new Error(`seed ${seed}: the schema of ${manifest.name} allows a value that is refused: ${JSON.stringify(value)}`);
    const given = await received(checked.arguments);
    // class-validator knows rules that the schema cannot say.
    if (given === undefined) continue;
    const tuple = given.map(literal);
    tuples.set(tuple.join(), tuple);
  }
  return [...tuples.values()];
}

function linesOf({ className, manifest }: FuzzedTool, tuples: readonly string[][]): readonly string[] {
  const { method, call } = manifest;
  const type = `Parameters<${className}["${method}"]>`;
  const values = tuples.map((tuple, index) => `export const ${method}${index}: ${method} = [${tuple.join(", ")}];`);
  // A type that allowed anything would make all of this worthless.
  const wrong = call.flatMap((_, place) => [
    "// @ts-expect-error: no parameter takes this",
    `export const ${method}Wrong${place}: ${method} = [${(tuples[0] ?? []).map((text, index) => (index === place ? "{ unheardOf: Symbol() }" : text)).join(", ")}];`,
  ]);
  return [`type ${method} = ${byData.has(className) ? `Data<${type}>` : type};`, ...values, ...wrong];
}

/** A value as a TypeScript expression. */
function literal(value: unknown): string {
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, item]) => typeof item !== "function");
    return `{ ${entries.map(([key, item]) => `${JSON.stringify(key)}: ${literal(item)}`).join(", ")} }`;
  }
  return typeof value === "string" ? JSON.stringify(value) : Object.is(value, -0) ? "-0" : String(value);
}
