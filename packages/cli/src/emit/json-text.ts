const width = 120;

/**
 * JSON, on one line where that fits, so that a manifest reads like the code it came from. The same value gives the same
 * text, whatever made it.
 */
export function jsonText(value: unknown, indent = 0): string {
  const flat = flatText(value, width - indent);
  if (flat !== undefined) return flat;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = " ".repeat(indent + 2);
  const end = `\n${" ".repeat(indent)}`;
  if (Array.isArray(value)) return `[\n${value.map((item) => inner + jsonText(item, indent + 2)).join(",\n")}${end}]`;
  const lines = entriesOf(value).map(([key, child]) => `${inner}${JSON.stringify(key)}: ${jsonText(child, indent + 2)}`);
  return `{\n${lines.join(",\n")}${end}}`;
}

/** The text on one line; undefined as soon as it is longer than `room`, so that long values are not written twice at each level. */
function flatText(value: unknown, room: number): string | undefined {
  if (typeof value !== "object" || value === null) return within(JSON.stringify(value), room);
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? value.map((item: unknown) => ["", item] as const)
    : entriesOf(value).map(([key, child]) => [`${JSON.stringify(key)}: `, child] as const);
  if (entries.length === 0) return Array.isArray(value) ? "[]" : "{}";
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{ ", " }"];
  let text = open;
  for (const [index, [label, child]] of entries.entries()) {
    const before = `${index === 0 ? "" : ", "}${label}`;
    const flat = flatText(child, room - text.length - before.length);
    if (flat === undefined) return undefined;
    text += before + flat;
  }
  return within(text + close, room);
}

const within = (text: string, room: number): string | undefined => (text.length <= room ? text : undefined);

const entriesOf = (value: object): [string, unknown][] => Object.entries(value).filter(([, child]) => child !== undefined);
