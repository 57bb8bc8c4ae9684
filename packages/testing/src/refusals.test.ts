import { afterAll, beforeAll, expect, test } from "vitest";
import { reply } from "./reply.js";
import { seal } from "./sealed-reasoning.js";
import { startResponsesServer, type ResponsesServer } from "./server.js";

let server: ResponsesServer;
beforeAll(async () => {
  server = await startResponsesServer(() => reply.text("Fine."));
});
afterAll(() => server.close());

interface Answer {
  readonly status: number;
  readonly error:
    | { readonly message: string; readonly type: string; readonly param: string | null; readonly code: string | null }
    | undefined;
}

async function post(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${server.url}/responses`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer test", ...headers },
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
  const { error } = (await response.json()) as { error: Answer["error"] | null };
  return { status: response.status, error: error ?? undefined };
}

const ask = (more: object): object => ({ model: "test", input: "Hi", ...more });
const withInput = (...input: readonly object[]): object => ({ model: "test", store: false, input });
const user = { role: "user", content: "Hi" };
const call = { type: "function_call", call_id: "call_1", name: "f", arguments: "{}" };
const output = { type: "function_call_output", call_id: "call_1", output: "ok" };
const parameters = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };
const tool = { type: "function", name: "f", parameters, strict: true };
const withTool = (more: object): object => ask({ tools: [{ ...tool, ...more }] });
const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: seal("rs_1") };
const topLevel = "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.";

type Case = readonly [name: string, body: object, message: string, param: string | null, code: string | null];

const parameterCases: readonly Case[] = [
  ["no model", { input: "Hi" }, "Missing required parameter: 'model'.", "model", "missing_required_parameter"],
  ["no input", { model: "test" }, "Missing required parameter: 'input'.", "input", "missing_required_parameter"],
  [
    "an empty model",
    ask({ model: "" }),
    "Invalid 'model': empty string. Expected a string with minimum length 1, but got an empty string instead.",
    "model",
    "empty_string",
  ],
  ["an unknown parameter", ask({ max_tokens: 5 }), "Unknown parameter: 'max_tokens'.", "max_tokens", "unknown_parameter"],
  ["the messages of Chat Completions", ask({ messages: [] }), "Unknown parameter: 'messages'.", "messages", "unknown_parameter"],
  [
    "null where none may be",
    ask({ tools: null }),
    "Invalid type for 'tools': expected an array, but got null instead.",
    "tools",
    "invalid_type",
  ],
  [
    "a text for a boolean",
    ask({ stream: "true" }),
    "Invalid type for 'stream': expected a boolean, but got a string instead.",
    "stream",
    "invalid_type",
  ],
  [
    "an object as input",
    ask({ input: {} }),
    "Invalid type for 'input': expected one of a string or array of objects, but got an object instead.",
    "input",
    "invalid_type",
  ],
  [
    "too few output tokens",
    ask({ max_output_tokens: 8 }),
    "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 8 instead.",
    "max_output_tokens",
    "integer_below_min_value",
  ],
  [
    "too hot",
    ask({ temperature: 2.5 }),
    "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 2.5 instead.",
    "temperature",
    "decimal_above_max_value",
  ],
  [
    "an unknown include",
    ask({ include: ["everything"] }),
    "Invalid value: 'everything'. Supported values are: 'reasoning.encrypted_content', 'file_search_call.results', 'web_search_call.results', 'web_search_call.action.sources', 'message.input_image.image_url', 'computer_call_output.output.image_url', 'code_interpreter_call.outputs', and 'message.output_text.logprobs'.",
    "include[0]",
    "invalid_value",
  ],
  [
    "an unknown field of reasoning",
    ask({ reasoning: { depth: 1 } }),
    "Unknown parameter: 'reasoning.depth'.",
    "reasoning.depth",
    "unknown_parameter",
  ],
  [
    "an unknown effort",
    ask({ reasoning: { effort: "huge" } }),
    "Invalid value: 'huge'. Supported values are: 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', and 'max'.",
    "reasoning.effort",
    "invalid_value",
  ],
  [
    "metadata that is no text",
    ask({ metadata: { a: 1 } }),
    "Invalid type for 'metadata.a': expected a string, but got an integer instead.",
    "metadata.a",
    "invalid_type",
  ],
  [
    "much metadata",
    ask({ metadata: Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, ""])) }),
    "Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got an object with 17 properties instead.",
    "metadata",
    "object_above_max_properties",
  ],
  [
    "long metadata",
    ask({ metadata: { a: "x".repeat(513) } }),
    "Invalid 'metadata': keys are limited to 64 characters and values to 512; 'a' is longer.",
    "metadata",
    "string_above_max_length",
  ],
  [
    "two owners of history",
    ask({ previous_response_id: "resp_1", conversation: "conv_1" }),
    "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only providing one of: 'previous_response_id' or 'conversation'.",
    "conversation",
    "mutually_exclusive_parameters",
  ],
  [
    "an unknown previous response",
    ask({ previous_response_id: "resp_0" }),
    "Previous response with id 'resp_0' not found.",
    "previous_response_id",
    "previous_response_not_found",
  ],
];

const toolCases: readonly Case[] = [
  [
    "Chat's nested form",
    ask({ tools: [{ type: "function", function: tool }] }),
    "Missing required parameter: 'tools[0].name'.",
    "tools[0].name",
    "missing_required_parameter",
  ],
  [
    "an empty name",
    withTool({ name: "" }),
    "Invalid 'tools[0].name': empty string. Expected a string with minimum length 1, but got an empty string instead.",
    "tools[0].name",
    "empty_string",
  ],
  [
    "a name with a dot",
    withTool({ name: "a.b" }),
    "Invalid 'tools[0].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    "tools[0].name",
    "invalid_value",
  ],
  [
    "a long name",
    withTool({ name: "x".repeat(65) }),
    "Invalid 'tools[0].name': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
    "tools[0].name",
    "string_above_max_length",
  ],
  ["an unknown key", withTool({ effect: "read" }), "Unknown parameter: 'tools[0].effect'.", "tools[0].effect", "unknown_parameter"],
  [
    "an unknown type",
    ask({ tools: [{ type: "plugin" }] }),
    "Invalid value: 'plugin'. Supported values are: 'function', 'custom', 'namespace', 'tool_search', 'mcp', 'file_search', 'web_search', 'web_search_preview', 'computer', 'computer_use_preview', 'code_interpreter', 'programmatic_tool_calling', 'image_generation', 'local_shell', 'shell', and 'apply_patch'.",
    "tools[0].type",
    "invalid_value",
  ],
  [
    "no type",
    ask({ tools: [{ name: "f" }] }),
    "Missing required parameter: 'tools[0].type'.",
    "tools[0].type",
    "missing_required_parameter",
  ],
  [
    "129 tools",
    ask({ tools: Array.from({ length: 129 }, (_, index) => ({ ...tool, name: `f${index}` })) }),
    "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 129 instead.",
    "tools",
    "array_above_max_length",
  ],
  [
    "a namespace's bad member",
    ask({ tools: [{ type: "namespace", name: "n", description: "N.", tools: [{ type: "function", name: "" }] }] }),
    "Invalid 'tools[0].tools[0].name': empty string. Expected a string with minimum length 1, but got an empty string instead.",
    "tools[0].tools[0].name",
    "empty_string",
  ],
  [
    "parallel_tool_calls without tools",
    ask({ parallel_tool_calls: true }),
    "'parallel_tool_calls' is only allowed when 'tools' are specified.",
    "parallel_tool_calls",
    "invalid_value",
  ],
  [
    "a required choice without tools",
    ask({ tool_choice: "required" }),
    "Tool choice 'required' must be specified with 'tools' parameter.",
    "tool_choice",
    null,
  ],
  [
    "a choice that is not there",
    ask({ tools: [tool], tool_choice: { type: "function", name: "g" } }),
    "Tool choice 'g' not found in 'tools' parameter.",
    "tool_choice",
    null,
  ],
  [
    "an allowed tool that is not there",
    ask({ tools: [tool], tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "g" }] } }),
    "Tool choice 'g' not found in 'tools' parameter.",
    "tool_choice",
    null,
  ],
  [
    "an unknown choice",
    ask({ tools: [tool], tool_choice: "any" }),
    "Invalid value: 'any'. Supported values are: 'none', 'auto', and 'required'.",
    "tool_choice",
    "invalid_value",
  ],
  [
    "a property left out of required",
    withTool({ parameters: { ...parameters, required: [] } }),
    "Invalid schema for function 'f': In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing 'a'.",
    "tools[0].parameters",
    "invalid_function_parameters",
  ],
  [
    "a keyword outside the subset",
    withTool({ parameters: { ...parameters, properties: { a: { type: "array", items: { type: "string" }, uniqueItems: true } } } }),
    "Invalid schema for function 'f': In context=('properties', 'a'), 'uniqueItems' is not permitted.",
    "tools[0].parameters",
    "invalid_function_parameters",
  ],
  [
    "strict without parameters",
    withTool({ parameters: null }),
    `Invalid schema for function 'f': ${topLevel}`,
    "tools[0].parameters",
    "invalid_function_parameters",
  ],
  [
    "oneOf at the top, also when not strict",
    withTool({ strict: false, parameters: { type: "object", oneOf: [] } }),
    `Invalid schema for function 'f': ${topLevel}`,
    "tools[0].parameters",
    "invalid_function_parameters",
  ],
  [
    "a format without a name",
    ask({ text: { format: { type: "json_schema", schema: parameters } } }),
    "Missing required parameter: 'text.format.name'.",
    "text.format.name",
    "missing_required_parameter",
  ],
  [
    "a format with a bad name",
    ask({ text: { format: { type: "json_schema", name: "a b", schema: parameters } } }),
    "Invalid 'text.format.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    "text.format.name",
    "invalid_value",
  ],
  [
    "a format with an open schema",
    ask({ text: { format: { type: "json_schema", name: "plan", strict: true, schema: { ...parameters, additionalProperties: true } } } }),
    "Invalid schema for response_format 'plan': In context=(), 'additionalProperties' is required to be supplied and to be false.",
    "text.format.schema",
    "invalid_json_schema",
  ],
  ["Chat's response_format", ask({ response_format: {} }), "Unknown parameter: 'response_format'.", "response_format", "unknown_parameter"],
];

const itemCases: readonly Case[] = [
  [
    "an item without type",
    withInput({ call_id: "call_1" }),
    "Missing required parameter: 'input[0].type'.",
    "input[0].type",
    "missing_required_parameter",
  ],
  [
    "an unknown role",
    withInput({ role: "tool", content: "" }),
    "Invalid value: 'tool'. Supported values are: 'user', 'assistant', 'system', and 'developer'.",
    "input[0].role",
    "invalid_value",
  ],
  [
    "input_text in an assistant message",
    withInput(user, { role: "assistant", content: [{ type: "input_text", text: "Hi" }] }, user),
    "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
    "input[1].content[0]",
    "invalid_value",
  ],
  [
    "output_text in a user message",
    withInput({ role: "user", content: [{ type: "output_text", text: "Hi" }] }),
    "Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image', and 'input_file'.",
    "input[0].content[0]",
    "invalid_value",
  ],
  [
    "a client's field in a part",
    withInput(user, { role: "assistant", content: [{ type: "output_text", text: "Hi", parsed: {} }] }, user),
    "Unknown parameter: 'input[1].content[0].parsed'.",
    "input[1].content[0].parsed",
    "unknown_parameter",
  ],
  [
    "a client's field in a call",
    withInput(user, { ...call, parsed_arguments: {} }, output),
    "Unknown parameter: 'input[1].parsed_arguments'.",
    "input[1].parsed_arguments",
    "unknown_parameter",
  ],
  [
    "a status on reasoning",
    withInput(user, { ...reasoning, status: null }, call, output),
    "Unknown parameter: 'input[1].status'.",
    "input[1].status",
    "unknown_parameter",
  ],
  [
    "null in a call",
    withInput(user, { ...call, namespace: null }, output),
    "Invalid type for 'input[1].namespace': expected a string, but got null instead.",
    "input[1].namespace",
    "invalid_type",
  ],
  [
    "arguments as an object",
    withInput(user, { ...call, arguments: {} }, output),
    "Invalid type for 'input[1].arguments': expected a string, but got an object instead.",
    "input[1].arguments",
    "invalid_type",
  ],
  [
    "an output that is an object",
    withInput(user, call, { ...output, output: {} }),
    "Invalid type for 'input[2].output': expected one of a string or array of objects, but got an object instead.",
    "input[2].output",
    "invalid_type",
  ],
  [
    "an output without text",
    withInput(user, call, { type: "function_call_output", call_id: "call_1" }),
    "Missing required parameter: 'input[2].output'.",
    "input[2].output",
    "missing_required_parameter",
  ],
  [
    "a part that is no input in an output",
    withInput(user, call, { ...output, output: [{ type: "text", text: "ok" }] }),
    "Invalid value: 'text'. Supported values are: 'input_text', 'input_image', and 'input_file'.",
    "input[2].output[0]",
    "invalid_value",
  ],
  [
    "reasoning without a summary",
    withInput(user, { type: "reasoning", id: "rs_1" }, call, output),
    "Missing required parameter: 'input[1].summary'.",
    "input[1].summary",
    "missing_required_parameter",
  ],
  [
    "a call_id above 64 characters",
    withInput(user, { ...call, call_id: "x".repeat(446) }),
    "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string with length 446 instead.",
    "input[1].call_id",
    "string_above_max_length",
  ],
  [
    "a phase on a user message",
    withInput({ ...user, phase: "commentary" }),
    "Unknown parameter: 'input[0].phase'.",
    "input[0].phase",
    "unknown_parameter",
  ],
];

const historyCases: readonly Case[] = [
  ["a call without output", withInput(user, call), "No tool output found for function call call_1.", "input", null],
  [
    "one of two outputs missing",
    withInput(user, call, { ...call, call_id: "call_2" }, output),
    "No tool output found for function call call_2.",
    "input",
    null,
  ],
  [
    "a custom call without output",
    withInput(user, { type: "custom_tool_call", call_id: "call_1", name: "c", input: "" }),
    "No tool output found for custom tool call call_1.",
    "input",
    null,
  ],
  [
    "an output without its call",
    withInput(user, output),
    "No tool call found for function call output with call_id call_1.",
    "input",
    null,
  ],
  [
    "an output before its call",
    withInput(user, output, call),
    "No tool call found for function call output with call_id call_1.",
    "input",
    null,
  ],
  [
    "two outputs for one call",
    withInput(user, call, output, output),
    "No tool call found for function call output with call_id call_1.",
    "input",
    null,
  ],
  [
    "an output of another kind",
    withInput(user, call, { ...output, type: "custom_tool_call_output" }),
    "No tool call found for custom tool call output with call_id call_1.",
    "input",
    null,
  ],
  [
    "reasoning at the end",
    withInput(user, reasoning),
    "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    "input",
    null,
  ],
  [
    "reasoning before a user message",
    withInput(reasoning, user),
    "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    "input",
    null,
  ],
  [
    "reasoning before an output",
    withInput(user, call, reasoning, output),
    "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    "input",
    null,
  ],
  [
    "an id twice",
    withInput(user, { ...call, id: "fc_1" }, output, { ...call, id: "fc_1", call_id: "call_2" }),
    "Duplicate item found with id fc_1. Remove duplicate items from your input and try again.",
    "input",
    null,
  ],
  [
    "an id of another kind",
    withInput(user, { type: "message", id: "item_1", role: "assistant", status: "completed", content: [] }, user),
    "Invalid 'input[1].id': 'item_1'. Expected an ID that begins with 'msg'.",
    "input[1].id",
    "invalid_value",
  ],
  [
    "an empty id",
    withInput(user, { ...call, id: "" }, output),
    "Invalid 'input[1].id': empty string. Expected a string with minimum length 1, but got an empty string instead.",
    "input[1].id",
    "empty_string",
  ],
  [
    "a long id",
    withInput(user, { ...call, id: `fc_${"x".repeat(62)}` }, output),
    "Invalid 'input[1].id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
    "input[1].id",
    "string_above_max_length",
  ],
  [
    "made-up encrypted content",
    withInput(user, { ...reasoning, encrypted_content: "gAAAAA" }, call, output),
    "The encrypted content for item rs_1 could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
    null,
    "invalid_encrypted_content",
  ],
  [
    "encrypted content of another item",
    withInput(user, { ...reasoning, id: "rs_2" }, call, output),
    "The encrypted content for item rs_2 could not be verified. Reason: Encrypted content item_id did not match the target item id.",
    null,
    "invalid_encrypted_content",
  ],
];

test.each([...parameterCases, ...toolCases, ...itemCases, ...historyCases])("refuses %s", async (_name, body, message, param, code) => {
  expect(await post(body)).toEqual({ status: 400, error: { message, type: "invalid_request_error", param, code } });
  expect(server.requests.at(-1)?.refusal).toMatchObject({ status: 400, message, param, code });
});

test("refuses an unknown item type, naming those there are", async () => {
  const { status, error } = await post(withInput(user, { type: "hologram" }));
  expect(status).toBe(400);
  expect(error).toMatchObject({
    param: "input[1]",
    code: "invalid_value",
    message: expect.stringMatching(/^Invalid value: 'hologram'\. Supported values are: 'message', 'reasoning', /),
  });
});

const notFound = (id: string): string =>
  `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;

test.each([
  ["reasoning by its id alone", withInput(user, { type: "reasoning", id: "rs_9", summary: [] }, call, output), notFound("rs_9")],
  [
    "reasoning with null for its content",
    withInput(user, { type: "reasoning", id: "rs_9", summary: [], encrypted_content: null }, call, output),
    notFound("rs_9"),
  ],
  [
    "reasoning with empty content",
    withInput(user, { type: "reasoning", id: "rs_9", summary: [], encrypted_content: "" }, call, output),
    notFound("rs_9"),
  ],
  ["a reference to nothing", withInput(user, { type: "item_reference", id: "msg_9" }), notFound("msg_9")],
  ["a reference without type to nothing", withInput(user, { id: "msg_9" }), notFound("msg_9")],
  ["an unknown conversation", ask({ conversation: "conv_9" }), "Conversation with id 'conv_9' not found."],
])("does not find %s", async (_name, body, message) => {
  const { status, error } = await post(body);
  expect({ status, message: error?.message }).toEqual({ status: 404, message });
});

test.each<[string, string | Uint8Array, RegExp]>([
  ["a broken body", "{", /^Invalid body: failed to parse JSON value\./],
  ["a list as body", "[]", /Reason: the body is not an object\.$/],
  ["a lone surrogate in a text", JSON.stringify(ask({ input: "\ud83d" })), /Reason: a string holds a lone surrogate\.$/],
  ["a lone surrogate in a key", JSON.stringify(ask({ metadata: { "\udc00": "" } })), /Reason: a string holds a lone surrogate\.$/],
  ["bytes that are no UTF-8", Uint8Array.from([0x7b, 0xff, 0x7d]), /^Invalid body: failed to parse JSON value\./],
])("refuses %s", async (_name, body, message) => {
  const { status, error } = await post(body);
  expect({ status, code: error?.code }).toEqual({ status: 400, code: "invalid_json" });
  expect(error?.message).toMatch(message);
});

test("takes a whole surrogate pair, escaped", async () => {
  expect(await post('{"model":"test","input":"\\ud83d\\ude00 \\\\ud83d"}')).toMatchObject({ status: 200 });
});

test("refuses another content type, no key and unknown paths", async () => {
  expect(await post("{}", { "content-type": "text/plain" })).toMatchObject({ status: 400, error: { code: "unsupported_content_type" } });
  const keyless = await fetch(`${server.url}/responses`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(ask({})),
  });
  expect(keyless.status).toBe(401);
  const elsewhere = await fetch(`${server.url}/chat/completions`, { headers: { authorization: "Bearer test" } });
  expect(elsewhere.status).toBe(404);
});

