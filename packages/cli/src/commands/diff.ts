import { resolve } from "node:path";
import { lockFileName, ToolwrightError } from "@toolwright/core";
import type { Command } from "commander";
import { appPackages } from "../packages/app-packages.js";
import { lockChanges } from "../packages/lock-changes.js";
import { changesText, packageText } from "../packages/package-text.js";
import { withUsageErrors } from "../packages/usage-errors.js";
import { counted, type Output } from "./output.js";

/** Adds `toolwright diff` to the program. */
export function addDiff(program: Command, output: Output, exit: (code: number) => void): void {
  program
    .command("diff")
    .description("Shows what of the tool packages is not what was approved. Exits with 1 when anything is.")
    .argument("[packages...]", "only of these (default: all that the app allows)")
    .option("--folder <path>", "of the app (default: this one)", ".")
    .option("--json", "one JSON object on one line")
    .action(async (names: readonly string[], { folder, json = false }: { readonly folder: string; readonly json?: boolean }) => {
      await withUsageErrors(output, json, exit, async () => {
        const app = await appPackages(resolve(folder));
        if (app.lock === undefined) {
          throw new ToolwrightError("REGISTRY_LOCK", `There is no ${lockFileName}, so nothing was approved yet.`, {
            fix: "Run `npx toolwright lock`: it shows what the packages bring, and approves it.",
          });
        }
        const { added, changed, removed, broken } = lockChanges(app, names);
        const count = added.length + changed.length + removed.length + broken.length;
        exit(count > 0 ? 1 : 0);
        if (json)
          return output.out(
            JSON.stringify({ version: 1, ok: count === 0, added: added.map((each) => each.package), changed, removed, broken }),
          );
        for (const each of broken) output.error(each);
        for (const manifest of added) output.out(`${manifest.package}: not approved yet\n${packageText(manifest)}\n`);
        for (const { package: name, changes } of changed) output.out(`${name}\n${changesText(changes)}\n`);
        for (const name of removed) output.out(`${name}: approved, and not allowed any more\n`);
        if (count === 0) return output.out(`Nothing differs from ${lockFileName}.`);
        output.error(`${counted(count, "package")} ${count === 1 ? "differs" : "differ"}. \`npx toolwright lock\` approves.`);
      });
    });
}
