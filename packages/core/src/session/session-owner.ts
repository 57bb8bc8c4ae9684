/** Who has a session, as its file says. */
export interface OwnerRow {
  readonly owner: string;
  readonly owner_machine: string;
  readonly owner_process: number;
  readonly owner_thread: number;
  /** When it last gave a sign of life, in milliseconds of this machine's clock. */
  readonly owner_seen: number;
}

/** A run that gives no sign of life for so long has lost its session. */
const ownerSilenceMs = 30_000;

/** How often a run gives a sign of life. */
export const heartbeatMs = 10_000;

/** Runs of this thread that have a session, shared by all copies of this package. */
function owners(): Set<string> {
  const shared = globalThis as { [ownersKey]?: Set<string> };
  return (shared[ownersKey] ??= new Set());
}
const ownersKey = Symbol.for("toolwright.session-owners");

export function addOwner(owner: string): void {
  owners().add(owner);
}

export function removeOwner(owner: string): void {
  owners().delete(owner);
}

/** Where this code runs. */
export function thisPlace(): Pick<OwnerRow, "owner_machine" | "owner_process" | "owner_thread"> {
  const { threadId } = process.getBuiltinModule("node:worker_threads");
  return { owner_machine: machine(), owner_process: process.pid, owner_thread: threadId };
}

// Process ids mean something within one machine and, where containers share a host's name, one namespace.
function machine(): string {
  const { hostname } = process.getBuiltinModule("node:os");
  const { readlinkSync } = process.getBuiltinModule("node:fs");
  try {
    return `${hostname()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

/** Whether the run that a row names is over for certain, or has been silent for too long. */
export function isGone(row: OwnerRow, now: number): boolean {
  const here = thisPlace();
  const sameProcess = row.owner_machine === here.owner_machine && row.owner_process === here.owner_process;
  if (sameProcess && row.owner_thread === here.owner_thread) return !owners().has(row.owner);
  if (Math.abs(now - row.owner_seen) > ownerSilenceMs) return true;
  return !sameProcess && row.owner_machine === here.owner_machine && !isRunning(row.owner_process);
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // Any other refusal comes from a process that is there.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** The holder in words, for the message that a second run gets. */
export function holderName({ owner_machine: ownerMachine, owner_process: processId }: OwnerRow): string {
  const here = thisPlace();
  if (ownerMachine !== here.owner_machine) return `of process ${processId} on another machine or in another container`;
  return processId === here.owner_process ? "of this process" : `of process ${processId}`;
}
