import type { ContentPart } from "../contracts/item.js";
import type { ToolOutput } from "../contracts/outcome.js";
import { PartProblem } from "./history-media.js";
import { type UnreadPart, type OutputPart, wirePart, withBytes } from "./history-parts.js";

const contentKey = Symbol.for("toolwright.content");

/** What `content()` gives: a tool returns it to show texts, images and files. */
export interface ToolContent {
  readonly parts: readonly OutputPart[];
}

/**
 * Makes a tool's result from parts. With the bytes of a Blob, which have yet to be read, it is a promise, which a tool can
 * return like the thing itself.
 *
 * @example
 * return content([{ type: "text", text: "The chart:" }, image({ data: png })]);
 */
export function content(parts: readonly OutputPart[]): ToolContent;
export function content(parts: readonly (OutputPart | UnreadPart)[]): Promise<ToolContent>;
export function content(parts: readonly (OutputPart | UnreadPart)[]): ToolContent | Promise<ToolContent> {
  const whole = withBytes(parts);
  return whole instanceof Promise ? whole.then(marked) : marked(whole);
}

const marked = (parts: readonly OutputPart[]): ToolContent => Object.defineProperty({ parts }, contentKey, { value: true });

/** A tool's result as the model reads it. Never throws: the effect happened, so what cannot be shown is said in words. */
export function showValue(value: unknown): ToolOutput {
  try {
    if (typeof value === "string") return value.toWellFormed();
    if (typeof value === "object" && value !== null && contentKey in value) return (value as unknown as ToolContent).parts.map(shownPart);
    return valueText(value).toWellFormed();
  } catch {
    return "The tool is done, but its result cannot be shown as text.";
  }
}

function valueText(value: unknown): string {
  if (value === undefined) return "null";
  if (typeof value === "function" || typeof value === "symbol")
    return `The tool is done, but its result, a ${typeof value}, cannot be shown as text.`;
  const opaque = opaqueName(value);
  if (opaque !== undefined) return `The tool is done, but its result, ${article(opaque)} ${opaque}, cannot be shown as text.`;
  return JSON.stringify(plain(value, new Set()));
}

/** The class of an object that holds nothing of its own to show, such as a Response; undefined for any other value. */
function opaqueName(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  if (value instanceof Date || value instanceof Map || value instanceof Set || value instanceof ArrayBuffer || ArrayBuffer.isView(value))
    return undefined;
  const prototype = Object.getPrototypeOf(value) as { readonly constructor?: { readonly name?: unknown } } | null;
  if (prototype === null || prototype === Object.prototype || "toJSON" in value || Object.keys(value).length > 0) return undefined;
  const name = prototype.constructor?.name;
  // An instance of a class of the application's own may be empty.
  return typeof name === "string" && name !== "" && (isThrown(value) || name in globalThis) ? name : undefined;
}

const isThrown = (value: object): boolean => value instanceof Error;
const article = (name: string): string => (/^[AEIOU]/.test(name) ? "an" : "a");

/** Plain JSON data: BigInt as decimal text, Map and Set as arrays, a Buffer as its length and type. */
function plain(value: unknown, above: Set<object>): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  if (typeof value !== "object" || value === null) return value;
  if (above.has(value)) throw new TypeError("cycle");
  const opaque = opaqueName(value);
  if (opaque !== undefined) return `[${opaque}]`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return { type: Object.prototype.toString.call(value).slice(8, -1), bytes: value.byteLength };
  if (value instanceof ArrayBuffer) return { type: "ArrayBuffer", bytes: value.byteLength };
  above.add(value);
  const shown = plainObject(value, above);
  above.delete(value);
  return shown;
}

function plainObject(value: object, above: Set<object>): unknown {
  if (Array.isArray(value)) return value.map((entry) => plain(entry, above) ?? null);
  if (value instanceof Map) return [...value].map(([key, entry]) => [plain(key, above) ?? null, plain(entry, above) ?? null]);
  if (value instanceof Set) return [...value].map((entry) => plain(entry, above) ?? null);
  if ("toJSON" in value && typeof value.toJSON === "function") return plain((value as { toJSON(): unknown }).toJSON(), above);
  const shown: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    const entry = plain((value as Record<string, unknown>)[key], above);
    if (entry !== undefined) shown.push([key, entry]);
  }
  return Object.fromEntries(shown);
}

// What is no part cannot be shown. What the API would not take is said in words: it would refuse every later request, too.
function shownPart(part: OutputPart): ContentPart {
  try {
    return wirePart(part);
  } catch (error) {
    if (!(error instanceof PartProblem)) throw error;
    return { type: "input_text", text: `[This ${part.type} cannot be shown: it ${error.message}.]` };
  }
}
