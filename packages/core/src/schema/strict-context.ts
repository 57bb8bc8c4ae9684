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

/** The API takes ten levels of objects and arrays; choices and references are between them. */
const MAX_DEPTH = 200;

/** What the conversion of one schema shares: where references lead, and how a refusal reads. */
export class StrictContext {
  /** Converted definitions by their strict names. */
  readonly defs = new Map<string, StrictNode>();
  private readonly names = new Map<string, string>();
  /** The nodes within each other that are being converted, from the root or a definition on. */
  private open = new Set<RawSchema>();
  private depth = 0;

  constructor(
    private readonly root: RawSchema,
    private readonly owner: string,
    /** The schema's own library checks the values too: a rule that strict schemas lack may be told in words instead. */
    readonly enforced: boolean,
    readonly convert: ConvertNode,
  ) {}

  refuse(path: string, reason: string, fix: string): ToolwrightError<"TOOL_DEFINITION"> {
    const place = path === "" ? "its root" : `"${path}"`;
    return new ToolwrightError("TOOL_DEFINITION", `${this.owner} can not become a strict schema: at ${place}, ${reason}.`, {
      fix,
      details: { path },
    });
  }

  /** Converts a node within those that are open: none may contain itself, nor may there be too many. */
  within(raw: RawSchema, path: string, convert: () => StrictNode): StrictNode {
    if (this.open.has(raw))
      throw this.refuse(
        path,
        "it contains itself",
        'Put the part that repeats into `$defs`, and refer to it by `{ $ref: "#/$defs/Name" }`.',
      );
    if (this.depth >= MAX_DEPTH) throw this.refuse("", "it is nested too deep", "Make it flatter.");
    this.open.add(raw);
    this.depth += 1;
    const converted = convert();
    this.depth -= 1;
    this.open.delete(raw);
    return converted;
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
      `the reference ${jsonText(reference) ?? "there"} does not lead to an object schema in "$defs"`,
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
    const { open } = this;
    this.open = new Set();
    this.defs.set(name, this.convert(this, raw, name));
    this.open = open;
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

/** A value as JSON; undefined for what JSON can not carry, such as something that contains itself. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
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
