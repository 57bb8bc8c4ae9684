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
  const ordered = placeAll(list, outerOnes(list));
  assertNoBadPair(ordered);
  return ordered;
}

const hooks = ["wrapRun", "wrapModelCall", "wrapToolCall", "onRequest", "onEvent", "state"] as const;
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
  for (const [wish, names] of Object.entries((middleware as { order?: object }).order ?? {})) {
    if (names === undefined || (Array.isArray(names) && names.every((each) => typeof each === "string"))) continue;
    throw new ToolwrightError("RUN_OPTIONS", `\`order.${wish}\` of the middleware ${name} is no list of names.`, {
      fix: `Write \`order: { ${wish}: ["…"] }\`.`,
    });
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
function outerOnes(list: readonly Middleware[]): ReadonlyMap<Middleware, ReadonlySet<Middleware>> {
  const outer = new Map(list.map((middleware) => [middleware, new Set<Middleware>()]));
  for (const middleware of list) {
    const { name, order } = middleware;
    for (const required of order?.requires ?? []) {
      if (called(list, required).length > 0) continue;
      throw new ToolwrightError("RUN_OPTIONS", `The middleware "${name}" requires "${required}", which is not in the pipeline.`, {
        fix: `Add ${required} to \`middleware\`.`,
      });
    }
    for (const inner of (order?.outside ?? []).flatMap((wanted) => called(list, wanted))) outer.get(inner)?.add(middleware);
    for (const wrapper of (order?.inside ?? []).flatMap((wanted) => called(list, wanted))) outer.get(middleware)?.add(wrapper);
  }
  return outer;
}

// A renamed one is still what it is.
const called = (list: readonly Middleware[], wanted: string): readonly Middleware[] =>
  list.filter(({ name, kind }) => name === wanted || kind === wanted);

/**
 * Where each would stand by its own wishes alone: as it was given, or right behind the last one that it must be inside of, or
 * right before the first one that it must be outside of. So it is the one with a wish that moves, and no further than it must.
 */
function wishedPlaces(list: readonly Middleware[]): ReadonlyMap<Middleware, number> {
  const places = new Map(list.map((middleware, place) => [middleware, place]));
  const placeOf = (middleware: Middleware): number => places.get(middleware) as number;
  const aside = 1 / (list.length + 1);
  // One wish may follow another one, each once.
  for (let round = 0; round < list.length; round += 1) {
    for (const middleware of list) {
      const wrappers = (middleware.order?.inside ?? []).flatMap((wanted) => called(list, wanted)).map(placeOf);
      const inner = (middleware.order?.outside ?? []).flatMap((wanted) => called(list, wanted)).map(placeOf);
      const behind = Math.max(placeOf(middleware), ...wrappers.map((place) => (place >= placeOf(middleware) ? place + aside : place)));
      places.set(middleware, Math.min(behind, ...inner.map((place) => (place <= behind ? place - aside : behind))));
    }
  }
  return places;
}

function placeAll(list: readonly Middleware[], outer: ReadonlyMap<Middleware, ReadonlySet<Middleware>>): readonly Middleware[] {
  const wished = wishedPlaces(list);
  const waiting = list.toSorted((left, right) => (wished.get(left) as number) - (wished.get(right) as number));
  const placed: Middleware[] = [];
  while (waiting.length > 0) {
    const next = waiting.findIndex((middleware) => [...(outer.get(middleware) ?? [])].every((each) => placed.includes(each)));
    if (next === -1) throw circle(waiting, outer);
    placed.push(...waiting.splice(next, 1));
  }
  return placed;
}

// None of those that are left can be placed, so each waits for another of them: following that comes round.
function circle(waiting: readonly Middleware[], outer: ReadonlyMap<Middleware, ReadonlySet<Middleware>>): ToolwrightError {
  const path: Middleware[] = [];
  let at = waiting[0] as Middleware;
  while (!path.includes(at)) {
    path.push(at);
    at = [...(outer.get(at) ?? [])].find((each) => waiting.includes(each)) as Middleware;
  }
  const round = [...path.slice(path.indexOf(at)), at].map(({ name }) => name).join(" inside ");
  return new ToolwrightError("RUN_OPTIONS", `The order of middlewares goes round in a circle: ${round}.`, {
    fix: "Take one of these `order` entries away.",
  });
}
