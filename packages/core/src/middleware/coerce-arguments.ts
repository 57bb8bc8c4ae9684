import type { FunctionCallItem, Item } from "../contracts/item.js";
import type { Middleware } from "../contracts/middleware.js";
import type { ToolSpec } from "../contracts/model.js";
import type { ObjectSchema } from "../contracts/schema.js";
import { isFunctionCall } from "../run/history-items.js";
import { type ArgumentsChecker, compileArguments } from "../schema/compile-schema.js";
import { parseArguments } from "../schema/parse-arguments.js";
import { Coercion } from "./coerce-value.js";
import { readJson } from "./read-json.js";

/**
 * Puts right what lesser servers get wrong about types: `"5"` where a number belongs, an object written as a text, a key left
 * out that may be null. Only what loses nothing and leaves no choice is changed; arguments that fit their schema are left as
 * they are, byte for byte, and so are those that would not fit afterwards either.
 *
 * The reply itself is changed, so that history, checks, approvals and lanes all see the same arguments.
 */
export function coerceArguments(): Middleware {
  return {
    name: "coerceArguments",
    kind: "coerceArguments",
    async wrapModelCall(call, next) {
      const response = await next(call);
      // A model of the application's own may give anything; the kernel says what is wrong with it.
      if (!Array.isArray(response.output)) return response;
      const schemas = schemasOf(call.request.tools);
      const output = response.output.map((item: Item) => coerced(item, schemas));
      return output.every((item, index) => item === response.output[index]) ? response : { ...response, output };
    },
  };
}

interface Schema {
  readonly parameters: ObjectSchema;
  readonly checker: ArgumentsChecker;
}

// A list of tools is the same object for every step of a run.
const known = new WeakMap<readonly ToolSpec[], ReadonlyMap<string, Schema>>();

function schemasOf(tools: readonly ToolSpec[]): ReadonlyMap<string, Schema> {
  let schemas = known.get(tools);
  if (schemas === undefined) {
    schemas = new Map(
      tools.flatMap(({ type, name, parameters }) =>
        type === "function" && isObjectSchema(parameters)
          ? [[String(name), { parameters, checker: compileArguments(parameters, undefined) }] as const]
          : [],
      ),
    );
    known.set(tools, schemas);
  }
  return schemas;
}

function isObjectSchema(parameters: unknown): parameters is ObjectSchema {
  const { type, properties } = (parameters ?? {}) as { readonly type?: unknown; readonly properties?: unknown };
  return type === "object" && typeof properties === "object" && properties !== null;
}

function coerced(item: Item, schemas: ReadonlyMap<string, Schema>): Item {
  if (typeof item !== "object" || item === null || !isFunctionCall(item)) return item;
  const schema = schemas.get(item.name);
  const text = schema === undefined ? undefined : coercedText(item, schema);
  return text === undefined ? item : { ...item, arguments: text };
}

/** The arguments as a text that fits; undefined when they do, or when they cannot be made to. */
function coercedText({ arguments: given }: FunctionCallItem, { parameters, checker }: Schema): string | undefined {
  if (typeof given !== "string") return undefined;
  const parsed = parseArguments(given);
  if (parsed.ok && checker.check(parsed.value).ok) return undefined;
  // Nothing at all means no arguments, as it does for the kernel.
  const text = parsed.ok && /^\s*(?:null\s*)?$/.test(given) ? "{}" : (writtenTwice(given) ?? given);
  const read = readJson(text);
  if (read === undefined) return undefined;
  const fit = new Coercion(parameters).whole(read);
  return fit !== undefined && checker.check(fit.value).ok ? JSON.stringify(fit.value) : undefined;
}

/** The object in arguments that were written as a text within a text. */
function writtenTwice(text: string): string | undefined {
  if (!/^\s*"\s*\{/.test(text)) return undefined;
  try {
    const inner: unknown = JSON.parse(text);
    return typeof inner === "string" ? inner : undefined;
  } catch {
    return undefined;
  }
}
