import type { JsonObject } from "../contracts/json.js";
import type { Middleware, MiddlewareTrait } from "../contracts/middleware.js";
import { inspectCustom } from "../errors/inspect-custom.js";
import { hasTrait } from "./traits.js";

const wraps = ["wrapRun", "wrapModelCall", "wrapToolCall"] as const;
type Wrap = (typeof wraps)[number];

const cores: { readonly [hook in Wrap]: string } = { wrapRun: "the loop", wrapModelCall: "the model", wrapToolCall: "the tool" };

/** One middleware of a pipeline. */
export interface ExplainedMiddleware {
  readonly name: string;
  readonly kind: string;
  readonly options: JsonObject;
  readonly traits: readonly MiddlewareTrait[];
  /** Where it was given and where its and others' `order` put it, counted from 0; equal when it was not moved. */
  readonly given: number;
  readonly place: number;
}

/** A pipeline as data, and as text when it is printed. */
export class PipelineExplanation {
  /** Outermost first. */
  readonly middleware: readonly ExplainedMiddleware[];
  /** Names per hook, outermost first. */
  readonly hooks: { readonly [hook in Wrap | "onEvent"]: readonly string[] };
  /** What the middlewares mean for each other, a sentence each. */
  readonly notes: readonly string[];
  readonly #text: string;

  constructor(given: readonly Middleware[], ordered: readonly Middleware[]) {
    const places = new Map(ordered.map((middleware, place) => [middleware.name, place]));
    const order = [...given.map(({ name }) => name)];
    for (const { name } of ordered) if (!order.includes(name)) order.push(name);
    this.middleware = ordered.map(({ name, kind = name, options = {}, traits = [] }) => ({
      name,
      kind,
      options,
      traits,
      given: order.indexOf(name),
      place: places.get(name) as number,
    }));
    const namesOf = (hook: Wrap | "onEvent"): string[] => withHook(ordered, hook).map(({ name }) => name);
    this.hooks = {
      wrapRun: namesOf("wrapRun"),
      wrapModelCall: namesOf("wrapModelCall"),
      wrapToolCall: namesOf("wrapToolCall"),
      onEvent: namesOf("onEvent"),
    };
    this.notes = [...moves(this.middleware, ordered), ...wraps.flatMap((hook) => effects(withHook(ordered, hook), hook))];
    this.#text = [...[...wraps, "onEvent" as const].map((hook) => hookLine(withHook(ordered, hook), hook)), ...this.notes].join("\n");
  }

  toString(): string {
    return this.#text;
  }

  [inspectCustom](): string {
    return this.#text;
  }
}

/** The pipeline, per hook and outermost first. `given` is the order in which it was written, `ordered` the one that runs. */
export function explainPipeline(given: readonly Middleware[], ordered: readonly Middleware[]): PipelineExplanation {
  return new PipelineExplanation(given, ordered);
}

const withHook = (list: readonly Middleware[], hook: Wrap | "onEvent"): readonly Middleware[] =>
  list.filter((middleware) => middleware[hook] !== undefined);

function hookLine(list: readonly Middleware[], hook: Wrap | "onEvent"): string {
  const names = list.map(({ name, options }) => (isEmpty(options) ? name : `${name}(${JSON.stringify(options)})`));
  const chain = hook === "onEvent" ? names.join(", ") : [...names, cores[hook]].join(" → ");
  return `${hook.padEnd(13)}  ${chain === "" ? "nothing" : chain}`;
}

const isEmpty = (options: JsonObject | undefined): boolean => options === undefined || Object.keys(options).length === 0;

function moves(explained: readonly ExplainedMiddleware[], ordered: readonly Middleware[]): string[] {
  return explained.flatMap(({ name, given, place }) => {
    // Whoever has only made room has no wish of its own.
    const { inside = [], outside = [] } = ordered[place]?.order ?? {};
    const called = (wanted: readonly string[]) => (other: ExplainedMiddleware) =>
      wanted.includes(other.name) || wanted.includes(other.kind);
    const passed = explained.filter((other) => other.given < given && other.place > place).filter(called(outside));
    const passing = explained.filter((other) => other.given > given && other.place < place).filter(called(inside));
    const namesOf = (list: readonly ExplainedMiddleware[]): string => listed(list.map((other) => other.name));
    return [
      ...(passed.length > 0 ? [`${name} stands further out than it was written: it belongs outside ${namesOf(passed)}.`] : []),
      ...(passing.length > 0 ? [`${name} stands further in than it was written: it belongs inside ${namesOf(passing)}.`] : []),
    ];
  });
}

// What one layer means for those inside it, and for those outside.
function effects(layers: readonly Middleware[], hook: Wrap): string[] {
  return layers.flatMap((layer, place) => {
    const { name } = layer;
    const inside = layers.slice(place + 1).map((inner) => inner.name);
    const outside = layers.slice(0, place).map((outer) => outer.name);
    const notes: string[] = [];
    const repeats = hook === "wrapModelCall" ? "repeats-model" : hook === "wrapToolCall" ? "repeats-tool" : undefined;
    const answers = hook === "wrapModelCall" ? "answers-model" : hook === "wrapToolCall" ? "answers-tool" : undefined;
    if (repeats !== undefined && hasTrait(layer, repeats)) {
      if (inside.length > 0)
        notes.push(`${name} repeats what is inside it: ${listed(inside)} ${inside.length === 1 ? "sees" : "see"} each attempt.`);
      if (outside.length > 0)
        notes.push(`Outside ${name}, ${listed(outside)} ${outside.length === 1 ? "sees" : "see"} only what its last attempt came to.`);
    }
    if (answers !== undefined && hasTrait(layer, answers))
      notes.push(`When ${name} answers by itself, nothing inside it is reached: ${listed([...inside, cores[hook]])}.`);
    if (hook !== "wrapToolCall") return notes;
    if (hasTrait(layer, "throws-outcomes") && outside.length > 0)
      notes.push(
        `${name} may end the run for an outcome; ${listed(outside)}, outside it, then ${outside.length === 1 ? "does" : "do"} not see it.`,
      );
    if (hasTrait(layer, "changes-arguments") && inside.length > 0)
      notes.push(`${listed(inside)} ${inside.length === 1 ? "sees" : "see"} arguments as ${name} passes them on.`);
    if (hasTrait(layer, "asks-approval") && inside.length > 0)
      notes.push(`While a call waits for ${name}, ${listed(inside)} ${inside.length === 1 ? "is" : "are"} not reached.`);
    return notes;
  });
}

function listed(names: readonly string[]): string {
  return names.length <= 1 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
