import type { Middleware } from "@toolwright/core";
import type { CheckName, MiddlewareContractOptions } from "@toolwright/testing";
import type { Change, Makers } from "./mutants.js";

/** Where a built-in calls `next`: a piece of its source, and the call in it. */
export type Site = readonly [file: string, find: string, next: string];

/** What is broken in one built-in alone. */
export interface OwnMutation {
  readonly name: string;
  readonly caughtBy: CheckName;
  readonly changes: readonly Change[];
  /** Made so that the difference shows. The unchanged one passes when it is made so. */
  readonly make?: (makers: Makers) => Middleware;
  readonly options?: MiddlewareContractOptions;
}

/** A built-in as source, and what is broken in it. */
export interface Specimen {
  readonly of: string;
  readonly entry: string;
  readonly make: (makers: Makers) => Middleware;
  readonly tool?: Site;
  readonly model?: Site;
  /** The file with its field `state`. */
  readonly state?: string;
  readonly own?: readonly OwnMutation[];
  readonly options?: MiddlewareContractOptions;
}

/** Makes a built-in of changed source. */
export const made =
  (name: string, ...parameters: readonly unknown[]) =>
  (makers: Makers): Middleware =>
    (makers[name] as (...all: readonly unknown[]) => Middleware)(...parameters);

/** Passes everything. */
export const passes = () => ({ pass: true }) as const;

/** Gives no answer. */
export const never = (): Promise<never> => new Promise(() => {});

/** A call of `next` as it mostly stands. */
export const plainNext = "next(call)";
export const awaits = `await ${plainNext};`;

/** Takes a piece of source away. */
export const drop = (file: string, find: string): Change => ({ file, find, put: "" });

/** What ends a wait on abort. */
export const onAbort = 'signal.addEventListener("abort", stop, { once: true });';

/** A wait that goes on after an abort, or leaves something behind. */
export const abortDropped = (name: string, changes: readonly Change[], make?: (makers: Makers) => Middleware): OwnMutation => ({
  name: `abort dropped: ${name}`,
  caughtBy: "abort",
  changes,
  ...(make !== undefined && { make }),
});
