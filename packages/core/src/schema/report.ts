import type { Issue } from "../contracts/schema.js";
import { bounded, dottedPath, MAX_DEPTH, MAX_ISSUES } from "./issue-text.js";

interface Draft {
  /** Innermost segment first: each container adds its own key on the way out, so that a check without issues pays nothing. */
  readonly path: string[];
  readonly expected: string;
  readonly received: string;
}

/** Containers that may be opened while branches are tried, in one check. */
const MAX_TRIED = 200_000;
/** Steps of pattern automata in one check. A single text may cost half of it: the whole takes a few seconds at most. */
const MAX_STEPS = 40_000_000;

/** Collects what is wrong during one check. */
export class Report {
  private readonly drafts: Draft[] = [];
  private depth = 0;
  /** Shared by all trials of a check. Outside of trials the value's own size is the bound. */
  private tried: { containers: number } | undefined;
  private isTrial = false;
  /** The report of the whole check, which counts for all its trials. */
  private root: Report = this;
  private steps = 0;

  get count(): number {
    return this.drafts.length;
  }

  /** No more issues are of use: loops end here. */
  get full(): boolean {
    return this.drafts.length >= MAX_ISSUES;
  }

  /** Whether the trials of this check have used up what they may. */
  get exhausted(): boolean {
    return (this.tried?.containers ?? 0) > MAX_TRIED;
  }

  /** A report for one branch of a choice, whose issues count only if {@link take} takes them. */
  trial(): Report {
    const trial = new Report();
    trial.depth = this.depth;
    this.tried ??= { containers: 0 };
    trial.tried = this.tried;
    trial.isTrial = true;
    trial.root = this.root;
    return trial;
  }

  /** Opens a container, or says why not. Each true is followed by a {@link leave}. */
  enter(): boolean {
    if (this.depth >= MAX_DEPTH) {
      this.add(`at most ${MAX_DEPTH} levels of nesting`, "more");
      return false;
    }
    if (this.isTrial && this.tried !== undefined) {
      this.tried.containers += 1;
      if (this.exhausted) {
        this.add("fewer choices", "too many");
        return false;
      }
    }
    this.depth += 1;
    return true;
  }

  /** Accounts for what a match may cost; false once this check has used up what it may. */
  spend(steps: number): boolean {
    this.root.steps += steps;
    return this.root.steps <= MAX_STEPS;
  }

  leave(): void {
    this.depth -= 1;
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
