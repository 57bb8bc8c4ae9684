import { Agent, type Middleware } from "@toolwright/core";
import { conduct } from "./conduct.js";
import { firstDifference } from "./difference.js";
import type { Findings } from "./report.js";
import { type Scenario, scenarios } from "./scenarios.js";
import { type Conducted, type Lab, type Subject, withoutMiddleware, withoutReason } from "./subject.js";
import { modeName } from "./stage.js";
import { viewOf } from "./view.js";
import { withFields } from "./with-fields.js";

/** What a middleware shows and keeps. */
export async function data(lab: Lab): Promise<Findings> {
  const list = lab.subject.make();
  const problems = list.flatMap((middleware) => [...optionProblems(middleware), ...stateProblems(middleware)]);
  const done = await lab.all(({ pauses }) => pauses === true);
  return { problems: [...problems, ...done.flatMap(keptProblems)] };
}

function optionProblems({ name, options }: Middleware): readonly string[] {
  if (options === undefined) return [];
  const difference = jsonDifference(options);
  return difference === undefined ? [] : [`\`options\` of "${name}" are no JSON: ${difference}.`];
}

function stateProblems({ name, state }: Middleware): readonly string[] {
  if (state === undefined) return [];
  const [one, other] = [state() as unknown, state() as unknown];
  if (typeof one !== "object" || one === null || Array.isArray(one))
    return [`\`state\` of "${name}" gives ${JSON.stringify(one)}, where an object was expected.`];
  const difference = jsonDifference(one);
  return [
    ...(difference === undefined ? [] : [`the state of "${name}" is no JSON: ${difference}.`]),
    ...(shares(one, other) ? [`\`state\` of "${name}" gives an object that it has given before, so that runs share it.`] : []),
  ];
}

function keptProblems({ watch, place }: Conducted): readonly string[] {
  return [...watch.states.values()].flatMap((states) =>
    [...states].flatMap(([name, state]) => {
      const difference = jsonDifference(state);
      return difference === undefined ? [] : [`${place}: the state of "${name}" is no JSON: ${difference}.`];
    }),
  );
}

/** Where a value is another one after it went through JSON; a property that is undefined counts as left out. */
function jsonDifference(value: unknown): string | undefined {
  try {
    return firstDifference(JSON.parse(JSON.stringify(value)), value) ?? oddObject(value);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

// A Map and a Date look like empty objects, and like others once they are read again.
function oddObject(value: unknown, path = "it"): string | undefined {
  if (typeof value === "function") return `${path} is a function`;
  if (typeof value !== "object" || value === null) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return `${path} is no plain object`;
  for (const [key, inner] of Object.entries(value)) {
    const found = oddObject(inner, path === "it" ? key : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function shares(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || one === null || typeof other !== "object" || other === null) return false;
  if (one === other) return true;
  return Object.keys(one).some((key) => shares((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]));
}

/** What an agent says of the pipeline. */
export async function explain(lab: Lab): Promise<Findings> {
  const list = lab.subject.make();
  const explained = new Agent({ model: "test", middleware: list }).explain();
  const problems = list.flatMap(({ name, options = {} }) => {
    const found = explained.middleware.find((each) => each.name === name);
    if (found === undefined) return [`explain() does not name "${name}".`];
    const difference = firstDifference(JSON.parse(JSON.stringify(options)), JSON.parse(JSON.stringify(found.options)), "options");
    return [
      ...(difference === undefined ? [] : [`explain() shows other options of "${name}": ${difference}.`]),
      ...(String(explained).includes(name) || hookless(list, name) ? [] : [`the text of explain() does not name "${name}".`]),
    ];
  });
  return { problems };
}

const hookless = (list: readonly Middleware[], wanted: string): boolean =>
  list.some(
    ({ name, wrapRun, wrapModelCall, wrapToolCall, onEvent }) =>
      name === wanted && [wrapRun, wrapModelCall, wrapToolCall, onEvent].every((hook) => hook === undefined),
  );

/** Where each stands, and whether that works. An agent refuses what cannot work. */
export async function order(lab: Lab): Promise<Findings> {
  const { middleware } = new Agent({ model: "test", middleware: lab.subject.make() }).explain();
  const names = (list: typeof middleware): string => list.map(({ name }) => name).join(", ");
  const given = names(middleware.toSorted((left, right) => left.given - right.given));
  const note = `The order is ${names(middleware)}, by what they ask for; ${given} was given.`;
  return { problems: [], ...(given !== names(middleware) && { note }) };
}

/** Whether what the factory gives is new each time. */
export async function fresh(lab: Lab): Promise<Findings> {
  const [one, other] = [lab.subject.make(), lab.subject.make()];
  const same = one.filter((middleware) => other.includes(middleware));
  return { problems: same.map(({ name }) => `the factory gave the very same "${name}" twice.`) };
}

const again = ["steps in a row", "parallel calls", "approvals, denials and edits"];

/** Two of it in one pipeline. */
export async function twice(lab: Lab): Promise<Findings> {
  const { subject } = lab;
  const isExpected = withoutReason(subject.make());
  const wanted = scenarios.filter((scenario) => again.includes(scenario.name) && isExpected(scenario));
  const jobs = wanted.flatMap((scenario) => subject.modes.slice(0, 2).map((mode) => ({ scenario, mode })));
  const problems = await Promise.all(jobs.map(({ scenario, mode }) => twiceProblem(subject, scenario, mode)));
  return { problems: problems.flat() };
}

async function twiceProblem(subject: Subject, scenario: Scenario, mode: Subject["modes"][number]): Promise<readonly string[]> {
  const pipeline = [...subject.make(), ...subject.make().map(renamed)];
  const plain = viewOf(await withoutMiddleware(scenario, mode), subject.changes);
  const difference = firstDifference(plain, viewOf(await conduct(scenario, mode, pipeline), subject.changes));
  return difference === undefined ? [] : [`two of it, in "${scenario.name}" (${modeName(mode)}): ${difference}.`];
}

const renamed = (middleware: Middleware): Middleware =>
  withFields(middleware, { name: `${middleware.name}2`, kind: middleware.kind ?? middleware.name });
