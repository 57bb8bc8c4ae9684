import type { Middleware, MiddlewareTrait } from "../contracts/middleware.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { assertNoBadPair } from "./known-bad-pairs.js";

/**
 * Puts middlewares in the order that their `order` fields ask for, keeping the given order wherever it is free.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a name used twice, a missing requirement, or a cycle (with the way round it).
 */
export function orderMiddleware(list: readonly Middleware[]): readonly Middleware[] {
  const names = new Set<string>();
  for (const middleware of list) {
    assertMiddleware(middleware);
    if (typeof middleware?.name !== "string" || middleware.name === "") {
      throw new ToolwrightError("RUN_OPTIONS", "A middleware has no name.", { fix: "Make it with `defineMiddleware({ name, … })`." });
    }
    if (names.has(middleware.name)) {
      throw new ToolwrightError("RUN_OPTIONS", `Two middlewares are named "${middleware.name}".`, {
        fix: `Rename one: \`{ ...${middleware.name}(…), name: "${middleware.name}2", kind: "${middleware.kind ?? middleware.name}" }\`.`,
      });
    }
    names.add(middleware.name);
  }
  const ordered = place(list, outerOnes(list));
  assertNoBadPair(ordered);
  return ordered;
}

const hooks = ["wrapRun", "wrapModelCall", "wrapToolCall", "onEvent", "state"] as const;
const fields: readonly string[] = [...hooks, "name", "kind", "traits", "order", "repeats", "options", "boundsSteps"];

const traits: readonly string[] = [
  "repeats-model",
  "repeats-tool",
  "throws-outcomes",
  "changes-arguments",
  "asks-approval",
  "answers-model",
  "answers-tool",
] satisfies MiddlewareTrait[];

// A hook under a wrong name, or the maker in place of what it makes, would be a middleware that does nothing.
function assertMiddleware(middleware: unknown): asserts middleware is Middleware {
  if (typeof middleware === "function") {
    const name = middleware.name || "it";
    throw new ToolwrightError("RUN_OPTIONS", `A function, ${name}, is in the place of a middleware.`, {
      fix: `Write \`${name}()\`, with its options.`,
    });
  }
  if (typeof middleware !== "object" || middleware === null) {
    throw new ToolwrightError("RUN_OPTIONS", `${middleware === null ? "null" : typeof middleware} is in the place of a middleware.`, {
      fix: "Make one with `defineMiddleware({ name, … })`.",
    });
  }
  const name = JSON.stringify((middleware as { name?: unknown }).name);
  for (const hook of hooks) {
    const value = (middleware as Record<string, unknown>)[hook];
    if (value !== undefined && typeof value !== "function") {
      throw new ToolwrightError("RUN_OPTIONS", `\`${hook}\` of the middleware ${name} is ${typeof value}, not a function.`, {
        fix: "Write it as a method.",
      });
    }
  }
  const unknownTrait = ((middleware as { traits?: readonly string[] }).traits ?? []).find((trait) => !traits.includes(trait));
  if (unknownTrait !== undefined) {
    throw new ToolwrightError("RUN_OPTIONS", `The middleware ${name} has the trait ${JSON.stringify(unknownTrait)}, which there is not.`, {
      fix: `The traits are ${traits.join(", ")}.`,
    });
  }
  // A class of one's own may have fields of its own.
  const plain = Object.getPrototypeOf(middleware) === Object.prototype;
  const unknownField = plain ? Object.keys(middleware).find((key) => !fields.includes(key)) : undefined;
  if (unknownField !== undefined) {
    throw new ToolwrightError(
      "RUN_OPTIONS",
      `The middleware ${name} has ${JSON.stringify(unknownField)}, which is nothing that a pipeline calls.`,
      {
        fix: `Its fields are ${fields.join(", ")}.`,
      },
    );
  }
}

// For each middleware, the ones that must stand outside it.
function outerOnes(list: readonly Middleware[]): Map<string, Set<string>> {
  const outer = new Map(list.map((middleware) => [middleware.name, new Set<string>()]));
  // A renamed one is still what it is.
  const called = (wanted: string): string[] => list.filter(({ name, kind }) => name === wanted || kind === wanted).map(({ name }) => name);
  for (const { name, order } of list) {
    for (const required of order?.requires ?? []) {
      if (called(required).length === 0) {
        throw new ToolwrightError("RUN_OPTIONS", `The middleware "${name}" requires "${required}", which is not in the pipeline.`, {
          fix: `Add ${required} to \`middleware\`.`,
        });
      }
    }
    for (const inner of (order?.outside ?? []).flatMap(called)) outer.get(inner)?.add(name);
    for (const wrapper of (order?.inside ?? []).flatMap(called)) outer.get(name)?.add(wrapper);
  }
  return outer;
}

function place(list: readonly Middleware[], outer: ReadonlyMap<string, ReadonlySet<string>>): readonly Middleware[] {
  const placed: Middleware[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  // Placing a middleware's outer ones right before it moves each the least distance.
  const visit = (middleware: Middleware): void => {
    if (done.has(middleware.name)) return;
    if (path.includes(middleware.name)) {
      const cycle = [...path.slice(path.indexOf(middleware.name)), middleware.name].join(" inside ");
      throw new ToolwrightError("RUN_OPTIONS", `The order of middlewares goes round in a circle: ${cycle}.`, {
        fix: "Take one of these `order` entries away.",
      });
    }
    path.push(middleware.name);
    for (const candidate of list) if (outer.get(middleware.name)?.has(candidate.name)) visit(candidate);
    path.pop();
    done.add(middleware.name);
    placed.push(middleware);
  };
  for (const middleware of list) visit(middleware);
  return placed;
}
