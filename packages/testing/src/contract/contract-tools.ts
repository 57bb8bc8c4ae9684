import {
  content,
  type DefinedTool,
  defineTool,
  type DefineToolOptions,
  type JsonObject,
  type ToolContext,
  ToolError,
} from "@toolwright/core";

/** One time that a tool's method was called. */
export interface Execution {
  readonly tool: string;
  readonly callId: string;
  readonly arguments: JsonObject;
  readonly attempt: number;
}

type Options = Partial<Pick<DefineToolOptions<object, unknown>, "effect" | "timeoutMs">> & { readonly approval?: true };
type Execute = (text: string, context: ToolContext) => unknown;

/** What a tool that fails would tell nobody but a log. */
const privateText = "private: host db-7, user admin";

const parameters = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

function untilAborted({ signal }: ToolContext): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}

const tools: readonly (readonly [name: string, options: Options, execute: Execute])[] = [
  ["look", { effect: "read" }, (text) => ({ seen: text })],
  // Ends after what was called after it.
  ["look_long", { effect: "read" }, async (text) => sleep(4).then(() => ({ seen: text }))],
  ["write", { effect: "write" }, (text) => `wrote ${text}`],
  ["ask", { effect: "write", approval: true }, (text) => `did ${text}`],
  [
    "show",
    { effect: "read" },
    (text) =>
      content([
        { type: "text", text },
        { type: "image", url: "data:image/png;base64,AAAA" },
      ]),
  ],
  ["refuse", { effect: "read" }, () => Promise.reject(new ToolError({ code: "CLOSED", message: "Closed today." }))],
  // Of a tool that says nothing of its effect, nobody knows whether it may be repeated.
  ["break", {}, () => Promise.reject(new Error(privateText))],
  ["busy", { effect: "read" }, (text, { attempt }) => (attempt === 1 ? Promise.reject(busy()) : { seen: text })],
  ["always_busy", { effect: "read" }, () => Promise.reject(busy())],
  // It began, and nobody knows how far it came.
  ["lose", { effect: "write", timeoutMs: 20 }, (_, context) => untilAborted(context)],
  ["hang", { effect: "read" }, (_, context) => untilAborted(context)],
  ["hang_write", { effect: "write" }, (_, context) => untilAborted(context)],
];

const busy = (): ToolError => new ToolError({ code: "BUSY", message: "Busy.", retryable: true });

/**
 * The tools of every scenario. All take `{ text }`.
 *
 * @param note - is told of each time that one runs.
 */
export function contractTools(note: (execution: Execution) => void): readonly DefinedTool[] {
  return tools.map(([name, options, execute]) =>
    defineTool({
      name,
      description: `Does ${name}.`,
      ...options,
      parameters,
      execute(supplied, context) {
        note({ tool: name, callId: context.callId, arguments: supplied as JsonObject, attempt: context.attempt });
        return execute(String(supplied["text"]), context);
      },
    }),
  );
}
