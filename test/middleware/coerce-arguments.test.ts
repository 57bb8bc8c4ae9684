import { Agent, defineMiddleware, defineTool, isFunctionCall, type SchemaNode } from "@toolwright/core";
import { coerceArguments } from "@toolwright/core/middleware";
import { reply, type ResponsesServerOptions } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, inputOf, outputsIn, serve } from "../support/serve.js";

type Properties = Readonly<Record<string, SchemaNode>>;

/** What a call with these arguments comes to, when the schema is sent as it stands: every property required. */
async function called(properties: Properties, text: string, more: object = {}, options: ResponsesServerOptions = {}) {
  const script = [reply.calls({ callId: "call_1", name: "work", arguments: text }), reply.text("Done.")];
  await using stand = await serve(script, options);
  const got: unknown[] = [];
  const parameters = { type: "object", properties, required: Object.keys(properties), additionalProperties: false, ...more };
  const work = defineTool({ name: "work", description: "Works.", effect: "read", parameters, execute: (args) => (got.push(args), "ok") });
  await new Agent({ model: "test", client: stand.client, tools: [work], middleware: [coerceArguments()] }).run("Work.");
  stand.server.assertDone();
  const input = inputOf(stand.server.request(1));
  return { got: got[0], output: outputsIn(input)[0]?.[1], sent: input.find(isFunctionCall)?.arguments };
}

const string = { type: "string" } as const;
const integer = { type: "integer" } as const;
const number = { type: "number" } as const;
const boolean = { type: "boolean" } as const;
const list = (items: SchemaNode): SchemaNode => ({ type: "array", items });
const object = (properties: Properties): SchemaNode => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const nullable = (node: { readonly type: string }): SchemaNode => ({ ...node, type: [node.type, "null"] });

const kind = (name: string, n: SchemaNode) => object({ kind: { type: "string", enum: [name] }, n });
const kinds: SchemaNode = { anyOf: [kind("a", string), kind("b", integer)] };

describe("coerceArguments makes of", () => {
  it.each<[what: string, node: SchemaNode, written: string, value: unknown]>([
    ["a text a number", number, '"2.5"', 2.5],
    ["a text an integer", integer, '"5"', 5],
    ["a negative text an integer", integer, '"-5"', -5],
    ["a text a boolean", boolean, '"true"', true],
    ["a text null", nullable(integer), '"null"', null],
    ["a number a text", string, "17", "17"],
    ["a text an object", object({ n: integer }), '"{\\"n\\": 5}"', { n: 5 }],
    ["a text an object whose fields need it too", object({ n: integer }), '"{\\"n\\": \\"5\\"}"', { n: 5 }],
    ["a text a list", list(string), '"[\\"a\\", \\"b\\"]"', ["a", "b"]],
    ["texts in a list numbers", list(integer), '["1", 2]', [1, 2]],
    ["a single object a list", list(object({ n: integer })), '{"n": 5}', [{ n: 5 }]],
    ["a single number a list", list(integer), "5", [5]],
    ["a text what its enum has", { type: "integer", enum: [1, 2] }, '"2"', 2],
    ["a text the only branch that takes it", { anyOf: [integer, { type: "null" }] }, '"5"', 5],
    ["an object the branch that its kind names", kinds, '{"kind": "b", "n": "5"}', { kind: "b", n: 5 }],
  ])("%s", async (_, node, written, value) => {
    const { got, sent } = await called({ value: node }, `{"value": ${written}}`);
    expect(got).toEqual({ value });
    expect(JSON.parse(sent ?? "")).toEqual({ value });
  });

  it("a key that was left out null, where null is allowed", async () => {
    const { got } = await called({ city: string, days: nullable(integer) }, '{"city": "Oslo"}');
    expect(got).toEqual({ city: "Oslo", days: null });
  });

  it("arguments that were written twice arguments", async () => {
    const { got } = await called({ city: string }, JSON.stringify(JSON.stringify({ city: "Oslo" })));
    expect(got).toEqual({ city: "Oslo" });
  });

  it("values behind a reference, in a schema that refers to itself", async () => {
    const node = { ...object({ n: integer, next: { anyOf: [{ $ref: "#/$defs/Node" }, { type: "null" }] } }) };
    const { got } = await called({ head: { $ref: "#/$defs/Node" } }, '{"head": {"n": "1", "next": {"n": "2"}}}', { $defs: { Node: node } });
    expect(got).toEqual({ head: { n: 1, next: { n: 2, next: null } } });
  });
});

