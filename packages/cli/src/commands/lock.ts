import { relative, resolve, sep } from "node:path";
import { lockFileName, lockOf, type PackageManifest } from "@toolwright/core";
import type { Command } from "commander";
import { appPackages, type AppPackages } from "../packages/app-packages.js";
import { type Asking, confirm, ownAsking } from "../packages/confirm.js";
import { type LockChanges, lockChanges } from "../packages/lock-changes.js";
import { changesText, packageText } from "../packages/package-text.js";
import { withUsageErrors } from "../packages/usage-errors.js";
import { writeFiles } from "../write-files.js";
import { counted, type Output } from "./output.js";

interface LockFlags {
  readonly folder: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/**
 * Adds `toolwright lock` to the program.
 *
 * @param asking - whom to ask for each package; undefined: nobody, and `--yes` is needed.
 */
export function addLock(program: Command, output: Output, exit: (code: number) => void, asking: Asking | undefined = ownAsking()): void {
  program
    .command("lock")
    .description(`Approves tool packages as they are installed, in ${lockFileName}. Shows what they bring first.`)
    .argument("[packages...]", "only these; others stay as they were approved (default: all that the app allows)")
    .option("--folder <path>", "of the app (default: this one)", ".")
    .option("-y, --yes", "approve without asking")
    .option("--json", "one JSON object on one line")
    .action(async (names: readonly string[], { folder, yes = false, json = false }: LockFlags) => {
      await withUsageErrors(output, json, exit, async () => {
        const app = await appPackages(resolve(folder));
        const changes = lockChanges(app, names);
        if (!json) show(changes, app, output);
        const approved = changes.broken.length > 0 ? "no" : await isApproved(changes, yes, json ? undefined : asking);
        if (approved === "yes") write(app, changes);
        exit(approved === "no" ? 1 : 0);
        if (json) return output.out(JSON.stringify({ version: 1, ok: approved !== "no", written: approved === "yes", ...plain(changes) }));
        tell(approved, changes, app, output);
      });
    });
}

function show({ added, changed, removed, broken }: LockChanges, { allowances, packages }: AppPackages, output: Output): void {
  if (allowances.length === 0 && packages.length > 0)
    output.error("No `ToolRegistry.discover` was found in the sources, so all installed tool packages are meant.\n");
  for (const each of broken) output.error(each);
  for (const manifest of added) output.out(`${packageText(manifest)}\n`);
  for (const { package: name, manifest, changes } of changed) output.out(`${name} ${manifest.version}: changed\n${changesText(changes)}\n`);
  for (const name of removed) output.out(`${name}: not allowed any more\n`);
}

/** Whether there is something to write, and someone has approved it. */
async function isApproved(
  { added, changed, removed }: LockChanges,
  yes: boolean,
  asking: Asking | undefined,
): Promise<"yes" | "no" | "nothing"> {
  const fresh = [...added, ...changed.map(({ manifest }) => manifest)];
  if (fresh.length + removed.length === 0) return "nothing";
  if (yes || fresh.length === 0) return "yes";
  if (asking === undefined) return "no";
  for (const { package: name, version } of fresh) if (!(await confirm(asking, `Approve ${name} ${version}?`))) return "no";
  return "yes";
}

function write({ folder, lock, lockPath }: AppPackages, { added, changed, kept, removed }: LockChanges): void {
  const fresh = [...added, ...changed.map(({ manifest }) => manifest), ...kept];
  const others = Object.values(lock?.packages ?? {}).map(({ manifest }) => manifest);
  const isKept = (manifest: PackageManifest): boolean =>
    !removed.includes(manifest.package) && !fresh.some((each) => each.package === manifest.package);
  const text = `${JSON.stringify(lockOf([...fresh, ...others.filter(isKept)]), undefined, 2)}\n`;
  writeFiles([{ path: lockPath, shown: relative(folder, lockPath).split(sep).join("/"), text }]);
}

function tell(
  approved: "yes" | "no" | "nothing",
  { added, changed, removed, broken }: LockChanges,
  app: AppPackages,
  output: Output,
): void {
  if (approved === "nothing") {
    const none = app.packages.length === 0 && app.lock === undefined;
    return output.out(none ? "There is no tool package among the dependencies of this app." : `${lockFileName} is up to date.`);
  }
  if (approved === "no") {
    output.error("Nothing was written.");
    return output.error(
      broken.length > 0
        ? "Fix: update these packages, or take them off `allow`."
        : "Fix: read what is above; `npx toolwright lock --yes` approves it.",
    );
  }
  const parts = [
    ...(added.length > 0 ? [`${counted(added.length, "package")} approved`] : []),
    ...(changed.length > 0 ? [`${counted(changed.length, "package")} approved anew`] : []),
    ...(removed.length > 0 ? [`${counted(removed.length, "package")} dropped`] : []),
  ];
  output.out(`${lockFileName}: ${parts.join(", ")}. Commit it.`);
}

const plain = ({ added, changed, removed, broken }: LockChanges): object => ({
  added: added.map((manifest) => manifest.package),
  changed: changed.map(({ package: name, changes }) => ({ package: name, changes })),
  removed,
  broken,
});
