import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";

/** A folder from which neither class-validator nor class-transformer can be found, and the decoder as one file in it. */
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolwright-"));
  await build({
    entryPoints: [join(import.meta.dirname, "decode-arguments.ts")],
    outfile: join(folder, "decode.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["class-validator", "class-transformer"],
    logLevel: "error",
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Decodes `{ a: "x" }` for a class, with or without rules that some copy of class-validator recorded on it. */
async function decodeWithoutPackages(rules: boolean): Promise<unknown> {
  await writeFile(
    join(folder, "run.mjs"),
    `import { createDecoder } from "./decode.mjs";
     class Dto { a; b = 1; }
     if (${rules}) globalThis.classValidatorMetadataStorage = { getTargetValidationMetadatas: () => [{ type: "customValidation", propertyName: "a" }] };
     const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };
     try {
       const result = await createDecoder(schema, { dto: "Dto" }, { Dto }).decode({ a: "x" });
       console.log(JSON.stringify({ ...result, isDto: result.value instanceof Dto }));
     } catch (error) {
       console.log(JSON.stringify({ code: error.code, message: error.message }));
     }`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "run.mjs")]);
  return JSON.parse(stdout) as unknown;
}

it("makes DTOs without rules although the optional packages are missing", async () => {
  expect(await decodeWithoutPackages(false)).toEqual({ ok: true, isDto: true, value: { a: "x", b: 1 } });
});

it("gives the install line when a DTO has rules", async () => {
  expect(await decodeWithoutPackages(true)).toEqual({
    code: "TOOL_MISSING_PACKAGE",
    message: expect.stringMatching(/class Dto .*class-transformer is not installed[^]*npm install class-validator class-transformer/),
  });
});
