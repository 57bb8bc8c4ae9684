import type { ToolEffect } from "../contracts/tool.js";

/** Options of `@Tool`: constants, since `toolwright build` reads them from the source. */
export interface ToolOptions {
  /** Model-visible name. Default: the method's name in snake_case. */
  readonly name?: string | undefined;
  /** What the tool does and when to use it. Default: the method's doc comment. */
  readonly description?: string | undefined;
  /** What it does to the world. Default `"write"`, with a warning at build. */
  readonly effect?: ToolEffect | undefined;
  /** What it works on, e.g. `"order:{orderId}"`: calls that share a key do not overlap, but for reads. */
  readonly resource?: string | readonly string[] | undefined;
  /** Milliseconds for one attempt. Default 60 000. */
  readonly timeoutMs?: number | undefined;
  /** True when the same call may safely be made again. */
  readonly idempotent?: boolean | undefined;
  /** `true`, or the name of a public method that decides by the arguments. */
  readonly approval?: true | string | undefined;
  /** Name of a public method that tells whether a write of unknown outcome happened. */
  readonly query?: string | undefined;
  /** Name of a public method that undoes a done call. */
  readonly compensate?: string | undefined;
  /** At most so many calls in a run. */
  readonly maxCalls?: number | undefined;
  /** Arguments that the result must repeat. */
  readonly echo?: readonly string[] | undefined;
  /** Free words for selecting tools. */
  readonly tags?: readonly string[] | undefined;
}

/** Options of `@Param`. */
export interface ParamOptions {
  /** What the parameter means, with an example where the form is not obvious. */
  readonly description?: string | undefined;
}

/** Options of `@Toolkit`. */
export interface ToolkitOptions {
  /** Goes before each tool's name: `wx` makes `get_weather` into `wx_get_weather`. */
  readonly prefix?: string | undefined;
}