describe("coerceArguments leaves", () => {
  it.each<[what: string, properties: Properties, text: string]>([
    ["what fits, byte for byte", { n: integer, s: string }, '{ "s" : "5",\n "n": 5.0 }'],
    ["a text where a text is allowed beside a number", { v: { anyOf: [string, integer] } }, '{"v": "5"}'],
    ["a number where a number is allowed beside a text", { v: { type: ["integer", "string"] } }, '{"v":  5}'],
    ["a list of texts that look like JSON", { v: list(string) }, '{"v": ["[1]"]}'],
  ])("%s", async (_, properties, text) => {
    const { got, sent } = await called(properties, text);
    expect(got).toBeDefined();
    expect(sent).toBe(text);
  });

  it.each<[what: string, properties: Properties, text: string]>([
    ["a text that is written otherwise as a number", { v: integer }, '{"v": "05"}'],
    ["a number with a fraction for an integer", { v: integer }, '{"v": "5.5"}'],
    ["a number that would be rounded", { v: integer }, '{"v": "12345678901234567891"}'],
    ["a text with a space", { v: number }, '{"v": " 5"}'],
    ["words for booleans", { v: boolean }, '{"v": "yes"}'],
    ["numbers for booleans", { v: boolean }, '{"v": 1}'],
    ["booleans for texts", { v: string }, '{"v": true}'],
    ["a number whose literal says more than its value", { v: string }, '{"v": 1.10}'],
    ["a number in another notation", { v: string }, '{"v": 1e3}'],
    ["null where it is not allowed", { v: string }, '{"v": null}'],
    ["a missing key that may not be null", { v: string, w: string }, '{"v": "x"}'],
    ["unknown keys", { v: integer }, '{"v": "5", "w": 1}'],
    ["a single text where a list is wanted: it may stand for several", { v: list(string) }, '{"v": "red, green"}'],
    ["an object in a text with a key twice", { v: object({ n: integer }) }, '{"v": "{\\"n\\": 1, \\"n\\": 2}"}'],
    ["a list in a text that is more than a list", { v: list(integer) }, '{"v": "[1], \\"w\\": [2]"}'],
    ["one argument, when another cannot be put right", { v: integer, w: integer }, '{"v": "5", "w": "x"}'],
    ["text that is no JSON", { v: integer }, '{"v": "5"'],
    ["what breaks a rule that types do not tell", { v: { type: "integer", minimum: 10 } }, '{"v": "5"}'],
    ["a prototype", { v: integer }, '{"v": "5", "__proto__": {}}'],
  ])("%s", async (_, properties, text) => {
    const { got, sent, output } = await called(properties, text);
    expect(got).toBeUndefined();
    expect(errorIn(output)).toMatchObject({ code: "TOOL_ARGUMENTS_INVALID" });
    // The model reads what is wrong with what it wrote, not with what was made of it.
    expect(sent).toBe(text);
  });

  it("what could be meant in two ways", async () => {
    const { got, sent } = await called({ v: { anyOf: [string, list(integer)] } }, '{"v":  5}');
    expect(got).toBeUndefined();
    expect(sent).toBe('{"v":  5}');
  });

  it("a hostile union alone, instead of trying for ever", async () => {
    const node: SchemaNode = {
      anyOf: Array.from({ length: 8 }, (_, index) => object({ [`k${index % 2}`]: { $ref: "#/$defs/Node" }, n: integer })),
    };
    const deep = Array.from({ length: 40 }).reduce<string>((inner, __, level) => `{"k${level % 2}": ${inner}, "n": "1"}`, '"x"');
    const { got } = await called({ v: { $ref: "#/$defs/Node" } }, `{"v": ${deep}}`, { $defs: { Node: node } }, { checks: false });
    expect(got).toBeUndefined();
  });
});

describe("coerceArguments and the rest of the pipeline", () => {
  it("changes the reply, so that guards, lanes and the history see the same arguments", async () => {
    const script = [reply.calls({ callId: "call_1", name: "pay", arguments: '{"order":7,"amount":"5"}' }), reply.text("Paid.")];
    await using stand = await serve(script);
    const seen: unknown[] = [];
    const parameters = { type: "object", properties: { order: string, amount: integer }, required: ["order", "amount"] } as const;
    const pay = defineTool({
      name: "pay",
      description: "Pays.",
      effect: "write",
      resource: "order:{order}",
      parameters,
      execute: () => "ok",
    });
    const look = defineMiddleware({ name: "look", wrapToolCall: (call, next) => (seen.push(call.arguments), next(call)) });
    const agent = new Agent({ model: "test", client: stand.client, tools: [pay], middleware: [coerceArguments(), look] });
    const result = await agent.run("Pay.");
    expect(seen).toEqual([{ order: "7", amount: 5 }]);
    expect(result.items.find(isFunctionCall)).toMatchObject({ arguments: '{"order":"7","amount":5}', call_id: "call_1" });
  });

  it("leaves unknown tools, words and items it does not know as they are", async () => {
    const script = [
      reply.output(reply.reasoning("Hm."), reply.calls({ callId: "call_1", name: "nothing", arguments: '{"n":"5"}' })),
      reply.text("Sorry."),
    ];
    await using stand = await serve(script);
    const result = await new Agent({ model: "test", client: stand.client, middleware: [coerceArguments()] }).run("Work.");
    expect(result.items.map(({ type }) => type)).toEqual(["message", "reasoning", "function_call", "function_call_output", "message"]);
    expect(result.items.find(isFunctionCall)?.arguments).toBe('{"n":"5"}');
  });
});
