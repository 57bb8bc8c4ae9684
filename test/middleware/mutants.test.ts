import type { Middleware } from "@toolwright/core";
import * as builtIns from "@toolwright/core/middleware";
import { checkMiddleware, ContractError } from "@toolwright/testing";
import { afterAll, describe, expect, it } from "vitest";
import { type Change, Workshop } from "../support/mutants.js";
import { modelMutations, type Mutation, toolMutations } from "../support/mutations.js";
import type { OwnMutation, Site, Specimen } from "../support/specimen.js";
import { limitingSpecimens } from "../support/specimens-that-limit.js";
import { lookingSpecimens } from "../support/specimens-that-look.js";

const specimens = [...limitingSpecimens, ...lookingSpecimens];

/** Everything that is broken in one built-in, by turns. */
function mutantsOf({ tool, model, state, own = [] }: Specimen): readonly OwnMutation[] {
  const at = ([file, find, next]: Site, { name, caughtBy, put, head }: Mutation): OwnMutation => ({
    name,
    caughtBy,
    changes: [{ file, find, put: find.replace(next, () => put(next)), head }],
  });
  return [
    ...(tool === undefined ? [] : toolMutations.map((mutation) => at(tool, mutation))),
    ...(model === undefined ? [] : modelMutations.map((mutation) => at(model, mutation))),
    ...(state === undefined ? [] : [sharedState(state)]),
    ...own,
  ];
}

const sharedState = (file: string): OwnMutation => ({
  name: "state shared: one for all runs",
  caughtBy: "data",
  changes: [{ file, find: /^ {4}state: (.+),$/gm, put: "state: ((only) => () => only)(($1)())," }],
});

const workshop = new Workshop();
afterAll(() => workshop[Symbol.asyncDispose]());

/** The checks that found something, each with what it was. */
async function findings(specimen: Specimen, changes: readonly Change[], { caughtBy, make, options }: OwnMutation): Promise<string> {
  const makers = await workshop.load(specimen.entry, changes);
  const factory = (): Middleware => (make ?? specimen.make)(makers);
  try {
    await checkMiddleware(factory, { histories: ["local"], ways: ["run"], ...specimen.options, ...options, only: [caughtBy] });
    return "";
  } catch (error) {
    if (error instanceof ContractError) return error.message;
    throw error;
  }
}

it("none of the built-ins is left out", () => {
  const makers = Object.keys(builtIns).filter((name) => name !== "standard");
  expect(specimens.map(({ of }) => of).toSorted()).toEqual(makers.toSorted());
});

describe.each(specimens)("$of, broken", (specimen) => {
  it.each(mutantsOf(specimen).map((mutant) => [mutant.name, mutant.caughtBy, mutant] as const))(
    "%s: caught by %s",
    async (_, caughtBy, mutant) => {
      expect(await findings(specimen, mutant.changes, mutant)).toContain(`- ${caughtBy}: expected that`);
      // It is the change that was found: the unchanged source passes this very check.
      const original = { ...mutant, changes: [] };
      expect(await sound(specimen, original)).toBe("");
    },
  );
});

const known = new Map<string, Promise<string>>();
function sound(specimen: Specimen, mutant: OwnMutation): Promise<string> {
  const key = `${specimen.of} ${mutant.caughtBy} ${mutant.make === undefined ? "" : mutant.name}`;
  let result = known.get(key);
  if (result === undefined) known.set(key, (result = findings(specimen, [], mutant)));
  return result;
}
