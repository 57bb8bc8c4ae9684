import { Agent, ToolwrightError } from "@toolwright/core";
import * as fc from "fast-check";
import { placedMiddlewares, type PlacedMiddleware, RandomPipeline } from "./random-pipeline.js";

const place = fc.nat(8);
const one = fc.constantFrom(...placedMiddlewares);

/** Whether an agent takes them in this order. Some pairs are refused in one order. */
function isTaken(members: readonly PlacedMiddleware[]): boolean {
  try {
    const places = members.map(() => 0);
    void new Agent({ model: "test", middleware: new RandomPipeline(members, places).around([], { all: [], stream: { write() {} } }) });
    return true;
  } catch (error) {
    if (ToolwrightError.is(error, "RUN_OPTIONS") && /stands outside/.test(error.message)) return false;
    throw error;
  }
}

/** Turns round what is refused as it stands; throws when it is refused in both orders. */
export function inTakenOrder(members: readonly PlacedMiddleware[]): readonly PlacedMiddleware[] {
  const order = [members, members.toReversed()].find(isTaken);
  if (order === undefined) throw new Error(`No agent takes ${members.map(({ kind }) => kind).join(", ")}, in either order.`);
  return order;
}

/** Pipelines of so many built-ins at random, in any order that an agent takes, anywhere among a plan's own. */
export const pipelinesOf = (size: number): fc.Arbitrary<RandomPipeline> =>
  fc
    .tuple(fc.array(one, { minLength: size, maxLength: size }), fc.array(place, { minLength: size, maxLength: size }))
    .filter(([members]) => isTaken(members))
    .map(([members, places]) => new RandomPipeline(members, places));

/** These, anywhere among a plan's own. */
export const pipelineWith = (members: readonly PlacedMiddleware[]): fc.Arbitrary<RandomPipeline> =>
  fc.array(place, { minLength: members.length, maxLength: members.length }).map((places) => new RandomPipeline(members, places));

/** Every pair of different ones, in each order that an agent takes. */
export const pairs: readonly (readonly PlacedMiddleware[])[] = placedMiddlewares.flatMap((outer) =>
  placedMiddlewares.filter((inner) => inner !== outer).map((inner) => [outer, inner]),
);
