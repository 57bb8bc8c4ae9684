const width = 120;

/**
 * JSON, on one line where that fits, so that a manifest reads like the code it came from. The same value gives the same
 * text, whatever made it.
 */
export function jsonText(value: unknown, indent = 0): string {
  const flat = new Map<object, string | undefined>();
  flatText(value, flat);
  return textOf(value, indent, flat);
}

function textOf(value: unknown, indent: number, flat: ReadonlyMap<object, string | undefined>): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const text = flat.get(value);
  if (text !== undefined && text.length <= width - indent) return text;
  const inner = " ".repeat(indent + 2);
  const end = `\n${" ".repeat(indent)}`;
  if (Array.isArray(value)) return `[\n${value.map((item) => inner + textOf(item, indent + 2, flat)).join(",\n")}${end}]`;
  const lines = entriesOf(value).map(([key, child]) => `${inner}${JSON.stringify(key)}: ${textOf(child, indent + 2, flat)}`);
  return `{\n${lines.join(",\n")}${end}}`;
}

/** The text on one line, made from the inside out and kept for each object; undefined when it is too long in any case. */
function flatText(value: unknown, flat: Map<object, string | undefined>): string | undefined {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const parts: (string | undefined)[] = isList
    ? value.map((item: unknown) => flatText(item, flat))
    : entriesOf(value).map(([key, child]) => {
        const text = flatText(child, flat);
        return text === undefined ? undefined : `${JSON.stringify(key)}: ${text}`;
      });
  const text = parts.includes(undefined) ? undefined : joined(parts.join(", "), isList);
  const short = text === undefined || text.length > width ? undefined : text;
  flat.set(value, short);
  return short;
}

function joined(text: string, isList: boolean): string {
  if (isList) return `[${text}]`;
  return text === "" ? "{}" : `{ ${text} }`;
}

const entriesOf = (value: object): [string, unknown][] => Object.entries(value).filter(([, child]) => child !== undefined);
