import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { callExpressions } from "../../test-support/matrix/expressions.js";
import { accepted } from "../../test-support/matrix/accepted.js";
import { compileMatrix } from "../../test-support/matrix/compile-matrix.js";
import { temporaryProject } from "../../test-support/temporary-project.js";

const groups = await compileMatrix(accepted);
const cases = groups.flatMap((group) => group.cases);
const sound = cases.filter(({ unsound }) => unsound === undefined);

const runs = 40;

/** Instances are made by the run time from their public data; initialisers fill the rest. */
const helper = `type Data<T> = T extends unknown ? Partial<{ [Key in keyof T]: T[Key] }> : never;
declare function made<T>(data: NoInfer<Data<T>>): T;`;

test("whatever a schema allows, the type of the method allows", async () => {
  const checks = sound.map(({ className, file, tool }) => {
    if (tool === undefined) throw new Error(`${className} was not built`);
    const samples = fc.sample(callExpressions(tool.call, tool.parameters, tool.decode), { numRuns: runs, seed: 7 });
    const lines = [...new Set(samples)].map((sample, index) => `export const v${index}: Parameters<${className}["run"]> = ${sample};`);
    const source = file.replace(/^src\//, "./").replace(/\.ts$/, ".js");
    return [`src/check-${className}.ts`, `import type { ${className} } from "${source}";\n${helper}\n${lines.join("\n")}\n`] as const;
  });
  expect(checks.length).toBeGreaterThan(100);
  using project = temporaryProject({
    ...Object.fromEntries(sound.map(({ file, source }) => [file, source])),
    ...Object.fromEntries(checks),
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        ...{
          target: "es2024",
          module: "nodenext",
          strict: true,
          experimentalDecorators: true,
          noEmit: true,
          skipLibCheck: true,
          types: [],
        },
      },
      include: ["src"],
    }),
  });
  const compiler = fileURLToPath(new URL("../../../../node_modules/typescript/bin/tsc", import.meta.url));
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [compiler, "-p", project.directory, "--pretty", "false"], (_, out, error) => resolve(out + error));
  });
  const [first] = output.split("\n");
  const name = /^src\/(check-\w+\.ts)\((\d+)/.exec(first ?? "");
  const line = name === null ? "" : readFileSync(join(project.directory, "src", name[1] ?? ""), "utf8").split("\n")[Number(name[2]) - 1];
  expect(output, line).toBe("");
}, 120_000);

test("the only types left out are brands and enums of texts, whose values cannot be written as such", () => {
  const reasons = new Set(cases.flatMap(({ unsound }) => unsound ?? []));
  expect([...reasons]).toEqual([expect.stringContaining("brand"), expect.stringContaining("enum")]);
});
