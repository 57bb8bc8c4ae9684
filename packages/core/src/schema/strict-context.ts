import type { DecodePlan, SchemaNode } from "../contracts/schema.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { isPlainObject } from "./json-type.js";

/** A node of any JSON Schema, before it is made strict. */
export type RawSchema = Readonly<Record<string, unknown>>;

/** A strict node and what decoding needs to know of it. */
export interface StrictNode {
  readonly schema: SchemaNode;
  readonly plan: DecodePlan | undefined;
}

/** Converts one node. Passed along, so that the files of the parts need not import each other. */
export type ConvertNode = (context: StrictContext, raw: unknown, path: string) => StrictNode;

/** What the conversion of one schema shares: where references lead, and how a refusal reads. */
export class StrictContext {
  /** Converted definitions by their strict names. */
  readonly defs = new Map<string, StrictNode>();
  private readonly names = new Map<string, string>();

  constructor(
    private readonly root: RawSchema,
    private readonly tool: string,
    /** The schema's own library checks the values too: a rule that strict schemas lack may be told in words instead. */
    readonly enforced: boolean,
    readonly convert: ConvertNode,
  ) {}

  refuse(path: string, reason: string, fix: string): ToolwrightError<"TOOL_DEFINITION"> {
    const place = path === "" ? "its root" : `"${path}"`;
    return new ToolwrightError(
      "TOOL_DEFINITION",
      `The parameters of the tool "${this.tool}" can not become a strict schema: at ${place}, ${reason}.`,
      {
        fix,
        details: { path },
      },
    );
  }

  /** The node that a reference leads to: `#`, or an entry of the root's `$defs` or `definitions`. */
  target(reference: unknown, path: string): RawSchema {
    if (reference === "#") return this.root;
    const [, keyword, pointer] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(reference)) ?? [];
    const definitions = keyword === undefined ? undefined : this.root[keyword];
    const name = pointer === undefined ? "" : pointerName(pointer);
    const node = isPlainObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
    if (isPlainObject(node)) return node;
    throw this.refuse(
      path,
      `the reference ${JSON.stringify(reference)} does not lead to an object schema in "$defs"`,
      "Put the referenced schema into the root's `$defs`.",
    );
  }

  /** Converts what a reference leads to, once, and gives back the name of its definition. */
  define(reference: string, path: string): string {
    const known = this.names.get(reference);
    if (known !== undefined) return known;
    const raw = this.target(reference, path);
    const name = this.freeName(reference === "#" ? "Root" : pointerName(reference.slice(reference.lastIndexOf("/") + 1)));
    // Taken before its parts are converted: they may refer back to it.
    this.names.set(reference, name);
    this.defs.set(name, this.convert(this, raw, name));
    return name;
  }

  private freeName(wanted: string): string {
    const base = wanted.replaceAll(/[^A-Za-z0-9_-]/g, "_");
    const taken = new Set(this.names.values());
    let name = base;
    for (let count = 2; taken.has(name); count += 1) name = `${base}_${count}`;
    return name;
  }
}

function pointerName(pointer: string): string {
  const text = pointer.includes("%") ? safeDecode(pointer) : pointer;
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
