/** A call that was made for the present question, and what came back. */
export interface PastCall {
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
  /** Undefined when it was not answered. */
  readonly output: string | undefined;
}

/** What the planner looks at of a request to the Responses API. */
export interface PlannerRequest {
  /** Text of the last user message; empty when there is none. */
  readonly question: string;
  /** Tools that may be called, with the names of their parameters. */
  readonly tools: ReadonlyMap<string, readonly string[]>;
  /** Calls since the last user message. */
  readonly calls: readonly PastCall[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads a request body. What it does not understand is left out. */
export function readRequest(body: unknown): PlannerRequest {
  const { input, tools, tool_choice: choice } = fields(body);
  const items = typeof input === "string" ? [{ role: "user", content: input }] : list(input).map(fields);
  const last = items.findLastIndex((item) => item["role"] === "user");
  return {
    question: last < 0 ? "" : contentText(items[last]?.["content"]),
    tools: choice === "none" ? new Map() : readTools(tools),
    calls: readCalls(items.slice(last + 1)),
  };
}

function readTools(tools: unknown): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const tool of list(tools).map(fields)) {
    if (tool["type"] !== "function" || typeof tool["name"] !== "string") continue;
    found.set(tool["name"], Object.keys(fields(fields(tool["parameters"])["properties"])));
  }
  return found;
}

function readCalls(items: readonly Fields[]): PastCall[] {
  const outputs = new Map<unknown, string>();
  for (const item of items) {
    if (item["type"] === "function_call_output") outputs.set(item["call_id"], contentText(item["output"]));
  }
  return items
    .filter((item) => item["type"] === "function_call")
    .map((item) => ({ name: String(item["name"]), arguments: String(item["arguments"]), output: outputs.get(item["call_id"]) }));
}

/** A message's or an output's text: a string, or parts of which some have text. */
function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return list(content)
    .map((part) => fields(part)["text"])
    .filter((text) => typeof text === "string")
    .join("\n");
}

function fields(value: unknown): Fields {
  // Any object may be read by name; each value is checked where it is used.
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
