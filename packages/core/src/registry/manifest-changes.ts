import type { PackageManifest, ToolManifest } from "../contracts/manifest.js";
import { canonicalJson } from "./manifest-hash.js";

/** One thing that is another one in a manifest than it was. Values are data from the package: show them by `visibleText`. */
export interface ManifestChange {
  /** The tool's name in the manifest; undefined for the package as a whole. */
  readonly tool: string | undefined;
  /** `tool` for one that is new or gone; else what of it: `description`, `schema`, `effect`, `needs`, `version` and so on. */
  readonly part: string;
  /** Where in the part, e.g. `properties.limit.maximum`; "" is all of it. */
  readonly path: string;
  /** Undefined when it was not there. */
  readonly before: unknown;
  /** Undefined when it is gone. */
  readonly after: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** What differs between the manifest that was approved and the one that is installed, in an order for reading. */
export function manifestChanges(before: PackageManifest, after: PackageManifest): readonly ManifestChange[] {
  const whole = ["version", "engines", "needs", "config"].flatMap((part) =>
    differences((before as unknown as Fields)[part], (after as unknown as Fields)[part]).map((change) => ({
      tool: undefined,
      part,
      ...change,
    })),
  );
  const [old, fresh] = [toolsOf(before), toolsOf(after)];
  const names = [...new Set([...old.keys(), ...fresh.keys()])];
  return [...whole, ...names.flatMap((name) => toolChanges(name, old.get(name), fresh.get(name)))];
}

/** The tools by name, each with the class that has it. */
function toolsOf({ toolkits }: PackageManifest): ReadonlyMap<string, ToolManifest & { readonly className: string }> {
  return new Map(toolkits.flatMap(({ className, tools }) => tools.map((tool) => [tool.name, { ...tool, className }] as const)));
}

/** What a change of these is called. */
const partNames: Readonly<Record<string, string>> = {
  parameters: "schema",
  method: "implementation",
  className: "implementation",
  call: "implementation",
  decode: "implementation",
};

function toolChanges(name: string, before: object | undefined, after: object | undefined): readonly ManifestChange[] {
  if (before === undefined || after === undefined) return [{ tool: name, part: "tool", path: "", before, after }];
  const [old, fresh] = [before as Fields, after as Fields];
  // What the model reads comes first.
  const keys = [...new Set(["description", "effect", "approval", "parameters", ...Object.keys(old), ...Object.keys(fresh)])];
  return keys.flatMap((key) => differences(old[key], fresh[key]).map((change) => ({ tool: name, part: partNames[key] ?? key, ...change })));
}

type Difference = Omit<ManifestChange, "tool" | "part">;

/** Where two values differ, as near to the leaves as it can be told. */
function differences(before: unknown, after: unknown, path = ""): readonly Difference[] {
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => differences(before[key], after[key], path === "" ? key : `${path}.${key}`));
  }
  return canonicalJson(before) === canonicalJson(after) ? [] : [{ path, before, after }];
}

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

/** What changed, in one sentence without its end: `get_stock has another description and schema; set_stock is new`. */
export function changesInWords(changes: readonly ManifestChange[]): string {
  const byTool = new Map<string | undefined, ManifestChange[]>();
  for (const change of changes) byTool.set(change.tool, [...(byTool.get(change.tool) ?? []), change]);
  return [...byTool].map(([tool, own]) => (tool === undefined ? wholeInWords(own) : toolInWords(tool, own))).join("; ");
}

function wholeInWords(changes: readonly ManifestChange[]): string {
  const version = changes.find(({ part }) => part === "version");
  const others = [...new Set(changes.filter(({ part }) => part !== "version").map(({ part }) => `its ${part}`))];
  const moved = version === undefined ? [] : [`its version was ${String(version.before)} and is ${String(version.after)}`];
  return [...moved, ...(others.length === 0 ? [] : [`${listed(others)} changed`])].join("; ");
}

function toolInWords(tool: string, changes: readonly ManifestChange[]): string {
  const [first] = changes;
  if (first?.part === "tool") return first.before === undefined ? `${tool} is new` : `${tool} is gone`;
  return `${tool} has another ${listed([...new Set(changes.map(({ part }) => part))])}`;
}

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) as string}`;
