import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const script = fileURLToPath(new URL("../support/unobserved-runs.mjs", import.meta.url));

/** Runs the script in a process of its own, without flags. */
function runScript(): Promise<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script], { timeout: 60_000, env: { ...process.env, NODE_OPTIONS: "" } }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

describe("S10: no way to use a stream that fails ends the process", () => {
  it("six ends in six ways of looking at them", async () => {
    expect(await runScript()).toEqual({ code: 0, stdout: "36 combinations\n", stderr: "" });
  }, 60_000);
});
