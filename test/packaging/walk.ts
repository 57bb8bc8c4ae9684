import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type Finished, root, run } from "./packed.js";

/** A command of a page, and the files that the page shows before it. */
export interface Step {
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly command: string;
  /** Lines, as the page shows them. */
  readonly output: readonly string[];
}

/**
 * The steps of a documentation page, in order. A block of `console` has commands after `$ `, each with its output; a line
 * `…` stands for any lines, and `…` in a line for anything. A block of `typescript` begins with the comment that names its
 * file. `cd` goes into the command after it.
 */
export async function stepsOf(page: string): Promise<readonly Step[]> {
  const text = await readFile(join(root, page), "utf8");
  const steps: { files: { path: string; text: string }[]; command: string; output: string[] }[] = [];
  let files: { path: string; text: string }[] = [];
  let folder = "";
  for (const [, language, content = ""] of text.matchAll(/^```(console|typescript)\n([\s\S]*?)^```$/gm)) {
    if (language === "typescript") files.push({ path: pathOf(content), text: content });
    else
      for (const line of content.trimEnd().split("\n")) {
        if (line.startsWith("$ cd ")) folder = `${line.slice(2)} && `;
        else if (line.startsWith("$ ")) {
          steps.push({ files, command: folder + line.slice(2), output: [] });
          [files, folder] = [[], ""];
        } else steps.at(-1)?.output.push(line);
      }
  }
  return steps;
}

function pathOf(code: string): string {
  const [, path] = /^\/\/ (\S+)\n/.exec(code) ?? [];
  if (path === undefined) throw new Error(`A block of code does not name its file:\n${code}`);
  return path;
}

/** Somebody who does what a page says, from an empty folder. */
export class Walker {
  #folder: string;
  readonly #environment: (command: string) => NodeJS.ProcessEnv;

  /** @param environment - what each command gets besides the environment of this process. */
  constructor(folder: string, environment: (command: string) => NodeJS.ProcessEnv) {
    this.#folder = folder;
    this.#environment = environment;
  }

  /** Writes a step's files where the page has led to, and does its command. */
  async take({ files, command }: Pick<Step, "files" | "command">): Promise<Finished> {
    for (const { path, text } of files) {
      await mkdir(dirname(join(this.#folder, path)), { recursive: true });
      await writeFile(join(this.#folder, path), text);
    }
    const [, folder = ".", rest = command] = /^cd (\S+) && (.*)$/.exec(command) ?? [];
    this.#folder = resolve(this.#folder, folder);
    return run("sh", ["-c", rest], this.#folder, this.#environment(rest));
  }
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** Whether a command printed what the page shows, as an expression for the whole text. Blank lines do not count. */
export function shown(output: readonly string[]): RegExp {
  const lines = output
    .filter((line) => line.trim() !== "")
    .map((line) => (line.trim() === "…" ? "(?:.*\\n)*?" : `${line.trimEnd().split("…").map(escaped).join(".*")}\\n`));
  return new RegExp(`^${lines.join("")}$`);
}

/** A text as it is compared: without colours and blank lines. */
export const compared = ({ stdout, stderr }: Finished): string =>
  `${stdout}${stderr}`
    .replaceAll(/\u001B\[[0-9;]*m/g, "")
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .map((line) => `${line}\n`)
    .join("");
