const width = 120;

/**
 * JSON, on one line where that fits, so that a manifest reads like the code it came from. The same value gives the same
 * text, whatever made it.
 */
export function jsonText(value: unknown, indent = 0): string {
  const flat = flatText(value);
  if (flat.length + indent <= width || typeof value !== "object" || value === null) return flat;
  const inner = " ".repeat(indent + 2);
  const end = `\n${" ".repeat(indent)}`;
  if (Array.isArray(value)) return `[\n${value.map((item) => inner + jsonText(item, indent + 2)).join(",\n")}${end}]`;
  const lines = entriesOf(value).map(([key, child]) => `${inner}${JSON.stringify(key)}: ${jsonText(child, indent + 2)}`);
  return `{\n${lines.join(",\n")}${end}}`;
}

function flatText(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(flatText).join(", ")}]`;
  const parts = entriesOf(value).map(([key, child]) => `${JSON.stringify(key)}: ${flatText(child)}`);
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

const entriesOf = (value: object): [string, unknown][] => Object.entries(value).filter(([, child]) => child !== undefined);
