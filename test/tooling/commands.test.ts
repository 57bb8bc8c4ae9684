import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const scripts = new URL("../../scripts/lib/", import.meta.url).href;

/** Runs a module that may import from scripts/lib; `onLine` is called with each line that it prints. */
async function runModule(code: string, options: { env?: NodeJS.ProcessEnv; onLine?: (line: string, pid: number) => void } = {}) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stderr.on("data", (bytes: Buffer) => (output += bytes.toString()));
  child.stdout.on("data", (bytes: Buffer) => {
    output += bytes.toString();
    if (child.pid !== undefined) options.onLine?.(bytes.toString().trim(), child.pid);
  });
  const [exitCode, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { exitCode, signal, output: output.trim() };
}

describe("a command that starts another", () => {
  const running = (child: string, options = "{}") => `
    import { run } from ${JSON.stringify(`${scripts}run.mjs`)};
    const result = await run(process.execPath, ["-e", ${JSON.stringify(child)}], ${options});
    if (result.output !== "") console.log(JSON.stringify(result.output));
    process.exitCode = result.code;`;

  it("ends with its exit code", async () => {
    expect(await runModule(running("process.exit(7)"))).toMatchObject({ exitCode: 7, output: "" });
  });

  it("keeps the output of a quiet one, in its order", async () => {
    const child = "console.log('out'); setTimeout(() => console.error('err'), 50)";
    expect(await runModule(running(child, "{ quiet: true }"))).toMatchObject({ exitCode: 0, output: JSON.stringify("out\nerr\n") });
  });

  it("says which program is missing", async () => {
    const code = `
      import { run } from ${JSON.stringify(`${scripts}run.mjs`)};
      const { code, output } = await run("no-such-program", [], { quiet: true });
      console.log(code, output);`;
    expect((await runModule(code)).output).toMatch(/^127 Cannot start no-such-program: .*ENOENT/);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("hands %s on, and waits for the child to end its own way", async (name) => {
    const child = `
      process.on("${name}", () => setTimeout(() => { console.log("closed"); process.exit(9); }, 50));
      setTimeout(() => process.exit(1), 15_000);
      console.log("ready");`;
    const result = await runModule(running(child), { onLine: (line, pid) => line === "ready" && process.kill(pid, name) });
    expect(result).toMatchObject({ exitCode: 9, output: "ready\nclosed" });
  });

  it("tells by its exit code that a signal ended the child", async () => {
    const child = "console.log('ready'); setTimeout(() => process.exit(1), 15_000)";
    const result = await runModule(running(child), { onLine: (line, pid) => line === "ready" && process.kill(pid, "SIGTERM") });
    expect(result).toMatchObject({ exitCode: 128 + 15 });
  });

  it("keeps the settings of the machine from npm's environment and drops those of the outer command", async () => {
    const child =
      "console.log(JSON.stringify(Object.entries(process.env).filter(([name]) => /^npm_(config_)?(cache|https_proxy|omit|prefix|execpath)$|^NODE_ENV$/.test(name)).sort()))";
    const env = {
      npm_config_cache: "/cache folder",
      npm_config_https_proxy: "proxy",
      npm_config_omit: "dev",
      npm_config_prefix: "/elsewhere",
      npm_execpath: "/npm",
      NODE_ENV: "production",
    };
    expect(JSON.parse((await runModule(running(child), { env })).output)).toEqual([
      ["npm_config_cache", "/cache folder"],
      ["npm_config_https_proxy", "proxy"],
    ]);
  });
});

describe("the figures that npm test closes with", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "figures "));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const passed = { status: "passed" };
  const failed = { status: "failed" };
  const report = (numPassedTests: number, numFailedTests: number, testResults: readonly object[], numPendingTests = 0) => ({
    numTotalTests: numPassedTests + numFailedTests + numPendingTests,
    numPassedTests,
    numFailedTests,
    numPendingTests,
    numTodoTests: 0,
    testResults,
  });
  const file = (status: string, ...assertionResults: readonly object[]) => ({ name: "/a.test.ts", status, assertionResults });

  it.each([
    ["passed tests", report(2, 0, [file("passed", passed, passed)]), 0, { passed: 2, failed: 0, remarks: [] }],
    ["failed tests", report(1, 1, [file("failed", passed, failed)]), 1, { passed: 1, failed: 1, remarks: [] }],
    [
      "a file that did not load",
      report(1, 0, [file("passed", passed), file("failed")]),
      1,
      { passed: 1, failed: 1, remarks: ["Failed outside of its tests: /a.test.ts"] },
    ],
    [
      "an unhandled error",
      report(1, 0, [file("passed", passed)]),
      1,
      { passed: 1, failed: 1, remarks: [expect.stringContaining("outside of any test (exit code 1)")] },
    ],
    ["tests that were skipped", report(1, 0, [file("passed", passed)], 3), 0, { passed: 1, failed: 0, remarks: ["3 not run."] }],
    ["no test", report(0, 0, []), 0, { passed: 0, failed: 0, remarks: ["No test was found."] }],
    ["no report", undefined, 134, { passed: 0, failed: 1, remarks: ["The test runner left no report (exit code 134)."] }],
  ])("count %s", async (name, contents, exitCode, expected) => {
    const path = join(folder, `${name}.json`);
    if (contents !== undefined) await writeFile(path, JSON.stringify(contents));
    const code = `
      import { countTests } from ${JSON.stringify(`${scripts}count-tests.mjs`)};
      console.log(JSON.stringify(countTests(${JSON.stringify(path)}, ${exitCode})));`;
    expect(JSON.parse((await runModule(code)).output)).toEqual(expected);
  });
});
