import { expect, it } from "vitest";
import { runCompiled } from "../test-support/run-compiled.js";

const carried = (state: readonly string[], input: readonly string[]): string =>
  [
    "the calls ended in this order: call_B, call_A",
    "the second request carried",
    ...state,
    "  instructions          Use the tools for facts.",
    "  tools                 get_delivery, get_stock, search_orders, cancel_order, change_address",
    "  input",
    ...input,
  ].join("\n");

const local = ["  previous_response_id  none", "  store                 false"];
const calls = [
  '    message               user: "When do orders A and B arrive?"',
  '    function_call         call_A  get_delivery({"orderId":"A"})',
  '    function_call         call_B  get_delivery({"orderId":"B"})',
];
const outputA = '    function_call_output  call_A  {"orderId":"A","days":2}';
const outputB = '    function_call_output  call_B  {"orderId":"B","days":5}';

it("binds each output to its call, with either history, and lets one call fail alone", async () => {
  const { exitCode, stdout, stderr } = await runCompiled("03-out-of-order");
  expect(stderr).toBe("");
  expect(exitCode).toBe(0);
  const [said, first, chained, failing, ...rest] = stdout.split(/\n== /);
  expect(rest).toEqual([]);
  expect(said).toContain("never a real model");

  expect(first).toBe(`local history\n${carried(local, [...calls, outputA, outputB])}\nA arrives in 2 days, B in 5.\n`);

  const responseId = /previous_response_id {2}(resp_\w+)\n/.exec(chained ?? "")?.[1];
  expect(chained).toBe(
    `chained history\n${carried(
      [`  previous_response_id  ${responseId}`, "  store                 left out: the server keeps the response"],
      [outputA, outputB],
    )}\nA arrives in 2 days, B in 5.\n`,
  );

  const error = /call_B {2}(\{"error".*\})\n/.exec(failing ?? "")?.[1] ?? "";
  expect(JSON.parse(error)).toEqual({
    error: { code: "ORDER_ALREADY_CANCELLED", message: expect.stringContaining('"B"'), retryable: false },
  });
  expect(failing).toBe(
    `only B fails\n${carried(local, [...calls, outputA, `    function_call_output  call_B  ${error}`])}\nA arrives in 2 days. B was cancelled.\n`,
  );
});
