import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

/** Far above what any text needs on a busy machine, and far below what the slow ways to read it would take. */
const hangMs = 30_000;
/** MB. A text of ten million characters, the reply that brings it and the history that keeps it fit in; not much more does. */
const heap = 768;

interface Line {
  readonly name: string;
  readonly kind: string;
  readonly code: string | undefined;
  readonly issues: number;
  readonly characters: number;
  readonly milliseconds: number;
  readonly answer: string;
}

/** Runs the hostile texts in a process of their own, and checks that each was answered as an invalid call. Gives their number. */
export async function checkHostileTexts(form: "short" | "long"): Promise<number> {
  const script = fileURLToPath(new URL("hostile-run.mjs", import.meta.url));
  const { code, output, errors } = await new Promise<{ code: unknown; output: string; errors: string }>((resolve) => {
    execFile(process.execPath, [`--max-old-space-size=${heap}`, script, form], { maxBuffer: 64 << 20 }, (error, out, text) =>
      resolve({ code: error === null ? 0 : (error.code ?? error.signal), output: out, errors: text }),
    );
  });
  const lines = output.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Line]));
  expect({ code, errors: errors.slice(0, 2000) }, `after ${lines.at(-1)?.name}`).toEqual({ code: 0, errors: "" });
  for (const { name, kind, code: errorCode, issues, characters, milliseconds, answer } of lines) {
    expect({ kind, errorCode, answer }, name).toEqual({ kind: "invalid", errorCode: "TOOL_ARGUMENTS_INVALID", answer: "Done." });
    expect(issues, name).toBeGreaterThan(0);
    expect(issues, name).toBeLessThanOrEqual(20);
    expect(characters, name).toBeLessThan(30_000);
    expect(milliseconds, name).toBeLessThan(hangMs);
  }
  return lines.length;
}
