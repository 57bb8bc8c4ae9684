/**
 * An item of the Responses API, kept verbatim. Its `type` is open: a type that this version does not know is kept
 * and sent back like any other. Use {@link isFunctionCall} and the other guards to look inside.
 */
export interface Item {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A call of a function tool, as the model issued it. `id` (fc_…) names the item; `call_id` pairs it with its output. */
export interface FunctionCallItem extends Item {
  readonly type: "function_call";
  readonly id?: string | undefined;
  readonly call_id: string;
  readonly name: string;
  /** JSON text, exactly as it came. */
  readonly arguments: string;
  /** Of a tool in a namespace, or of a deferred one: the API takes the call back only with it. */
  readonly namespace?: string | undefined;
  readonly status?: string | undefined;
}

/** A part of a tool output or of a user message, in the wire's form. */
export type ContentPart =
  | { readonly type: "input_text"; readonly text: string }
  | {
      readonly type: "input_image";
      readonly image_url?: string | undefined;
      readonly file_id?: string | undefined;
      readonly detail?: "low" | "high" | "auto" | "original" | undefined;
    }
  | {
      readonly type: "input_file";
      readonly file_id?: string | undefined;
      readonly file_url?: string | undefined;
      /** A `data:` address. */
      readonly file_data?: string | undefined;
      readonly filename?: string | undefined;
      readonly detail?: "low" | "high" | "auto" | undefined;
    };

/** The answer to one call. */
export interface FunctionCallOutputItem extends Item {
  readonly type: "function_call_output";
  readonly call_id: string;
  readonly output: string | readonly ContentPart[];
}

/** A message for the model. `type` may be left out, as the API allows. */
export interface InputMessage {
  readonly type?: "message" | undefined;
  readonly role: "user" | "system" | "developer" | "assistant";
  readonly content: string | readonly ContentPart[];
}

/** What a run accepts as a new input item. */
export type InputItem = InputMessage | Item;
