import { afterAll, beforeAll, expect, test } from "vitest";
import { reply } from "./reply.js";
import { startResponsesServer, type ResponsesServer } from "./server.js";

let server: ResponsesServer;
beforeAll(async () => {
  server = await startResponsesServer(() => reply.text("Fine."));
});
afterAll(() => server.close());

type Refusal = { readonly message: string; readonly param: string | null; readonly code: string | null };

async function refusalOf(body: object): Promise<Refusal | undefined> {
  const response = await fetch(`${server.url}/responses`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer test" },
    body: JSON.stringify({ model: "test", input: "Hi", ...body }),
  });
  const { error } = (await response.json()) as { readonly error: Refusal | null };
  return error ?? undefined;
}

const mcp = { type: "mcp", server_label: "files", server_url: "https://example.com" };
const parts = (...content: readonly object[]): object => ({ input: [{ role: "user", content }] });
const png = "data:image/png;base64,AA==";

const search = { type: "tool_search" };
const tool = {
  type: "function",
  name: "find",
  parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
  strict: true,
};
const output = {
  type: "tool_search_output",
  execution: "server",
  tools: [{ type: "namespace", name: "crm", tools: [{ type: "function", name: "find" }] }],
};
const called = (more: object): readonly object[] => [
  { role: "user", content: "Hi" },
  { type: "tool_search_call", arguments: {}, execution: "server" },
  output,
  { type: "function_call", call_id: "call_1", name: "find", arguments: "{}", ...more },
  { type: "function_call_output", call_id: "call_1", output: "found" },
];

test.each<readonly [string, object, RegExp, string]>([
  ["a misspelt field", { tools: [{ type: "web_search", search_context: "low" }] }, /Unknown parameter/, "tools[0].search_context"],
  ["a wrong value", { tools: [{ type: "image_generation", quality: "best" }] }, /Invalid value: 'best'/, "tools[0].quality"],
  ["no vector store", { tools: [{ type: "file_search" }] }, /Missing required parameter/, "tools[0].vector_store_ids"],
  ["no container", { tools: [{ type: "code_interpreter" }] }, /Missing required parameter/, "tools[0].container"],
  ["no label", { tools: [{ ...mcp, server_label: undefined }] }, /Missing required parameter/, "tools[0].server_label"],
  ["no way to the server", { tools: [{ ...mcp, server_url: undefined }] }, /Missing required parameter/, "tools[0].server_url"],
  [
    "a path in place of an image",
    parts({ type: "input_image", image_url: "./cat.png" }),
    /Expected a valid URL/,
    "input[0].content[0].image_url",
  ],
  [
    "an image of another type",
    parts({ type: "input_image", image_url: "data:image/tiff;base64,AA==" }),
    /'image\/tiff'/,
    "input[0].content[0].image_url",
  ],
  [
    "base64 without its type",
    parts({ type: "input_file", file_data: "AA==" }),
    /without the 'data:' prefix/,
    "input[0].content[0].file_data",
  ],
  [
    "a path in place of a file",
    parts({ type: "input_file", file_url: "file:///a.pdf" }),
    /Expected a valid URL/,
    "input[0].content[0].file_url",
  ],
  ["an image without a source", parts({ type: "input_image" }), /Missing required parameter/, "input[0].content[0].image_url"],
  ["a file without a source", parts({ type: "input_file", filename: "a" }), /Missing required parameter/, "input[0].content[0].file_id"],
  [
    "a loaded function's call without its namespace",
    { input: called({}), tools: [{ ...tool, defer_loading: true }, search] },
    /Missing namespace for function_call 'find'/,
    "input[3].namespace",
  ],
])("refuses %s", async (_, body, message, param) => {
  expect(await refusalOf(body)).toMatchObject({ message: expect.stringMatching(message), param });
});

test.each<readonly [string, object]>([
  [
    "hosted tools",
    {
      tools: [
        mcp,
        { type: "web_search_2025_08_26" },
        { type: "file_search", vector_store_ids: ["vs_1"] },
        { type: "code_interpreter", container: { type: "auto" } },
      ],
    },
  ],
  [
    "images and files",
    parts(
      { type: "input_image", image_url: png },
      { type: "input_image", file_id: "file_1" },
      { type: "input_file", file_data: "data:text/plain;base64,AA==" },
    ),
  ],
  [
    "a loaded function's call with its namespace",
    { input: called({ namespace: "crm" }), tools: [{ ...tool, defer_loading: true }, search] },
  ],
  ["its call by its bare name, where it is offered from the start", { input: called({}), tools: [tool, search] }],
])("takes %s", async (_, body) => {
  expect(await refusalOf(body)).toBeUndefined();
});
