import { type Agent, type TokenPrices, ToolwrightError } from "@toolwright/core";
import { nearestNames } from "../nearest-names.js";

/** Any agent: what its runs need and give is known at run time only. */
export type AnyAgent = Agent<unknown, unknown>;

/** Prices by the model's name. */
export type Prices = Readonly<Record<string, TokenPrices>>;

/** An agent, and what its module says of talking to it. */
export interface FoundAgent {
  readonly agent: AnyAgent;
  readonly app: unknown;
  readonly prices: Prices | undefined;
}

type Module = Readonly<Record<string, unknown>>;

/**
 * The agent that a module exports: the one that `wanted` names, its default export, or its only one. An export may be an
 * agent, or `{ agent, app, prices }`. Where there is none of these, the default export or `createAgent` is called for one.
 *
 * @param wanted - the name of an export, or of an agent.
 * @param place - what the module is called in errors.
 * @throws ToolwrightError `BUILD_CONFIG` when there is none, or which of several is not said.
 */
export async function findAgent(module: Module, wanted: string | undefined, place: string): Promise<FoundAgent> {
  const found = agentsIn(Object.entries(module));
  if (wanted !== undefined) return named(wanted, found, module, place);
  const only = found.length === 1 ? found[0] : found.find(({ name }) => name === "default");
  if (only !== undefined) return only;
  if (found.length > 1) throw wrong(`${place} exports several agents: ${namesOf(found)}.`, `Name one, e.g. \`--agent ${found[0]?.name}\`.`);
  for (const name of ["default", "createAgent"]) {
    const made = await madeBy(module[name], name);
    if (made !== undefined) return made;
  }
  const others = Object.keys(module).join(", ") || "nothing";
  throw wrong(`${place} exports no agent, only ${others}.`, "Write `export const agent = new Agent({ … });`, or export it as default.");
}

async function named(wanted: string, found: readonly NamedAgent[], module: Module, place: string): Promise<FoundAgent> {
  const exported = asAgent(wanted, module[wanted]) ?? (await madeBy(module[wanted], wanted));
  if (exported !== undefined) return exported;
  const own = found.filter(({ agent }) => nameOf(agent) === wanted);
  const [only, other] = own;
  if (other !== undefined) throw wrong(`Several agents of ${place} are called "${wanted}".`, `Name the export: ${namesOf(own)}.`);
  if (only !== undefined) return only;
  const near = nearestNames(wanted, [...new Set(found.flatMap(({ name, agent }) => [name, nameOf(agent) ?? name]))]);
  throw wrong(
    `${place} exports no agent "${wanted}".`,
    near.length > 0
      ? `Did you mean ${near.join(" or ")}?`
      : found.length > 0
        ? `There are ${namesOf(found)}.`
        : "It exports no agent at all.",
  );
}

interface NamedAgent extends FoundAgent {
  /** Of the export. */
  readonly name: string;
}

/** Each agent once, by the name that comes first: `export const agent = …; export default agent;` is one. */
function agentsIn(exports: readonly (readonly [name: string, value: unknown])[]): readonly NamedAgent[] {
  const found = exports.flatMap(([name, value]) => asAgent(name, value) ?? []);
  const isSame = (one: NamedAgent, other: NamedAgent): boolean => one.agent === other.agent;
  // The default export may say more of an agent than its name alone does.
  const sorted = found.toSorted((one, other) => Number(other.name === "default") - Number(one.name === "default"));
  return sorted.filter((each, index) => sorted.findIndex((other) => isSame(each, other)) === index);
}

function asAgent(name: string, value: unknown): NamedAgent | undefined {
  if (isAgent(value)) return { name, agent: value, app: undefined, prices: undefined };
  if (typeof value !== "object" || value === null) return undefined;
  const { agent, app, prices } = value as { readonly agent?: unknown; readonly app?: unknown; readonly prices?: Prices };
  return isAgent(agent) ? { name, agent, app, prices } : undefined;
}

// Made by the copy of core that the project has, which need not be this one's.
const isAgent = (value: unknown): value is AnyAgent =>
  typeof value === "object" && value !== null && "~toolwright.agent" in value && typeof (value as Partial<AnyAgent>).stream === "function";

async function madeBy(value: unknown, name: string): Promise<FoundAgent | undefined> {
  if (typeof value !== "function" || /^class\b/.test(Function.prototype.toString.call(value))) return undefined;
  try {
    return asAgent(name, await (value as () => unknown)());
  } catch (cause) {
    throw new ToolwrightError("BUILD_CONFIG", `${name}() made no agent: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
      fix: "Export an agent, or a function that gives one without arguments.",
    });
  }
}

const nameOf = (agent: AnyAgent): string | undefined => agent["~toolwright.agent"].name;
const namesOf = (found: readonly NamedAgent[]): string => found.map(({ name }) => name).join(", ");

const wrong = (message: string, fix: string): ToolwrightError => new ToolwrightError("BUILD_CONFIG", message, { fix });
