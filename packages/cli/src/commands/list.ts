import { resolve } from "node:path";
import { listToolPackages, type PackageListing, visibleText } from "@toolwright/core";
import type { Command } from "commander";
import { allowedNames, type AppPackages, approvalOf, appPackages } from "../packages/app-packages.js";
import { needsLines } from "../packages/package-text.js";
import { table } from "../packages/table.js";
import { withUsageErrors } from "../packages/usage-errors.js";
import type { Output } from "./output.js";

/** One allow-list of the app, and what a registry with it would list. */
interface ListedRegistry {
  /** Where it is in the sources; undefined when none was found, and nothing is known to be allowed. */
  readonly place: string | undefined;
  readonly packages: readonly PackageListing[];
  readonly problem: string | undefined;
  readonly unread: readonly string[];
}

/** Adds `toolwright list` to the program. */
export function addList(program: Command, output: Output, exit: (code: number) => void): void {
  program
    .command("list")
    .description("Tells which tool packages are installed, allowed and offered, and why not. Runs none of their code, nor yours.")
    .argument("[folder]", "of the app (default: this one)")
    .option("--json", "one JSON object on one line")
    .action(async (folder = ".", { json = false }: { readonly json?: boolean }) => {
      await withUsageErrors(output, json, exit, async () => {
        const app = await appPackages(resolve(folder));
        const registries = registriesOf(app);
        const problems = problemsOf(app, registries);
        exit(problems.length > 0 ? 1 : 0);
        if (json) return output.out(JSON.stringify({ version: 1, ok: problems.length === 0, problems, ...plain(app, registries) }));
        output.out(text(app, registries));
        for (const problem of problems) output.error(visibleText(problem));
      });
    });
}

function registriesOf({ packages, allowances }: AppPackages): readonly ListedRegistry[] {
  if (allowances.length === 0) return [{ place: undefined, ...listToolPackages(packages, {}), unread: [] }];
  return allowances.map(({ place, allow, unread }) => ({ place, ...listToolPackages(packages, allow), unread }));
}

/** Why a registry of the app would not start. */
function problemsOf({ packages, lock, allowances }: AppPackages, registries: readonly ListedRegistry[]): readonly string[] {
  const allowed = allowedNames(allowances) ?? new Set();
  const broken = registries.flatMap(({ place, packages: listed, problem }) => [
    ...listed.flatMap((each) =>
      each.problem !== undefined && allowed.has(each.package) ? [`${place}: ${each.package}: ${each.problem}`] : [],
    ),
    ...(problem === undefined ? [] : [`${place}: ${problem}`]),
  ]);
  const drift = packages.flatMap((each) => {
    if (lock === undefined || !allowed.has(each.package) || each.problem !== undefined) return [];
    const { state } = approvalOf(each, lock);
    if (state === "approved") return [];
    return [
      `${each.package} is ${state === "new" ? "not approved" : "not what was approved"}: \`toolwright diff\` shows it, \`toolwright lock\` approves it.`,
    ];
  });
  const edited = packages.flatMap(({ package: name, editedTools }) =>
    editedTools.length === 0 ? [] : [`${name}: its manifest was edited after its build: ${editedTools.join(", ")}.`],
  );
  return [...broken, ...drift, ...edited];
}

function text(app: AppPackages, registries: readonly ListedRegistry[]): string {
  const { packages, lock } = app;
  if (packages.length === 0 && registries.every((registry) => registry.packages.length === 0))
    return "There is no tool package among the dependencies of this app.";
  const sections = registries.map(({ place, packages: listed, unread }) => {
    const title =
      place === undefined
        ? "No `ToolRegistry.discover` was found in the sources: nothing is known to be allowed."
        : `${visibleText(place)}`;
    const notes = unread.map((what) => `  cannot be read without running the code: ${visibleText(what)}`);
    return [title, ...notes, tableOf(listed)].join("\n");
  });
  const about = packages.map((each) => aboutLines(each, lock === undefined ? "" : `, ${stateInWords(approvalOf(each, lock).state)}`));
  return [...sections, about.flat().join("\n")].join("\n\n");
}

const stateInWords = (state: "approved" | "new" | "changed"): string =>
  state === "approved" ? "approved" : state === "new" ? "not approved" : "not what was approved";

const header = ["package", "state", "tool", "effect", "offered as", "why not"];

function tableOf(listed: readonly PackageListing[]): string {
  const rows = listed.flatMap(({ package: name, version = "?", state, tools, problem }) => {
    if (problem !== undefined) return [[`${name} ${version}`, state, "", "", "", visibleText(problem)]];
    return tools.map((tool, index) => {
      const first = index === 0 ? [`${name} ${version}`, state] : ["", ""];
      return [...first, tool.name, tool.effect, tool.offeredAs ?? "-", tool.reason ?? ""];
    });
  });
  return table(header, rows);
}

function aboutLines({ package: name, manifest }: AppPackages["packages"][number], approval: string): readonly string[] {
  if (manifest === undefined) return [];
  return [`${name} ${manifest.version}${approval}`, ...needsLines(manifest).map((line) => `  ${line}`), ...configLines(name, manifest)];
}

/** The keys of a configuration, and whether the environment of this command has them; never their values. */
function configLines(name: string, manifest: NonNullable<AppPackages["packages"][number]["manifest"]>): readonly string[] {
  const [listing] = listToolPackages([{ package: name, path: "", manifest, problem: undefined, editedTools: [] }], {}).packages;
  return (listing?.config ?? []).map(({ key, required, environment, secret }) => {
    const variable = environment === undefined ? [] : [`${environment}: ${isSet(environment) ? "set" : "not set"}`];
    const marks = [...(required ? ["required"] : []), ...(secret ? ["secret"] : []), ...variable];
    return `  config ${visibleText(key)}${marks.length === 0 ? "" : ` (${marks.join(", ")})`}`;
  });
}

const isSet = (name: string): boolean => (process.env[name] ?? "") !== "";

function plain({ packages, lock, lockPath }: AppPackages, registries: readonly ListedRegistry[]): object {
  return {
    lock: lock === undefined ? null : lockPath,
    registries: registries.map(({ place, unread, packages: listed }) => ({ place: place ?? null, unread, packages: listed })),
    approvals: Object.fromEntries(packages.map((each) => [each.package, lock === undefined ? null : approvalOf(each, lock).state])),
  };
}
