import { spawn } from "node:child_process";
import { ToolwrightError } from "@toolwright/core";

/** A class to load, and where from: a compiled file or a package. */
export interface ClassToLoad {
  readonly id: string;
  /** A `file:` URL, or the name of a package. */
  readonly module: string;
  readonly exportName: string;
}

/** What class-validator itself knows of one decorator. */
export interface ValidatorMetadata {
  readonly classId: string;
  readonly property: string;
  /** E.g. `minLength`; for decorators that have no name of their own, their kind, e.g. `nestedValidation`. */
  readonly name: string;
  readonly each: boolean;
  readonly constraints: readonly unknown[];
}

/**
 * Runs in a process of its own, in the project's folder, so that modules are found as the project finds them, and what
 * they do when imported ends with it. The answer goes to a channel of its own: modules may print.
 */
const program = `
import { writeFileSync } from "node:fs";
const found = [];
// The object of a numeric enum also has the names by value.
const withoutNames = (value) => Object.fromEntries(Object.entries(value).filter(([key, name]) => Number.isNaN(Number(key)) || String(value[name]) !== key));
const plainOf = (value) => {
  if (value instanceof RegExp) return { pattern: value.source, flags: value.flags };
  return typeof value === "object" && value !== null && !Array.isArray(value) ? withoutNames(value) : value;
};
const { getMetadataStorage } = await import("class-validator");
for (const { id, module, exportName } of JSON.parse(process.env.TOOLWRIGHT_AUDIT)) {
  const loaded = await import(module);
  const target = loaded[exportName] ?? loaded.default?.[exportName];
  if (typeof target !== "function") throw new Error(module + " exports no class " + exportName);
  for (const { propertyName, type, name, constraints, each } of getMetadataStorage().getTargetValidationMetadatas(target, undefined, true, false)) {
    const constraintsOf = (constraints ?? []).map(plainOf);
    found.push({ classId: id, property: propertyName, name: name ?? type, each: each === true, constraints: constraintsOf });
  }
}
writeFileSync(3, JSON.stringify(found));
process.exit(0);
`;

const longestMs = 120_000;

/**
 * Imports classes and reads what class-validator recorded of them. This runs the project's code.
 *
 * @throws ToolwrightError `BUILD_CONFIG` when a module cannot be imported.
 */
export async function readMetadata(classes: readonly ClassToLoad[], directory: string): Promise<readonly ValidatorMetadata[]> {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: directory,
    env: { ...process.env, TOOLWRIGHT_AUDIT: JSON.stringify(classes) },
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    timeout: longestMs,
  });
  const texts = ["", ""];
  for (const [index, stream] of [child.stderr, child.stdio[3]].entries()) {
    // A pipe, as asked for above.
    (stream as NodeJS.ReadableStream | null)?.setEncoding("utf8").on("data", (text: string) => (texts[index] += text));
  }
  const code = await new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
  const [error = "", answer = ""] = texts;
  if (code === 0 && answer !== "") return JSON.parse(answer) as readonly ValidatorMetadata[];
  const [reason] = /^\w*Error\b.*$/m.exec(error) ?? [code === null ? "it did not end in two minutes" : "it ended before it was done"];
  throw new ToolwrightError("BUILD_CONFIG", `The audit could not load the compiled classes: ${reason}`, {
    fix: "The compiled modules must be importable by themselves. See what `node` says when you import one.",
  });
}
