import { randomBytes } from "node:crypto";

/** Prefixes of item ids by type: those that the API checks, and those that it writes. */
const prefixes: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
  web_search_call: "ws",
  file_search_call: "fs",
  code_interpreter_call: "ci",
  computer_call: "cu",
  image_generation_call: "ig",
  mcp_call: "mcp",
  mcp_list_tools: "mcpl",
  mcp_approval_request: "mcpr",
  compaction: "cmp",
};

/** The prefix that ids of this type of item have, when it is known. */
export const itemPrefix = (type: string): string | undefined => (Object.hasOwn(prefixes, type) ? prefixes[type] : undefined);

/** Makes ids such as `resp_5f3a9c0d00000001`: rising within a server, different from any other server's. */
export class IdMaker {
  readonly #server = randomBytes(4).toString("hex");
  #count = 0;

  next(prefix: string): string {
    this.#count += 1;
    return `${prefix}_${this.#server}${this.#count.toString(16).padStart(8, "0")}`;
  }

  forItem(type: string): string {
    return this.next(itemPrefix(type) ?? "item");
  }
}
