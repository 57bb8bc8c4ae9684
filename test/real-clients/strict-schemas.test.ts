import { createOpenAI } from "@ai-sdk/openai";
import { ChatOpenAI } from "@langchain/openai";
import { Agent, OpenAIProvider, Runner, tool as agentsTool } from "@openai/agents";
import { reply, startResponsesServer, type ResponsesServer } from "@toolwright/testing";
import { generateText, tool as aiTool } from "ai";
import { tool as langchainTool } from "langchain";
import OpenAI from "openai";
import { zodResponsesFunction, zodTextFormat } from "openai/helpers/zod";
import { expect, test } from "vitest";
import { z, type ZodObject } from "zod";
import { statuses } from "./support/delivery.js";
import { loopbackOnly } from "./support/loopback-only.js";

loopbackOnly();

const tool = { name: "order", description: "Orders something." };
const ask = { model: "test", input: "Hi" };
const clientOf = (server: ResponsesServer): OpenAI => new OpenAI({ baseURL: server.url, apiKey: "test", maxRetries: 0 });

/** Sends a schema as the client makes it of Zod's. */
type Send = (server: ResponsesServer, parameters: ZodObject) => Promise<unknown>;

const viaAi =
  (strict: boolean): Send =>
  (server, inputSchema) =>
    generateText({
      model: createOpenAI({ baseURL: server.url, apiKey: "test" }).responses("gpt-5.4-mini"),
      prompt: "Hi",
      maxRetries: 0,
      tools: { order: aiTool({ description: tool.description, strict, inputSchema, execute: () => "Done." }) },
    });

const viaLangchain =
  (strict: boolean): Send =>
  (server, schema) =>
    new ChatOpenAI({ model: "gpt-5.4-mini", apiKey: "test", useResponsesApi: true, maxRetries: 0, configuration: { baseURL: server.url } })
      .bindTools([langchainTool(() => "Done.", { ...tool, schema })], strict ? { strict } : {})
      .invoke("Hi");

const strictly = {
  openai: (server, parameters) => clientOf(server).responses.create({ ...ask, tools: [zodResponsesFunction({ ...tool, parameters })] }),
  "openai, text.format": (server, schema) =>
    clientOf(server).responses.create({ ...ask, text: { format: zodTextFormat(schema, "order") } }),
  "@openai/agents": (server, parameters) =>
    new Runner({ tracingDisabled: true, modelProvider: new OpenAIProvider({ openAIClient: clientOf(server) }) }).run(
      new Agent({ name: "clerk", model: "test", tools: [agentsTool({ ...tool, parameters, execute: () => "Done." })] }),
      "Hi",
    ),
  ai: viaAi(true),
  langchain: viaLangchain(true),
} satisfies Record<string, Send>;

type Client = keyof typeof strictly;
const clients = Object.keys(strictly) as Client[];

const point = z.object({ x: z.number(), y: z.number() });

const accepted: Readonly<Record<string, ZodObject>> = {
  scalars: z.object({ text: z.string().describe("Any text."), number: z.number(), flag: z.boolean() }),
  "enums and literals": z.object({ size: z.enum(["small", "large"]), kind: z.literal("order") }),
  "bounded numbers": z.object({ count: z.int().min(1).max(5), weight: z.number().positive().multipleOf(0.5) }),
  "nullable values": z.object({ note: z.string().nullable(), at: point.nullable() }),
  "bounded arrays": z.object({ tags: z.array(z.string()).min(1).max(3), points: z.array(point) }),
  unions: z.object({ id: z.union([z.string(), z.number()]) }),
  "one object twice": z.object({ from: point, to: point }),
  formats: z.object({ id: z.uuid(), day: z.iso.date(), at: z.iso.datetime(), host: z.ipv4() }),
  "an address, whose pattern has lookaround": z.object({ to: z.email() }),
  "a pattern": z.object({ code: z.string().regex(/^[A-Z]{2}\d+$/) }),
};

test.each(Object.entries(accepted).flatMap(([name, schema]) => clients.map((client) => [client, name, schema] as const)))(
  "a strict schema by %s is accepted: %s",
  async (client, _name, schema) => {
    await using server = await startResponsesServer([reply.text("Hello.")]);
    await strictly[client](server, schema);
    const { tools, text } = server.request(0).body as { readonly tools?: readonly object[]; readonly text?: { readonly format?: object } };
    expect(tools?.[0] ?? text?.format).toMatchObject({ strict: true });
    server.assertDone();
  },
);

