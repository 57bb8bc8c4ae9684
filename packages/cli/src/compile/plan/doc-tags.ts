import type { ts } from "typescript-json-schema";
import type { ProblemText } from "../project.js";

/** Tags that make typescript-json-schema say something else than the type does. */
const overriding = new Set([
  "type",
  "$ref",
  "items",
  "additionalProperties",
  "contains",
  "enum",
  "ignore",
  "nullable",
  "TJS",
  "minProperties",
  "maxProperties",
]);

/** Tags whose text it evaluates: `require("./file").name` in one of them would run that file. */
const evaluated = new Set([
  ...["multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems"],
  ...["minItems", "uniqueItems", "examples", "description", "format", "default", "id", "$id", "$comment", "title"],
]);

const checked = new WeakMap<ts.Symbol, { node: ts.Node; text: ProblemText } | false>();

/** What is wrong with the tags of a symbol's doc comments; must be asked before typescript-json-schema sees the symbol. */
export function guardDocTags(symbol: ts.Symbol): { readonly node: ts.Node; readonly text: ProblemText } | undefined {
  const before = checked.get(symbol);
  if (before !== undefined) return before === false ? undefined : before;
  const text = firstProblem(symbol);
  const node = symbol.declarations?.[0];
  const result = text === undefined || node === undefined ? false : { node, text };
  checked.set(symbol, result);
  return result === false ? undefined : result;
}

function firstProblem(symbol: ts.Symbol): ProblemText | undefined {
  for (const { name, text } of symbol.getJsDocTags()) {
    const words = text?.map((part) => part.text).join("") ?? "";
    const plain = name.split(".")[0] ?? name;
    if ((evaluated.has(plain) || overriding.has(plain) || name.startsWith("TJS")) && words.includes("require(")) {
      return {
        reason: `The doc tag @${name} has \`require(\` in it, and documentation must never run code.`,
        fix: "Write the value itself.",
      };
    }
    if (overriding.has(plain) || name.startsWith("TJS")) {
      return {
        reason: `The doc tag @${name} would replace what the type says, so schema and code could disagree.`,
        fix:
          name === "type" || name === "TJS-type"
            ? "Change the type itself; for whole numbers use @IsInt() or `@multipleOf 1`."
            : "Take the tag away, and say it in the type.",
      };
    }
  }
  return undefined;
}
