import type { JsonObject, JsonValue } from "../contracts/json.js";
import type { ToolOutput } from "../contracts/outcome.js";
import { cut } from "./log-text.js";
import { leavesOf, maskSecrets, maskValues } from "../errors/mask.js";
import { redactor } from "./log-redact.js";

/** What is known of a call's arguments. */
export interface LoggedCall {
  readonly arguments?: JsonObject | undefined;
  readonly rawArguments?: string | undefined;
  /** More texts that are content, such as prompts. */
  readonly texts?: ReadonlySet<string> | undefined;
}

/** Turns arguments, outputs and errors into what a log may hold of them. */
export interface LogContent {
  /** The arguments as JSON text; undefined when content is not logged. */
  arguments(call: LoggedCall): string | undefined;
  /** The output as text; undefined when content is not logged. */
  output(output: ToolOutput, call: LoggedCall): string | undefined;
  /** A text that stands there by itself (a prompt, an answer); undefined when content is not logged. */
  text(text: string): string | undefined;
  /** An error's message: always logged, but without the arguments of its calls unless content is, and never with secrets. */
  message(message: string, ...calls: readonly LoggedCall[]): string;
  /** What was thrown, as data for a log: name, message, stack, and the same of its own causes. */
  cause(cause: unknown, call: LoggedCall): JsonObject;
}

const longestContent = 1_000;
/** Texts beyond this are not looked through for keys to hide, so nothing of them is shown. */
const longestRedactable = 200_000;
/** Secrets are looked for in this much of a text before it is cut, so that no half of one is left standing. */
const longestMasked = 20_000;

/** Makes the view on content that the options allow. */
export function logContent(content: boolean, redact: readonly string[]): LogContent {
  const hide = redactor(redact);

  const shorten = (text: string): string => cut(maskSecrets(cut(text, longestMasked)), longestContent);

  // With content on, only what `redact` names is kept out of other texts; with content off, every argument is.
  const mask = (text: string, call: LoggedCall): string => {
    const bounded = cut(text, longestMasked);
    if (content) return maskValues(bounded, hide(argumentsOf(call)).hidden, "[hidden]");
    const values = leavesOf(call.arguments, new Set(call.texts));
    if (call.rawArguments !== undefined && call.rawArguments.length > 2) values.add(call.rawArguments);
    return maskValues(bounded, values, "[argument]");
  };

  const hideKeys = (text: string): string => {
    if (redact.length === 0) return text;
    if (text.length > longestRedactable) return `[${text.length} characters, too long to redact]`;
    const parsed = parseJson(text);
    return typeof parsed === "object" && parsed !== null ? JSON.stringify(hide(parsed).value) : text;
  };

  const message = (text: string, ...calls: readonly LoggedCall[]): string => shorten(calls.reduce(mask, text));

  const cause = (thrown: unknown, call: LoggedCall, depth = 0): JsonObject => {
    if (typeof thrown === "string") return { name: "string", message: message(thrown, call) };
    if (!(thrown instanceof Error)) return { name: typeof thrown, message: "not an Error" };
    try {
      const inner = thrown.cause === undefined || depth >= 3 ? {} : { cause: cause(thrown.cause, call, depth + 1) };
      const frames = framesOf(thrown);
      const stack = frames === "" ? {} : { stack: maskSecrets(frames) };
      return {
        name: message(String(thrown.name), call),
        message: message(String(thrown.message), call),
        ...codeOf(thrown),
        ...stack,
        ...inner,
      };
    } catch {
      // A getter of it throws. The call still has its line.
      return { name: "Error", message: "not readable" };
    }
  };

  return {
    arguments(call) {
      if (!content) return undefined;
      const known = argumentsOf(call);
      if (known !== undefined) return shorten(JSON.stringify(hide(known).value));
      return redact.length === 0 ? shorten(call.rawArguments ?? "") : `[${(call.rawArguments ?? "").length} characters, not JSON]`;
    },
    output: (output, call) => (content ? shorten(mask(hideKeys(outputText(output)), call)) : undefined),
    text: (text) => (content ? shorten(text) : undefined),
    message,
    cause: (thrown, call) => cause(thrown, call),
  };
}

/** Length of an output's text in UTF-16 units; images and files count as nothing. */
export function outputSize(output: ToolOutput): number {
  if (typeof output === "string") return output.length;
  return output.reduce((sum, part) => sum + (part.type === "input_text" ? part.text.length : 0), 0);
}

function outputText(output: ToolOutput): string {
  if (typeof output === "string") return output;
  return output.map((part) => (part.type === "input_text" ? part.text : `[${part.type}]`)).join(" ");
}

function argumentsOf(call: LoggedCall): JsonValue | undefined {
  return call.arguments ?? (call.rawArguments === undefined ? undefined : parseJson(call.rawArguments));
}

/** What a JSON text says; undefined when it is none. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** The frames of a stack alone: its head repeats the message, which has to be masked by itself. */
function framesOf(error: Error): string {
  const stack = typeof error.stack === "string" ? error.stack : "";
  const message = String(error.message);
  const end = message === "" ? -1 : stack.indexOf(message);
  const lines = (end < 0 ? stack : stack.slice(end + message.length)).split("\n");
  return lines
    .filter((line) => /^\s+at .*(?::\d+:\d+\)?|<anonymous>\)?)$/.test(line))
    .slice(0, 12)
    .map((line) => line.trim())
    .join("\n");
}

/** A short code such as ECONNREFUSED tells more than most messages. */
function codeOf(error: Error): { readonly code?: string } {
  const code = (error as { readonly code?: unknown }).code;
  return typeof code === "string" && /^[A-Z][A-Z\d_]{1,63}$/.test(code) ? { code } : {};
}
