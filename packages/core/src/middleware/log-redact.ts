import { leavesOf } from "../errors/mask.js";

/** A value ready to be shown, and what was hidden of it. */
export interface Redacted {
  readonly value: unknown;
  /** The hidden texts, so that they can be hidden elsewhere too. */
  readonly hidden: ReadonlySet<string>;
}

/**
 * Makes a function that hides the values under given keys. A path is dotted, `*` stands for any one key, and it matches
 * at the end of a value's own path, whatever stands above: `token` hides every `token`, `*.password` every `password`
 * that is not at the root. Letter case does not count.
 */
export function redactor(paths: readonly string[]): (value: unknown) => Redacted {
  const patterns = paths.map((path) => path.toLowerCase().split("."));

  function visit(value: unknown, path: readonly string[], hidden: Set<string>): unknown {
    if (typeof value !== "object" || value === null) return value;
    // Nothing that a tool takes is as deep as this; a value that is cannot be looked through.
    if (path.length > 64) return "[too deep]";
    if (Array.isArray(value)) return value.map((entry, index) => inspect(entry, [...path, String(index)], hidden));
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, inspect(entry, [...path, key.toLowerCase()], hidden)]));
  }

  function inspect(value: unknown, path: readonly string[], hidden: Set<string>): unknown {
    if (!patterns.some((pattern) => matchesEnd(path, pattern))) return visit(value, path, hidden);
    leavesOf(value, hidden);
    return "[hidden]";
  }

  return (value) => {
    const hidden = new Set<string>();
    return { value: patterns.length === 0 ? value : visit(value, [], hidden), hidden };
  };
}

function matchesEnd(path: readonly string[], pattern: readonly string[]): boolean {
  const start = path.length - pattern.length;
  return start >= 0 && pattern.every((key, index) => key === "*" || key === path[start + index]);
}
