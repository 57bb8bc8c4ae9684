import { resolve } from "node:path";
import { ToolwrightError } from "@toolwright/core";
import type { Command } from "commander";
import type { Finding } from "../doctor/finding.js";
import { counted, type Output } from "./output.js";

interface DoctorFlags {
  readonly fix?: boolean;
  readonly strict?: boolean;
  readonly json?: boolean;
}

/** Adds `toolwright doctor` to the program. */
export function addDoctor(program: Command, output: Output, exit: (code: number) => void): void {
  program
    .command("doctor")
    .description("Tells what would go wrong after publishing a tool package. Runs none of its code.")
    .argument("[folder]", "the package (default: this folder)")
    .option("--fix", "mend what can be mended safely, and tell what was changed")
    .option("--strict", "fail on warnings too")
    .option("--json", "one JSON object on one line")
    .action(async (folder = ".", { fix = false, strict = false, json = false }: DoctorFlags) => {
      try {
        const { changed, findings } = await examine(resolve(folder), fix);
        const errors = findings.filter(({ severity }) => severity === "error").length;
        exit(errors > 0 || (strict && findings.length > 0) ? 1 : 0);
        if (json) output.out(JSON.stringify({ version: 1, ok: errors === 0, changed, findings: findings.map(plain) }));
        else report(findings, changed, output);
      } catch (error) {
        if (!json || !ToolwrightError.is(error, "BUILD_CONFIG")) throw error;
        output.out(JSON.stringify({ version: 1, ok: false, error: { code: error.code, message: error.message, fix: error.fix } }));
        exit(2);
      }
    });
}

/** Repairs may bring others to light, e.g. a keyword that there is no manifest: so as often as something changes, within reason. */
async function examine(
  folder: string,
  fix: boolean,
): Promise<{ readonly changed: readonly string[]; readonly findings: readonly Finding[] }> {
  const [{ diagnose }, { Patient }, { repair }] = await Promise.all([
    import("../doctor/diagnose.js"),
    import("../doctor/patient.js"),
    import("../doctor/repair.js"),
  ]);
  const changed: string[] = [];
  let findings = await diagnose(new Patient(folder));
  for (let round = 0; fix && round < 3; round += 1) {
    const now = await repair(folder, findings);
    if (now.length === 0) break;
    changed.push(...now);
    findings = await diagnose(new Patient(folder));
  }
  return { changed, findings };
}

function report(findings: readonly Finding[], changed: readonly string[], output: Output): void {
  for (const change of changed) output.out(`Changed ${change}`);
  for (const { code, severity, message, fix, ...place } of findings) {
    output.error(`${placeOf(place)}  ${severity === "warning" ? "warning " : ""}${code}\n  ${message}\n  Fix: ${fix}\n`);
  }
  if (findings.length === 0) return output.out("Nothing is wrong with it: it can be published.");
  const errors = findings.filter(({ severity }) => severity === "error").length;
  output.error(`${counted(errors, "error")}, ${counted(findings.length - errors, "warning")}.`);
  if (changed.length === 0 && findings.some(({ repair }) => repair !== undefined))
    output.error("`npx toolwright doctor --fix` mends what is safe.");
}

const placeOf = ({ file, line, column }: Pick<Finding, "file" | "line" | "column">): string =>
  [file, line, column].filter((part) => part !== undefined).join(":");

const plain = ({ repair, ...finding }: Finding): object => ({ ...finding, fixable: repair !== undefined });
