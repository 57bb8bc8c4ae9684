import type { Readable, Writable } from "node:stream";
import { packageNameProblem } from "./package-name.js";
import type { ProjectKind } from "./template-files.js";

/** A person to ask. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

/** What is to be made. */
export interface ProjectWish {
  readonly kind: ProjectKind;
  /** As given: relative to where the command runs. */
  readonly folder: string;
  readonly name: string;
}

/** What flags have said already. */
export type KnownWish = { readonly [Key in keyof ProjectWish]?: ProjectWish[Key] | undefined };

/** The terminal of this process; undefined where nobody would answer. */
export function ownTerminal(): Terminal | undefined {
  const { stdin: input, stdout: output, env } = process;
  return input.isTTY && output.isTTY && env["CI"] === undefined ? { input, output } : undefined;
}

/**
 * Asks for what flags have not said.
 *
 * @param suggestName - the name for a folder, "" if there is none that would do.
 * @returns undefined when the person ended it.
 */
export async function ask(known: KnownWish, terminal: Terminal, suggestName: (folder: string) => string): Promise<ProjectWish | undefined> {
  const { isCancel, select, text } = await import("@clack/prompts");
  const kind =
    known.kind ??
    (await select<ProjectKind>({
      ...terminal,
      message: "What will it be?",
      options: [
        { value: "app", label: "An app", hint: "an agent with tools of its own" },
        { value: "package", label: "A tool package", hint: "tools on npm, for the agents of others" },
      ],
    }));
  if (isCancel(kind)) return undefined;
  const folder =
    known.folder ??
    (await text({ ...terminal, message: "In which folder?", initialValue: kind === "app" ? "my-agent" : "my-tools", validate: notEmpty }));
  if (isCancel(folder)) return undefined;
  const name =
    known.name ??
    (await text({
      ...terminal,
      message: kind === "app" ? "What is it called?" : "What is it called on npm?",
      initialValue: suggestName(folder),
      validate: (given) => packageNameProblem(given ?? ""),
    }));
  return isCancel(name) ? undefined : { kind, folder, name };
}

const notEmpty = (given: string | undefined): string | undefined => (given?.trim() ? undefined : "Name a folder; . is this one.");
