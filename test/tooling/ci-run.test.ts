import { execFile } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

describe(".ci/run closes with what was found", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "ci run "));
    await mkdir(join(folder, ".ci"));
    await cp(join(root, ".ci/run"), join(folder, ".ci/run"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Runs it with an `npm` that prints what is given for `npm test` and for `npm run check`. */
  async function ciRun(
    tests: { readonly prints: string; readonly code: number },
    checks: { readonly prints: string; readonly code: number },
  ) {
    const npm = `#!/bin/sh
case "$*" in
  test) printf '%s\\n' '${tests.prints}'; exit ${tests.code} ;;
  "run --silent check") printf '%s\\n' '${checks.prints}'; exit ${checks.code} ;;
  *) echo "npm $*" >&2; exit 99 ;;
esac
`;
    await writeFile(join(folder, "npm"), npm);
    await chmod(join(folder, "npm"), 0o755);
    const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
    return new Promise<{ readonly code: number; readonly lastLine: string | undefined }>((resolve) => {
      execFile("bash", [join(folder, ".ci/run")], { env, cwd: tmpdir() }, (error, stdout) => {
        resolve({ code: Number(error?.code ?? 0), lastLine: stdout.trimEnd().split("\n").at(-1) });
      });
    });
  }

  it.each([
    ["all well", ["12 passed, 0 failed", 0], ["9 ok, 0 failed", 0], "12 passed, 0 failed", 0],
    ["a failed test", ["11 passed, 1 failed", 1], ["9 ok, 0 failed", 0], "11 passed, 1 failed", 1],
    ["failed checks", ["12 passed, 0 failed", 0], ["7 ok, 2 failed", 1], "12 passed, 2 failed", 1],
    ["both", ["11 passed, 1 failed", 1], ["7 ok, 2 failed", 1], "11 passed, 3 failed", 1],
    ["tests that never started", ["Installing … failed", 1], ["9 ok, 0 failed", 0], "0 passed, 1 failed", 1],
    ["checks that never started", ["12 passed, 0 failed", 0], ["Cannot find module", 1], "12 passed, 1 failed", 1],
    ["a bad exit after good figures", ["12 passed, 0 failed", 3], ["9 ok, 0 failed", 0], "12 passed, 1 failed", 1],
    ["no test at all", ["0 passed, 0 failed", 0], ["9 ok, 0 failed", 0], "0 passed, 0 failed", 1],
    [
      "figures in the middle of the output",
      ["5 passed, 5 failed\n12 passed, 0 failed", 0],
      ["9 ok, 0 failed", 0],
      "12 passed, 0 failed",
      0,
    ],
  ] as const)("%s", async (_, [tests, testsCode], [checks, checksCode], lastLine, code) => {
    expect(await ciRun({ prints: tests, code: testsCode }, { prints: checks, code: checksCode })).toEqual({ code, lastLine });
  });
});
