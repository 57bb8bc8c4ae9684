import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { ToolwrightError } from "@toolwright/core";

/** A file to write. */
export interface FileToWrite {
  /** Absolute. */
  readonly path: string;
  /** The same as it is told to a person. */
  readonly shown: string;
  readonly text: string;
}

/**
 * The text of a file; undefined when there is none. A checkout with CRLF is no change.
 *
 * @throws ToolwrightError `BUILD_CONFIG` when something else is in its place, or it cannot be read.
 */
export function textOf({ path, shown }: Omit<FileToWrite, "text">): string | undefined {
  return explained(shown, "read", () => (existsSync(path) ? readFileSync(path, "utf8").replaceAll("\r\n", "\n") : undefined));
}

/**
 * Writes all files or, when one of them cannot be written, none: each is written beside its place first, and takes it when
 * all others are ready too.
 *
 * @throws ToolwrightError `BUILD_CONFIG` that names the file.
 */
export function writeFiles(files: readonly FileToWrite[]): void {
  const ready: { readonly fresh: string; readonly target: string; readonly shown: string }[] = [];
  try {
    for (const { path, shown, text } of files) {
      explained(shown, "written", () => {
        mkdirSync(dirname(path), { recursive: true });
        // Where a link leads, not the link itself, is written.
        const target = existsSync(path) ? realpathSync(path) : path;
        if (existsSync(target)) accessSync(target, constants.W_OK);
        // With a dot in front, a watch passes it over.
        const fresh = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
        ready.push({ fresh, target, shown });
        writeFileSync(fresh, text, existsSync(target) ? { mode: statSync(target).mode } : {});
      });
    }
    for (const { fresh, target, shown } of ready) explained(shown, "written", () => renameSync(fresh, target));
  } finally {
    for (const { fresh } of ready) rmSync(fresh, { force: true });
  }
}

const reasons: Readonly<Record<string, readonly [string, string]>> = {
  EISDIR: ["a folder is in its place", "Move the folder away"],
  EEXIST: ["a part of its path is a file, not a folder", "Move that file away"],
  ENOTDIR: ["a part of its path is a file, not a folder", "Move that file away"],
  EACCES: ["there is no permission", "Give the user who builds the right to it"],
  EPERM: ["it is not permitted", "Give the user who builds the right to it"],
  EROFS: ["it is on a file system that cannot be written", "Build where it can be, and commit what the build writes"],
  ENOSPC: ["the disk is full", "Make room on it"],
};

function explained<Result>(shown: string, action: "read" | "written", part: () => Result): Result {
  try {
    return part();
  } catch (error) {
    const code = (error as { readonly code?: unknown }).code;
    if (typeof code !== "string") throw error;
    const [reason, fix] = reasons[code] ?? [`the system says ${code}`, "Look what is wrong with its folder"];
    throw new ToolwrightError("BUILD_CONFIG", `${shown} cannot be ${action}: ${reason} (${code}). Nothing was written.`, {
      cause: error,
      fix: `${fix}, or name another file with \`out\` in the settings.`,
    });
  }
}
