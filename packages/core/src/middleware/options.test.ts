import { describe, expect, it } from "vitest";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { logging } from "./logging.js";
import { modelRetry } from "./model-retry.js";
import { stepBudget } from "./step-budget.js";
import { toolErrors } from "./tool-errors.js";
import { toolRetry } from "./tool-retry.js";

// Callers without types give anything.
const loose = <T>(value: unknown): T => value as T;

function refusal(make: () => unknown): ToolwrightError {
  try {
    make();
  } catch (error) {
    if (ToolwrightError.is(error, "RUN_OPTIONS")) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("options of the built-in middlewares", () => {
  const rows: readonly (readonly [string, () => unknown, RegExp])[] = [
    ["zero attempts", () => modelRetry({ attempts: 0 }), /modelRetry\(\): `attempts` must be a positive integer; it is 0\./],
    ["half an attempt", () => toolRetry({ attempts: 1.5 }), /toolRetry\(\): `attempts` .* it is 1\.5/],
    ["attempts as text", () => modelRetry({ attempts: loose("3") }), /it is "3"/],
    ["not a number", () => modelRetry({ minDelayMs: Number.NaN }), /`minDelayMs` .* it is NaN/],
    ["negative wait", () => toolRetry({ maxDelayMs: -1 }), /`maxDelayMs` .* it is -1/],
    ["endless total", () => modelRetry({ totalMs: Infinity }), /`totalMs` .* it is Infinity/],
    ["null", () => modelRetry({ totalMs: loose(null) }), /`totalMs` .* it is null/],
    [
      "bounds the wrong way round",
      () => modelRetry({ minDelayMs: 50, maxDelayMs: 10 }),
      /`minDelayMs` is 50, above `maxDelayMs`, which is 10/,
    ],
    ["unknown choice", () => modelRetry({ afterOutput: loose("again") }), /`afterOutput` must be one of "fail", "restart"; it is "again"/],
    ["misspelt name", () => modelRetry(loose({ attempt: 2 })), /modelRetry\(\) has no option "attempt"; it has attempts, minDelayMs/],
    ["name of Object.prototype", () => toolErrors(loose({ toString: 1 })), /toolErrors\(\) has no option "toString"/],
    ["a number for options", () => modelRetry(loose(3)), /takes an object of options; it got 3/],
    ["a list for options", () => toolRetry(loose([3])), /takes an object of options; it got \[3\]/],
    ["format as text", () => toolErrors({ format: loose("text") }), /`format` must be a function; it is "text"/],
    ["rethrow as true", () => toolErrors({ rethrow: loose(true) }), /`rethrow` must be a list of texts, or a function; it is true/],
    ["zero steps", () => stepBudget(0), /`steps` must be a positive integer; it is 0/],
    ["steps without a number", () => stepBudget(loose(undefined)), /`steps` .* it is undefined/],
    ["endless steps", () => stepBudget(Infinity), /it is Infinity/],
    [
      "unknown onExhausted",
      () => stepBudget(3, { onExhausted: loose("wait") }),
      /`onExhausted` must be one of "throw", "answer", "stop"; it is "wait"/,
    ],
    [
      "half a logger",
      () => logging({ logger: loose({ info() {} }) }),
      /`logger` must be a logger with the methods debug, info, warn and error; it is an object/,
    ],
    ["a stream without write", () => logging({ stream: loose({}) }), /`stream` must be a stream with the method write/],
    ["redact as text", () => logging({ redact: loose("token") }), /`redact` must be a list of texts; it is "token"/],
    ["logger and stream", () => logging({ logger: console, stream: process.stdout }), /`logger` and `stream` exclude each other/],
  ];

  it.each(rows)("refuses %s, quoting it", (_name, make, message) => {
    const error = refusal(make);
    expect(error.message).toMatch(message);
    expect(error.fix).not.toBeUndefined();
  });

  it("takes an option that is undefined as left out", () => {
    expect(modelRetry({ attempts: undefined, totalMs: undefined }).options).toEqual(modelRetry().options);
  });

  it("lets the default of one bound give way to the other bound", () => {
    expect(modelRetry({ maxDelayMs: 20 }).options).toMatchObject({ minDelayMs: 20, maxDelayMs: 20 });
    expect(toolRetry({ minDelayMs: 9_000 }).options).toMatchObject({ minDelayMs: 9_000, maxDelayMs: 9_000 });
  });
});
