import { defineTool, type JsonObject, type ObjectSchema } from "@toolwright/core";
import { Ajv } from "ajv";
import fc from "fast-check";
import { expect } from "vitest";
import { callTool } from "../support/call-tool.js";
import { fittingValues } from "../support/schema-values.js";

const item = {
  type: "object",
  properties: { a: { type: "string" }, n: { type: "number" } },
  required: ["a", "n"],
  additionalProperties: false,
} as const;
const schema: ObjectSchema = {
  type: "object",
  properties: {
    text: { type: "string" },
    count: { type: "integer" },
    list: { type: "array", items: item },
    either: { anyOf: [{ type: "string" }, { type: "array", items: { type: "boolean" } }, { type: "null" }] },
  },
  required: ["text", "count", "list", "either"],
  additionalProperties: false,
};

const token = fc.constantFrom(
  ...[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    '"',
    "\\",
    "/",
    "'",
    "0",
    "1",
    "-",
    ".",
    "e",
    "E5",
    "+",
    " ",
    "\n",
    "\t",
    "\0",
    "\u2028",
    "\ufeff",
    "é",
    "😀",
  ],
  ...["true", "false", "null", "NaN", "Infinity", "undefined", "//", "/*", "*/", "\\u", "\\ud83d", "\\ude00", "\\x41", "\ud800", "\udc00"],
  ...[
    '"text":',
    '"a":"',
    '"__proto__":',
    '"constructor":{}',
    '"\\u0074ext":1',
    "9007199254740993",
    "1e400",
    "-0",
    "00",
    "```json\n",
    "\n```",
  ],
);
const edit = fc.record({
  at: fc.nat(),
  length: fc.nat(8),
  by: fc.oneof(
    fc.constant(""),
    token,
    fc.array(token, { maxLength: 4 }).map((parts) => parts.join("")),
  ),
  again: fc.boolean(),
});

/** Texts from what fits to what is no JSON at all. */
const texts = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(fittingValues(schema), fc.constantFrom(undefined, 1), fc.array(edit, { maxLength: 3 }))
      .map(([value, indent, edits]) => edits.reduce(edited, JSON.stringify(value, null, indent))),
  },
  { weight: 1, arbitrary: fc.array(token, { maxLength: 12 }).map((parts) => parts.join("")) },
);

function edited(
  text: string,
  { at, length, by, again }: { readonly at: number; readonly length: number; readonly by: string; readonly again: boolean },
): string {
  const start = at % (text.length + 1);
  // A part that stands twice makes keys that are given twice.
  return text.slice(0, start) + (again ? text.slice(start, start + length * 4) : by) + text.slice(again ? start : start + length);
}

/**
 * Lets a model call a tool with random texts, all in one reply. Each call is either refused, or the tool gets exactly what
 * the text says: nothing is repaired, rounded, dropped or merged.
 */
export async function checkRandomTexts(count: number, seed: number): Promise<{ readonly taken: number; readonly refused: number }> {
  const received = new Map<string, JsonObject>();
  const take = defineTool({
    name: "take",
    description: "Takes what it is given.",
    effect: "read",
    parameters: schema,
    execute: (given, { callId }) => {
      received.set(callId, given as JsonObject);
      return "taken";
    },
  });
  const given = fc.sample(texts, { numRuns: count, seed });
  const { calls, issues } = await callTool(take, "take", given);
  expect(calls).toHaveLength(given.length);
  const isValid = new Ajv({ ownProperties: true, allowUnionTypes: true }).compile(schema);
  for (const [index, text] of given.entries()) {
    const say = `seed ${seed}: ${JSON.stringify(text)}`;
    const { kind } = calls[index]?.outcome ?? {};
    const said = meaning(text);
    expect(kind, say).toBe(said !== undefined && isValid(said) ? "ok" : "invalid");
    if (kind === "ok") expect(received.get(`call_${index}`), say).toEqual(said);
    else expect(issues[index]?.length, say).toBeGreaterThan(0);
  }
  return { taken: received.size, refused: given.length - received.size };
}

/** What a text says for certain; undefined when it is no JSON, or when a parser would lose a part of it. */
function meaning(text: string): unknown {
  if (text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const structure = text.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '""');
  const isRounded = (structure.match(/[-+\d.eE]+/g) ?? []).some(
    (number) => Math.abs(Number(number)) > Number.MAX_SAFE_INTEGER && !isExact(number),
  );
  const losesKeys = structure.split(":").length - 1 !== keysIn(value);
  const isBroken = !text.isWellFormed() || /\\ud[89a-f]/i.test(JSON.stringify(value));
  return isRounded || losesKeys || isBroken ? undefined : (value ?? {});
}

/** A power of ten or the like, which nobody takes for an id. */
function isExact(number: string): boolean {
  return /e/i.test(number) && Number.isFinite(Number(number)) && BigInt(Number(number)).toString().replace(/0+$/, "").length < 16;
}

function keysIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((sum, child) => sum + keysIn(child), own);
}
