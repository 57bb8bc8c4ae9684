import { isFunctionCall, isFunctionCallOutput, type Item } from "@toolwright/core";
import type { RecordedRequest } from "@toolwright/testing";

/** Prints what a request carried, one thing a line. */
export function printRequest({ body }: RecordedRequest): void {
  console.log("the second request carried");
  console.log(`  previous_response_id  ${body.previous_response_id ?? "none"}`);
  console.log(`  store                 ${body.store ?? "left out: the server keeps the response"}`);
  console.log(`  instructions          ${body.instructions}`);
  console.log(`  tools                 ${body.tools?.map(({ name }) => name).join(", ")}`);
  console.log("  input");
  for (const item of body.input as readonly Item[]) console.log(`    ${describe(item)}`); // an agent always sends a list
}

function describe(item: Item): string {
  if (isFunctionCall(item)) return `function_call         ${item.call_id}  ${item.name}(${item.arguments})`;
  if (isFunctionCallOutput(item)) return `function_call_output  ${item.call_id}  ${String(item.output)}`;
  return `${item.type.padEnd(20)}  ${String(item["role"])}: ${JSON.stringify(item["content"])}`;
}
