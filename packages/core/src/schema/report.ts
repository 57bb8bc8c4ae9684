import type { Issue } from "../contracts/schema.js";
import { bounded, dottedPath, MAX_ISSUES } from "./issue-text.js";

interface Draft {
  /** Innermost segment first: each container adds its own key on the way out, so that a check without issues pays nothing. */
  readonly path: string[];
  readonly expected: string;
  readonly received: string;
}

/** Collects what is wrong during one check. */
export class Report {
  /** Containers that are open. */
  depth = 0;
  private readonly drafts: Draft[] = [];

  get count(): number {
    return this.drafts.length;
  }

  /** No more issues are of use: loops end here. */
  get full(): boolean {
    return this.drafts.length >= MAX_ISSUES;
  }

  /** Adds an issue at the current place, or at a key of it. Gives back null, the stand-in for a value that does not count. */
  add(expected: string, received: string, key?: string): null {
    if (!this.full) this.drafts.push({ path: key === undefined ? [] : [key], expected, received });
    return null;
  }

  /** Says that the issues from `before` on lie under `key`. */
  under(key: string, before: number): void {
    for (let index = before; index < this.drafts.length; index += 1) (this.drafts[index] as Draft).path.push(key);
  }

  /** Takes over what a trial of one branch found. */
  take(trial: Report): void {
    this.drafts.push(...trial.drafts.slice(0, MAX_ISSUES - this.drafts.length));
  }

  issues(): Issue[] {
    return this.drafts.map(({ path, expected, received }) => ({
      path: dottedPath(path.toReversed()),
      expected: bounded(expected),
      received: bounded(received),
    }));
  }
}