test("refuses a wrong key when it knows the right one, and shows little of it", async () => {
  await using strict = await startResponsesServer([], { apiKey: "sk-right" });
  const response = await fetch(`${strict.url}/responses/resp_1`, { headers: { authorization: "Bearer sk-wrong-and-long" } });
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ error: { code: "invalid_api_key", message: "Incorrect API key provided: sk-w****long." } });
});

test.each<[string, object]>([
  ["a text", ask({})],
  ["parallel calls answered in any order", withInput(user, call, { ...call, call_id: "call_2" }, { ...output, call_id: "call_2" }, output)],
  ["twin calls with one output", withInput(user, call, call, output)],
  ["a call id used again later", withInput(user, call, output, call, output)],
  ["an async call without output", withInput(user, { ...call, async: true }, user)],
  [
    "reasoning before a call, with content and with or without id",
    withInput(
      user,
      reasoning,
      { ...call, id: "fc_1", status: "completed" },
      output,
      { ...reasoning, id: undefined, encrypted_content: seal("rs_2") },
      { role: "assistant", content: "Ok" },
    ),
  ],
  ["consecutive reasoning items", withInput(user, reasoning, { ...reasoning, id: "rs_2", encrypted_content: seal("rs_2") }, call, output)],
  [
    "an assistant message with a phase, a refusal and logprobs",
    withInput(
      user,
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        phase: "final_answer",
        content: [
          { type: "output_text", text: "a", annotations: [], logprobs: [] },
          { type: "refusal", refusal: "b" },
        ],
      },
      user,
    ),
  ],
  [
    "an output of parts",
    withInput(user, call, {
      ...output,
      output: [
        { type: "input_text", text: "a" },
        { type: "input_image", image_url: "data:image/png;base64,AA==", detail: "low" },
      ],
    }),
  ],
  [
    "tools of every kind of strictness",
    ask({
      tools: [
        tool,
        { ...tool, name: "g", strict: false, parameters: { type: "object" } },
        { type: "function", name: "h", parameters: { type: "object", properties: {} } },
        { type: "custom", name: "c" },
        { type: "web_search" },
      ],
      parallel_tool_calls: false,
      tool_choice: { type: "function", name: "g" },
    }),
  ],
  [
    "settings",
    ask({
      instructions: null,
      temperature: 0,
      reasoning: { effort: "low", summary: "auto" },
      include: ["reasoning.encrypted_content"],
      metadata: { a: "b" },
      service_tier: "fast",
      text: { verbosity: "low", format: { type: "json_schema", name: "plan", schema: parameters, strict: true } },
      truncation: "auto",
    }),
  ],
])("accepts %s", async (_name, body) => {
  expect(await post(body)).toEqual({ status: 200, error: undefined });
});

test("a lenient server checks nothing of the content", async () => {
  await using lenient = await startResponsesServer([reply.text("Fine.")], { checks: false });
  const response = await fetch(`${lenient.url}/responses`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer x" },
    body: JSON.stringify({ input: [output], extra: 1 }),
  });
  expect(response.status).toBe(200);
});
