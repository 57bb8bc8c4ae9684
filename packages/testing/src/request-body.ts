import type { Item } from "@toolwright/core";

/** A tool as a request declares it. */
export interface DeclaredTool {
  readonly type: string;
  readonly name?: string;
  readonly description?: string;
  readonly parameters?: object | null;
  readonly strict?: boolean | null;
  readonly [key: string]: unknown;
}

/** The body of `POST /responses`, as it came. The fields that tests look at most are typed; the rest is open. */
export interface RequestBody {
  readonly model?: string;
  readonly input?: string | readonly Item[];
  readonly instructions?: string | null;
  readonly tools?: readonly DeclaredTool[];
  readonly tool_choice?: string | { readonly type: string; readonly name?: string; readonly [key: string]: unknown };
  readonly parallel_tool_calls?: boolean;
  readonly previous_response_id?: string | null;
  readonly conversation?: string | { readonly id: string } | null;
  readonly store?: boolean | null;
  readonly stream?: boolean | null;
  readonly include?: readonly string[] | null;
  readonly [key: string]: unknown;
}
