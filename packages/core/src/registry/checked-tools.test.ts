import { describe, expect, expectTypeOf, it } from "vitest";
import {
  Agent,
  type AgentTool,
  defineTool,
  type HostedTool,
  type KnownHostedTool,
  type McpTool,
  toolNamespace,
  ToolwrightError,
  type WebSearchTool,
} from "../index.js";

const model = "test";
const server = { type: "mcp", server_label: "files", server_url: "https://mcp.example.com" } as const;
const look = defineTool({ name: "look", description: "Looks.", parameters: { type: "object", properties: {} }, execute: () => 0 });

describe("the fields of hosted tools", () => {
  it("of every known type compile", () => {
    const agent = new Agent({
      model,
      tools: [
        { type: "web_search" },
        {
          type: "web_search",
          search_context_size: "low",
          filters: { allowed_domains: ["example.com"] },
          user_location: { type: "approximate", country: "NO" },
        },
        { type: "web_search_preview_2025_03_11", search_content_types: ["text"] },
        { type: "file_search", vector_store_ids: ["vs_1"], max_num_results: 3, ranking_options: { ranker: "auto", score_threshold: 0.5 } },
        {
          type: "file_search",
          vector_store_ids: ["vs_1"],
          filters: {
            type: "and",
            filters: [
              { type: "eq", key: "year", value: 2026 },
              { type: "in", key: "kind", value: ["a", "b"] },
            ],
          },
        },
        { type: "code_interpreter", container: "cntr_1" },
        { type: "code_interpreter", container: { type: "auto", memory_limit: "4g", network_policy: { type: "disabled" } } },
        { type: "image_generation", quality: "high", size: "1536x864", partial_images: 2 },
        server,
        { ...server, server_label: "two", headers: { "X-Key": "k" }, require_approval: { always: { tool_names: ["delete"] } } },
        { type: "mcp", server_label: "three", connector_id: "connector_dropbox", authorization: "t", allowed_tools: { read_only: true } },
        { type: "mcp", server_label: "four", tunnel_id: "t_1", allowed_tools: ["a"], require_approval: "never", defer_loading: true },
        { type: "tool_search", description: "Finds tools.", parameters: { type: "object", properties: { goal: { type: "string" } } } },
        { type: "programmatic_tool_calling" },
        { type: "shell", environment: { type: "container_auto", memory_limit: "1g" } },
        { type: "shell", environment: { type: "container_reference", container_id: "cntr_1" } },
        look,
      ],
    });
    expectTypeOf(agent).toEqualTypeOf<Agent>();
  });

  it("of a type that is not known are anybody's", () => {
    new Agent({ model, tools: [{ type: "hologram", depth: 3, look: { at: ["me"] } }, look] });
    const type: string = "web_search";
    new Agent({ model, tools: [{ type, depth: 3 }] });
    const declared: HostedTool = { type: "web_search", depth: 3 };
    new Agent({ model, tools: [declared] });
    const list: AgentTool<unknown>[] = [{ type: "web_search" }];
    const agent = new Agent({ model, tools: [...list, look] });
    expectTypeOf(agent).toEqualTypeOf<Agent>();
  });

  it("that are misspelt, of a wrong kind or missing do not compile", () => {
    // @ts-expect-error It is `search_context_size`.
    new Agent({ model, tools: [{ type: "web_search", search_context: "low" }] });
    // @ts-expect-error It is "low", "medium" or "high".
    new Agent({ model, tools: [{ type: "web_search", search_context_size: "tiny" }] });
    // @ts-expect-error It is `allowed_domains`, inside a field as well.
    new Agent({ model, tools: [{ type: "web_search", filters: { allowed_domain: ["example.com"] } }] });
    // @ts-expect-error It is `country`, inside a field as well.
    new Agent({ model, tools: [{ type: "web_search", user_location: { contry: "NO" } }] });
    // @ts-expect-error There are no `vector_store_ids`.
    new Agent({ model, tools: [{ type: "file_search" }] });
    const filters = { type: "and", filters: [{ type: "eq", kye: "a", value: 1 }] } as const;
    // @ts-expect-error It is `key`, however deep.
    new Agent({ model, tools: [{ type: "file_search", vector_store_ids: ["v"], filters }] });
    // @ts-expect-error There is no way to the server.
    new Agent({ model, tools: [{ type: "mcp", server_label: "files" }] });
    // @ts-expect-error There are two.
    new Agent({ model, tools: [{ ...server, tunnel_id: "t_1" }] });
    // @ts-expect-error It is `tool_names`.
    new Agent({ model, tools: [{ ...server, require_approval: { always: { tool_name: ["delete"] } } }] });
    // @ts-expect-error It is `authorization`, beside other tools as well.
    new Agent({ model, tools: [look, { ...server, authorisation: "t" }] });
    expect.assertions(0);
  });

  it("are the same where a tool is declared by itself", () => {
    expectTypeOf<McpTool>().toExtend<KnownHostedTool>();
    expectTypeOf<KnownHostedTool>().toExtend<HostedTool>();
    // @ts-expect-error It is `search_context_size`.
    const search: WebSearchTool = { type: "web_search", context_size: "low" };
    new Agent({ model, tools: [search] });
  });
});

