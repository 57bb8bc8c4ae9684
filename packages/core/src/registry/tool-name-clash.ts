import { ToolwrightError } from "../errors/toolwright-error.js";

/** A tool's name, and how its owner would give it another one. */
export interface NamedTool {
  readonly name: string;
  readonly identity: string;
  /** Who brings it, for a sentence. */
  readonly owner: string;
  /** What puts `prefix` before its name, as a sentence; undefined when only its author can. */
  readonly rename: ((prefix: string) => string) | undefined;
}

/**
 * Refuses two tools of one name. Names that differ in case only are told apart by the API, but not reliably by a model.
 *
 * @throws ToolwrightError `TOOL_NAME_CLASH` naming both owners and the fix.
 */
export function assertDistinctNames(tools: readonly NamedTool[]): void {
  const taken = new Map<string, NamedTool>();
  for (const named of tools) {
    const key = named.name.toLowerCase();
    const other = taken.get(key);
    if (other !== undefined) throw nameClash(other, named, new Set(tools.map(({ name }) => name.toLowerCase())));
    taken.set(key, named);
  }
}

function nameClash(one: NamedTool, other: NamedTool, taken: ReadonlySet<string>): ToolwrightError {
  const [name, otherName] = [one.name, other.name];
  const names = name === otherName ? `are named ${name}` : `are named ${name} and ${otherName}, which a model may confuse`;
  // The later one gives way, unless only the first can.
  const yields = other.rename === undefined ? one : other;
  const fix = yields.rename?.(freePrefix(yields, taken));
  return new ToolwrightError("TOOL_NAME_CLASH", `Two tools ${names}: ${one.owner} and ${other.owner}.`, {
    ...(fix !== undefined && { fix }),
    details: { name: otherName, owners: [one.owner, other.owner] },
  });
}

/** A prefix after the tool's package or class that leads to a name which is not taken. */
function freePrefix({ name, identity }: NamedTool, taken: ReadonlySet<string>): string {
  const [owner = "", member = ""] = identity.split("#");
  const className = member.split(".")[0] as string;
  const base = (owner === "app" ? className.replace(/(?<=.)(Tools|Toolkit)$/, "") : shortName(owner)).toLowerCase();
  let prefix = base;
  for (let count = 2; taken.has(`${prefix}_${name}`.toLowerCase()) || name.startsWith(`${prefix}_`); count += 1) prefix = `${base}${count}`;
  return prefix;
}

/** `@acme/tools-stock` is `stock`. */
const shortName = (name: string): string =>
  (name.split("/").at(-1) as string).replace(/^tools-/, "").replaceAll(/[^a-zA-Z0-9_-]/g, "") || "other";
