import { compileExpression, type CompiledPattern } from "./compile-pattern.js";

/** What the matches of one validation may cost in all, as steps of a pattern's automaton: a few seconds. */
const MAX_STEPS = 40_000_000;
const MAX_COMPILED = 1000;

const compiled = new Map<string, CompiledPattern>();

function compiledOf(expression: RegExp): CompiledPattern {
  const key = String(expression);
  let pattern = compiled.get(key);
  if (pattern === undefined) {
    pattern = compileExpression(expression);
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    compiled.set(key, pattern);
  }
  return pattern;
}

/** What the expressions of one validation share. */
export class MatchBudget {
  /** Why a text was not tried. Whoever reads it clears it. */
  refusal: string | undefined;
  private steps = 0;
  private readonly bounded = new Map<string, RegExp>();

  /** The expression, bounded by this budget. */
  bound(expression: RegExp): RegExp {
    const key = String(expression);
    let bounded = this.bounded.get(key);
    if (bounded === undefined) {
      bounded = new BoundedExpression(expression, this);
      this.bounded.set(key, bounded);
    }
    return bounded;
  }

  /** Whether the text matches; false for one that is not tried. */
  matches(pattern: CompiledPattern, text: string): boolean {
    if (text.length > pattern.maxLength) {
      this.refusal = `at most ${pattern.maxLength} characters`;
      return false;
    }
    this.steps += pattern.cost(text);
    if (this.steps > MAX_STEPS) {
      this.refusal = "fewer or shorter strings";
      return false;
    }
    return pattern.test(text);
  }
}

/**
 * An expression of a tool's author that a validator runs on a text of the model. It answers as any other, by `test`, `exec`
 * and the methods of strings, but in bounded time, and without groups: these validators ask only whether there is a match.
 */
class BoundedExpression extends RegExp {
  private readonly pattern: CompiledPattern;

  constructor(
    expression: RegExp,
    private readonly budget: MatchBudget,
  ) {
    // The compiled pattern knows what the other flags mean: without them the methods of strings ask once.
    super(expression.source, expression.flags.replaceAll(/[dgy]/g, ""));
    this.pattern = compiledOf(expression);
  }

  override exec(text: string): RegExpExecArray | null {
    const input = String(text);
    if (!this.budget.matches(this.pattern, input)) return null;
    const found: [string] = [input];
    return Object.assign(found, { index: 0, input });
  }
}
