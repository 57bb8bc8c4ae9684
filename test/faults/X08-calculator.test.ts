import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const examples = fileURLToPath(new URL("../../examples/", import.meta.url));

interface Answer {
  readonly value?: unknown;
  readonly code?: string;
  readonly message?: string;
  readonly milliseconds: number;
  readonly changedGlobals: readonly string[];
}

// Runs in a process of its own, so that an exit or a hang is seen and ends with it.
const script = `
  import { text } from "node:stream/consumers";
  const expressions = JSON.parse(await text(process.stdin));
  const { Calculator } = await import(process.argv[1]);
  const watched = { globalThis, Object: Object.prototype, Function: Function.prototype, Array: Array.prototype, Number: Number.prototype, String: String.prototype, Math, process };
  // Reading some of Node's own globals replaces their getter: read all first.
  const look = () => new Map(Object.entries(watched).flatMap(([owner, object]) => Reflect.ownKeys(object).map((key) => {
    try { return [owner + "." + String(key), owner === "process" ? typeof object[key] : object[key]]; } catch { return [owner + "." + String(key), "unreadable"]; }
  })));
  look();
  const answers = expressions.map((expression) => {
    const before = look();
    const start = performance.now();
    let answer;
    try { answer = { value: new Calculator().calculate(expression) }; }
    catch (error) { answer = { code: error.code, message: error.message }; }
    const milliseconds = performance.now() - start;
    const after = look();
    const changedGlobals = [...new Set([...before.keys(), ...after.keys()])].filter((name) => !Object.is(before.get(name), after.get(name)));
    return { ...answer, milliseconds, changedGlobals };
  });
  process.stdout.write(JSON.stringify(answers));
`;

async function calculateAll(expressions: readonly string[]): Promise<Answer[]> {
  const calculator = new URL("../../examples/dist/calculator.js", import.meta.url).href;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script, calculator], { timeout: 15_000 });
  child.stdin.end(JSON.stringify(expressions));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (output === "") throw new Error(`The process ended without an answer. ${errors}`);
  return JSON.parse(output) as Answer[];
}

const refused = { code: "CALCULATION_SYNTAX", message: expect.stringMatching(/^This is not an arithmetic expression: /) };
const table: readonly (readonly [expression: string, expected: object])[] = [
  ["process.exit()", refused],
  ["constructor.constructor('return 1')()", refused],
  ["constructor.constructor(1)()", refused],
  ["max.constructor(1)", refused],
  ["__proto__", refused],
  ["[].map", refused],
  ["globalThis", refused],
  ["9**9**9", { code: "CALCULATION_TOO_LARGE", message: expect.stringContaining("too large") }],
  ["(".repeat(1_000_000), refused],
  ["-".repeat(1_000_000), refused],
  ["9".repeat(1_000_000), refused],
  ["2**".repeat(60) + "2", { code: "CALCULATION_TOO_LARGE" }],
  ["1/0", { code: "CALCULATION_UNDEFINED", message: expect.stringContaining("division by zero") }],
  ["0.1+0.2", { value: 0.3 }],
  ["12 * 9 / 5 + 32", { value: 53.6 }],
];

describe("X08: a calculator tool runs no code and costs little", () => {
  it("answers each expression of the table, ends soon, and changes no global", async () => {
    const answers = await calculateAll(table.map(([expression]) => expression));
    expect(answers).toHaveLength(table.length);
    table.forEach(([expression, expected], index) => {
      const answer = answers[index];
      const shown = expression.slice(0, 40);
      expect(answer, shown).toMatchObject({ ...expected, changedGlobals: [] });
      expect(answer?.milliseconds, shown).toBeLessThan(2_000);
    });
  });

  it("is built from source that evaluates no text as code", () => {
    const own = ["calculator.ts", "arithmetic.ts"].map((name) => join(examples, "src", name));
    const entry = dirname(createRequire(join(examples, "package.json")).resolve("jsep"));
    const library = join(entry, "..");
    const scripts = readdirSync(library, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.[cm]?js$/.test(name))
      .map((name) => join(library, name));
    expect(scripts.length).toBeGreaterThan(1);
    for (const file of [...own, ...scripts]) {
      expect(readFileSync(file, "utf8"), file).not.toMatch(
        /\beval\b|\bFunction\s*\(|\bimport\s*\(|["'](?:node:)?vm["']|["'](?:node:)?child_process["']/,
      );
    }
  });
});
