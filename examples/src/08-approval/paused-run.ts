import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where the paused run and the shop's database are; APPROVAL_FOLDER names another place. */
export const folder = process.env["APPROVAL_FOLDER"]?.trim() || join(import.meta.dirname, "../../.toolwright/08-approval");
const file = join(folder, "paused-run.json");

/** Keeps a run: its state as JSON. */
export function putRun(state: string): void {
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, state, { mode: 0o600 });
  // A file of this name is always whole.
  renameSync(fresh, file);
}

/** Takes the run that waits, as JSON. It is renamed first, which only one process can do. */
export function takeRun(): string {
  const taken = `${file}.${process.pid}`;
  try {
    renameSync(file, taken);
  } catch {
    throw new Error("No run waits here. Start one: npm run example -- 08");
  }
  const state = readFileSync(taken, "utf8");
  rmSync(taken);
  return state;
}

/** Begins, or ends, with nothing. */
export function clearFolder(): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}
