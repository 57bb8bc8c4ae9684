import { basename, resolve } from "node:path";
import { ToolwrightError } from "@toolwright/core";
import { type Command, Option } from "commander";
import { ask, type KnownWish, ownTerminal, type ProjectWish, type Terminal } from "../scaffold/ask.js";
import { packageNameProblem } from "../scaffold/package-name.js";
import type { ProjectKind } from "../scaffold/template-files.js";
import type { Output } from "./output.js";

interface InitFlags {
  readonly kind?: ProjectKind;
  readonly name?: string;
}

/**
 * Adds `toolwright init` to the program.
 *
 * @param terminal - whom to ask for what flags do not say; undefined: nobody.
 */
export function addInit(
  program: Command,
  output: Output,
  exit: (code: number) => void,
  terminal: Terminal | undefined = ownTerminal(),
): void {
  program
    .command("init")
    .description("Starts an app or a tool package. Asks at a terminal; overwrites nothing.")
    .argument("[folder]", "where it goes; made if it is not there (default without a terminal: this folder)")
    .addOption(new Option("-k, --kind <kind>", "what to start").choices(["app", "package"]))
    .option("-n, --name <name>", "its npm name (default: the folder's)")
    .action(async (folder: string | undefined, { kind, name }: InitFlags) => {
      const wish = await wishOf({ kind, folder, name }, terminal);
      if (wish === undefined) {
        exit(1);
        return output.error("Nothing was written.");
      }
      await make(wish, output, exit);
    });
}

async function wishOf(known: KnownWish, terminal: Terminal | undefined): Promise<ProjectWish | undefined> {
  if (known.name !== undefined) assertName(known.name, "--name");
  if (terminal !== undefined) return ask(known, terminal, suggestedName);
  const { kind, folder = "." } = known;
  if (kind === undefined) throw wrong("--kind is missing, and there is no terminal to ask at.", "Write `--kind app` or `--kind package`.");
  const name = known.name ?? basename(resolve(folder));
  if (known.name === undefined) assertName(name, "The folder's name");
  return { kind, folder, name };
}

const suggestedName = (folder: string): string => {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-");
  return packageNameProblem(name) === undefined ? name : "";
};

function assertName(name: string, source: string): void {
  const problem = packageNameProblem(name);
  if (problem === undefined) return;
  throw wrong(`${source} ${JSON.stringify(name)} is no name for an npm package: ${problem}.`, "Write it like `--name @acme/tools-stock`.");
}

async function make({ kind, folder, name }: ProjectWish, output: Output, exit: (code: number) => void): Promise<void> {
  const { templateFiles } = await import("../scaffold/template-files.js");
  const { inTheWay, writeProject } = await import("../scaffold/write-project.js");
  const target = resolve(folder);
  const files = templateFiles(kind, name);
  const obstacles = inTheWay(target, files);
  if (obstacles.length > 0) {
    exit(1);
    output.error(`In ${folder} there is already: ${obstacles.join(", ")}`);
    return output.error("Nothing was written.\nFix: name another folder, or move these away.");
  }
  writeProject(target, files);
  output.out(`Wrote ${kind === "app" ? "the app" : "the tool package"} ${name} in ${folder}:`);
  for (const { path } of files) output.out(`  ${path}`);
  output.out(
    `Next:\n${nextSteps(kind, folder)
      .map((line) => `  ${line}`)
      .join("\n")}`,
  );
}

function nextSteps(kind: ProjectKind, folder: string): readonly string[] {
  // What npm, pnpm and yarn say of themselves to the programs that they start.
  const manager = /^(pnpm|yarn)\//.exec(process.env["npm_config_user_agent"] ?? "")?.[1] ?? "npm";
  return [
    ...(folder === "." ? [] : [`cd ${/\s/.test(folder) ? JSON.stringify(folder) : folder}`]),
    `${manager} install`,
    `${manager} test`,
    kind === "app" ? `${manager} start` : `${manager} run doctor`,
  ];
}

const wrong = (message: string, fix: string): ToolwrightError => new ToolwrightError("BUILD_CONFIG", message, { fix });
