import { safely } from "./safely.js";
import type { FailedResult } from "../contracts/run.js";
import { catalogue, type ErrorCode } from "./catalogue.js";
import { inspectCustom, inspected } from "./inspect-custom.js";

const marker: unique symbol = Symbol.for("toolwright.error") as never;

/** Details that go with an error; each is optional. */
export interface ToolwrightErrorOptions {
  readonly cause?: unknown;
  /** Overrides the catalogue's word on whether the same attempt may succeed later. */
  readonly retryable?: boolean | undefined;
  /** What to do about it, as a sentence. Overrides the catalogue's. */
  readonly fix?: string | undefined;
  /** Facts for programs: never secrets, arguments or outputs. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Every error that Toolwright throws. `code` is stable; `who` says who should act; `retryable` whether the same attempt
 * may succeed later; `fix` what to do. Printing one shows no key, no history and no stack of a tool.
 */
export class ToolwrightError<Code extends string = string> extends Error {
  override readonly name: string = "ToolwrightError";
  readonly code: Code;
  readonly who: "developer" | "operator" | "user" | "provider";
  readonly retryable: boolean;
  readonly fix: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  /** On errors that ended a run: the work done until then. Not enumerable, so that it is never printed by accident. */
  declare readonly result: FailedResult | undefined;

  constructor(code: Code, message: string, options: ToolwrightErrorOptions = {}) {
    const entry = catalogue[code as ErrorCode] as (typeof catalogue)[ErrorCode] | undefined;
    const fix = options.fix ?? entry?.fix;
    super(fix === undefined ? message : `${message}\nFix: ${fix}`);
    this.code = code;
    this.who = entry?.who ?? "developer";
    this.retryable = options.retryable ?? entry?.retryable ?? false;
    this.fix = fix;
    this.details = options.details ?? {};
    Object.defineProperty(this, marker, { value: true });
    // The cause may hold a client with its key, headers or a tool's secret: there for code, not for print. Node prints the
    // cause of an uncaught error whatever the error says of itself, but not through a getter.
    const { cause } = options;
    if (cause !== undefined) Object.defineProperty(this, "cause", { get: () => cause, enumerable: false, configurable: true });
  }

  /** True for a ToolwrightError of any copy of this package, and of this code if one is given. */
  static is<C extends ErrorCode>(error: unknown, code: C): error is ToolwrightError<C>;
  static is(error: unknown): error is ToolwrightError;
  static is(error: unknown, code?: string): error is ToolwrightError {
    if (typeof error !== "object" || error === null) return false;
    return safely(() => marker in error && (code === undefined || (error as { code?: unknown }).code === code), false);
  }

  toJSON(): object {
    return { name: this.name, code: this.code, message: this.message, who: this.who, retryable: this.retryable, details: this.details };
  }

  [inspectCustom](): string {
    const details = Object.keys(this.details).length === 0 ? "" : ` ${inspected(this.details)}`;
    return `${this.stack ?? `${this.name}: ${this.message}`} [${this.code}]${details}`;
  }
}