const problemOf = (make: () => unknown): ToolwrightError => {
  try {
    make();
  } catch (error) {
    if (ToolwrightError.is(error)) return error;
    throw error;
  }
  throw new Error("It was taken.");
};

describe("tools whose calls nobody would answer neither compile nor start", () => {
  it.each<readonly [string, () => unknown, RegExp]>([
    // @ts-expect-error It is made with customTool.
    ["custom", () => new Agent({ model, tools: [{ type: "custom", name: "x" }] }), /customTool/],
    // @ts-expect-error It is made with toolNamespace.
    ["namespace", () => new Agent({ model, tools: [{ type: "namespace", name: "x", tools: [] }] }), /toolNamespace/],
    // @ts-expect-error Its calls would be the application's to answer.
    ["computer", () => new Agent({ model, tools: [{ type: "computer" }] }), /"computer", whose calls/],
    // @ts-expect-error Its calls would be the application's to answer.
    ["local_shell", () => new Agent({ model, tools: [{ type: "local_shell" }] }), /"local_shell", whose calls/],
    // @ts-expect-error Its calls would be the application's to answer.
    ["apply_patch", () => new Agent({ model, tools: [{ type: "apply_patch" }] }), /"apply_patch", whose calls/],
    // @ts-expect-error It has no container.
    ["a shell of one's own", () => new Agent({ model, tools: [{ type: "shell", environment: { type: "local" } }] }), /container_auto/],
    // @ts-expect-error The client would have to search.
    ["a search of one's own", () => new Agent({ model, tools: [{ type: "tool_search", execution: "client" }] }), /search: true/],
  ])("%s", (_, make, message) => {
    const error = problemOf(make);
    expect(error).toMatchObject({ code: "RUN_OPTIONS" });
    expect(error.message).toMatch(message);
    expect(error.message).toContain("tools[0]");
  });
});

describe("a namespace", () => {
  it("asks for what the contexts of its tools need", () => {
    interface App {
      readonly userId: string;
    }
    const mine = defineTool({
      name: "mine",
      description: "Mine.",
      parameters: { type: "object", properties: {} },
      execute: (_, { app }: { app: App }) => app.userId,
    });
    const agent = new Agent({ model, tools: [toolNamespace({ name: "crm", description: "Customers.", tools: [mine, look] })] });
    expectTypeOf(agent).toEqualTypeOf<Agent<App>>();
  });

  const options = { name: "crm", description: "Customers.", tools: [look] };
  it.each<readonly [string, object, string, RegExp]>([
    ["a name that is none", { ...options, name: "my crm" }, "TOOL_DEFINITION", /my crm has a name/],
    ["no description", { ...options, description: " " }, "TOOL_DEFINITION", /no description/],
    ["no tools", { ...options, tools: [] }, "TOOL_DEFINITION", /holds no tool/],
    ["tools that are no list", { ...options, tools: look }, "TOOL_DEFINITION", /no list/],
    ["a hosted tool", { ...options, tools: [{ type: "web_search" }] }, "TOOL_DEFINITION", /web_search/],
    ["a namespace", { ...options, tools: [toolNamespace({ ...options, name: "inner" })] }, "TOOL_DEFINITION", /another one, inner/],
    ["a class", { ...options, tools: [Date] }, "RUN_OPTIONS", /toolNamespace\({ tools }\)\[0\]/],
    ["an unknown option", { ...options, defer: true }, "TOOL_DEFINITION", /no option "defer"/],
    ["a wrong option", { ...options, deferred: "yes" }, "TOOL_DEFINITION", /`deferred` that is a string/],
  ])("with %s is refused", (_, wrong, code, message) => {
    const error = problemOf(() => toolNamespace(wrong as typeof options));
    expect(error).toMatchObject({ code });
    expect(error.message).toMatch(message);
  });

  it("beside another one of its name is refused, and so is one tool in two of them", () => {
    const first = toolNamespace(options);
    const other = defineTool({ name: "other", description: "Other.", parameters: { type: "object", properties: {} }, execute: () => 0 });
    expect(problemOf(() => new Agent({ model, tools: [first, toolNamespace({ ...options, tools: [other] })] }))).toMatchObject({
      code: "TOOL_NAME_CLASH",
      message: expect.stringContaining("namespaces of the agent are called crm"),
    });
    expect(problemOf(() => new Agent({ model, tools: [first, look] }))).toMatchObject({ code: "TOOL_NAME_CLASH" });
  });
});
