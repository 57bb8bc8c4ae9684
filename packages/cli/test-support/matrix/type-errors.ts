import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { temporaryProject } from "../temporary-project.js";
import type { CompiledCase } from "./compile-matrix.js";
import { callExpressions } from "./expressions.js";

const compiler = fileURLToPath(new URL("../../../../node_modules/typescript/bin/tsc", import.meta.url));

/** Instances are made by the run time from their public data; initialisers fill the rest. */
const helper = `type Data<T> = T extends unknown ? Partial<{ [Key in keyof T]: T[Key] }> : never;
declare function made<T>(data: NoInfer<Data<T>>): T;`;

const tsconfig = JSON.stringify({
  compilerOptions: {
    ...{ target: "es2024", module: "nodenext", strict: true, experimentalDecorators: true },
    ...{ noEmit: true, skipLibCheck: true, types: [] },
  },
  include: ["src"],
});

/**
 * Samples values of each schema, as a call has them, and lets TypeScript compare them with the parameters of the method.
 * The types are all of the matrix, and how they are decoded is read from the plan; test/fuzz does the same with fewer types
 * and what the run time really makes of them.
 *
 * @returns what TypeScript says, with the first line that it says it of; empty when all fit.
 */
export async function typeErrors(cases: readonly CompiledCase[], samples: number): Promise<string> {
  const checks = cases.map(({ className, file, tool }) => {
    if (tool === undefined) throw new Error(`${className} was not built`);
    const values = fc.sample(callExpressions(tool.call, tool.parameters, tool.decode), { numRuns: samples, seed: 7 });
    const lines = [...new Set(values)].map((value, index) => `export const v${index}: Parameters<${className}["run"]> = ${value};`);
    const source = file.replace(/^src\//, "./").replace(/\.ts$/, ".js");
    return [`src/check-${className}.ts`, `import type { ${className} } from "${source}";\n${helper}\n${lines.join("\n")}\n`] as const;
  });
  using project = temporaryProject({
    ...Object.fromEntries(cases.map(({ file, source }) => [file, source])),
    ...Object.fromEntries(checks),
    "tsconfig.json": tsconfig,
  });
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [compiler, "-p", project.directory, "--pretty", "false"], (_, out, error) => resolve(out + error));
  });
  const [, name, line] = /^src\/(check-\w+\.ts)\((\d+)/m.exec(output) ?? [];
  if (name === undefined) return output;
  const text = readFileSync(join(project.directory, "src", name), "utf8").split("\n")[Number(line) - 1];
  return `${output}${text}`;
}