interface Node {
  readonly name: string;
  readonly parts: Node[];
}
const node: z.ZodType<Node> = z.lazy(() => z.object({ name: z.string(), parts: z.array(node) }));

test.each(["openai", "openai, text.format", "ai"] as const)("a recursive schema by %s is accepted", async (client) => {
  await using server = await startResponsesServer([reply.text("Hello.")]);
  await strictly[client](server, z.object({ root: node }));
  expect(server.request(0).text).toContain('"$ref":"#/definitions/');
  server.assertDone();
});

const choice = z.object({
  by: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("id"), id: z.string() }),
    z.object({ kind: z.literal("name"), name: z.string() }),
  ]),
});
const record = z.object({ amounts: z.record(z.string(), z.number()) });
const optional = z.object({ id: z.string(), note: z.string().optional() });

const refusals: readonly (readonly [what: string, schema: ZodObject, who: readonly Client[], message: string])[] = [
  ["a discriminated union", choice, ["ai", "langchain"], "In context=('properties', 'by'), 'oneOf' is not permitted."],
  [
    "a record",
    record,
    ["@openai/agents", "ai"],
    "In context=('properties', 'amounts'), 'additionalProperties' is required to be supplied and to be false.",
  ],
  ["a record", record, ["langchain"], "In context=('properties', 'amounts'), 'propertyNames' is not permitted."],
  ["an optional property", optional, ["ai", "langchain"], "an array including every key in properties. Missing 'note'."],
  ["no properties", z.object({}), ["ai", "langchain"], "In context=(), 'required' is required to be supplied"],
  ["a format outside the list", z.object({ at: z.url() }), clients, "In context=('properties', 'at'), 'uri' is not a valid format."],
  ["anything at all", z.object({ value: z.any() }), clients, "In context=('properties', 'value'), schema must have a 'type' key."],
];

test.each(refusals.flatMap(([what, schema, who, message]) => who.map((client) => [client, what, schema, message] as const)))(
  "a strict schema by %s is refused: %s",
  async (client, _what, schema, message) => {
    await using server = await startResponsesServer([reply.text("Never.")]);
    await expect(strictly[client](server, schema)).rejects.toThrow(message);
    const isFormat = client === "openai, text.format";
    expect(server.request(0).refusal).toMatchObject({
      status: 400,
      code: isFormat ? "invalid_json_schema" : "invalid_function_parameters",
      param: isFormat ? "text.format.schema" : "tools[0].parameters",
    });
  },
);

const rewritten: readonly (readonly [what: string, schema: ZodObject, who: readonly Client[]])[] = [
  ["a discriminated union", choice, ["openai", "openai, text.format", "@openai/agents"]],
  ["an optional property", optional, ["@openai/agents"]],
  ["no properties", z.object({}), ["openai", "openai, text.format", "@openai/agents"]],
];

test.each(rewritten.flatMap(([what, schema, who]) => who.map((client) => [client, what, schema] as const)))(
  "a strict schema that %s rewrites is accepted: %s",
  async (client, _what, schema) => {
    await using server = await startResponsesServer([reply.text("Hello.")]);
    await strictly[client](server, schema);
    expect(statuses(server)).toEqual([200]);
    server.assertDone();
  },
);

test.each([
  ["a record", record, "must set `additionalProperties: false`"],
  ["an optional property", optional, "uses `.optional()` without `.nullable()`"],
])("openai itself refuses %s, and sends nothing", async (_what, schema, message) => {
  await using server = await startResponsesServer([]);
  // It throws before it makes a promise.
  await expect((async () => strictly.openai(server, schema))()).rejects.toThrow(message);
  expect(server.requests).toEqual([]);
});

test.each(
  [viaAi(false), viaLangchain(false)].flatMap((send, index) =>
    [choice, record, optional, z.object({}), z.object({ value: z.any() })].map(
      (schema) => [["ai", "langchain"][index], send, schema] as const,
    ),
  ),
)("without strict, %s may send any object schema", async (_client, send, schema) => {
  await using server = await startResponsesServer([reply.text("Hello.")]);
  await send(server, schema);
  expect(server.request(0).body.tools?.[0]?.["strict"]).not.toBe(true);
  server.assertDone();
});
