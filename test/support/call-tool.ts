import {
  Agent,
  type AgentTool,
  type CallRecord,
  type CallSlot,
  type DecodePlan,
  type Issue,
  type ObjectSchema,
  type SchemaNode,
} from "@toolwright/core";
import { registerToolkit } from "@toolwright/core/generated";
import { reply, startResponsesServer } from "@toolwright/testing";
import OpenAI from "openai";

/** A closed object whose properties are all required: what the compiler writes for parameters and classes. */
export function object(properties: Record<string, SchemaNode>): ObjectSchema {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

/** What the compiler would write of one method. */
export interface MethodManifest {
  readonly parameters: ObjectSchema;
  readonly decode?: DecodePlan;
  /** Default: one slot for each property, in order. */
  readonly call?: readonly CallSlot[];
}

type AnyClass = abstract new (...parameters: never[]) => object;

/** Registers a class whose `@Tool` methods are reads, as its generated module would, and gives back an instance. */
export function toolkit<Class extends new () => object>(
  Toolkit: Class,
  methods: { readonly [Method in string & keyof InstanceType<Class>]?: MethodManifest },
  classes: Readonly<Record<string, AnyClass>> = {},
): AgentTool<unknown> {
  const tools = Object.entries(methods as Readonly<Record<string, MethodManifest>>).map(([method, { parameters, decode, call }]) => ({
    name: method,
    method,
    description: "Does what the test needs.",
    effect: "read" as const,
    parameters,
    ...(decode !== undefined && { decode }),
    call: call ?? Object.keys(parameters.properties).map((argument) => ({ argument })),
  }));
  const manifest = { format: 1, className: Toolkit.name, tools } as const;
  const Registered = registerToolkit(Toolkit, manifest, { methods: Object.keys(methods), classes });
  // What a generated module exports: the class whose instances an Agent takes.
  return new (Registered as unknown as new () => AgentTool<unknown>)();
}

/** What became of the calls that the model made in one reply. */
export interface CalledTool {
  readonly calls: readonly CallRecord[];
  /** The issues of each call; empty for one that was not refused. */
  readonly issues: readonly (readonly Issue[])[];
  /** The first request and the one that carries the outputs, as the server read them. */
  readonly requests: readonly { readonly input: readonly Record<string, unknown>[]; readonly tools: readonly Record<string, unknown>[] }[];
}

/** Lets a model call a tool once for each arguments text, all in one reply, over real HTTP; then it answers. */
export async function callTool(tool: AgentTool<unknown>, name: string, texts: readonly string[]): Promise<CalledTool> {
  const calls = texts.map((text, index) => ({ callId: `call_${index}`, name, arguments: text }));
  await using server = await startResponsesServer([reply.calls(...calls), reply.text("Done.")]);
  const agent = new Agent({ model: "test", client: new OpenAI({ baseURL: server.url, apiKey: "test" }), tools: [tool] });
  const result = await agent.run("Call the tool.");
  server.assertDone();
  const records = result.steps[0]?.calls ?? [];
  return {
    calls: records,
    issues: records.map(({ outcome }) => (outcome.kind === "invalid" ? (outcome.error.issues ?? []) : [])),
    requests: [server.request(0).body, server.request(1).body] as unknown as CalledTool["requests"],
  };
}
