import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reply, startResponsesServer } from "@toolwright/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Finished, runCompiled, standInLine } from "../test-support/run-compiled.js";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "toolwright-approval-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (parameters: readonly string[] = [], env: Record<string, string> = {}): Promise<Finished> =>
  runCompiled("08-approval", parameters, { APPROVAL_FOLDER: folder, ...env });

const hint = "The run is in a file now. From any terminal: npm run example -- 08 approve CALL, or deny CALL and why.";
const stored = (): string => readFileSync(join(folder, "paused-run.json"), "utf8");

/** The calls that wait, as they were told. */
const waiting = ({ stdout }: Finished): string[] => [...stdout.matchAll(/^waits .* {2}(\S+)$/gm)].map((match) => String(match[1]));

describe("08-approval", () => {
  it("pauses, ends, and goes on in other processes, a decision at a time", async () => {
    const asked = await run();
    expect(asked.stderr).toBe("");
    expect(asked.exitCode).toBe(0);
    const [first = "", second = ""] = waiting(asked);
    expect(asked.stdout).toBe(
      [
        standInLine.trimEnd(),
        "> When does order B arrive? Cancel orders A and F because I moved.",
        'starts  get_delivery({"orderId":"B"})',
        'ok      get_delivery: {"orderId":"B","days":5}',
        `waits   cancel_order({"orderId":"A","reason":"I moved"})  ${first}`,
        `waits   cancel_order({"orderId":"F","reason":"I moved"})  ${second}`,
        hint,
        "",
      ].join("\n"),
    );
    expect(JSON.parse(stored())).toMatchObject({ version: 1, step: 0 });

    const approved = await run(["approve", second]);
    expect(approved.stdout.split("\n").slice(1)).toEqual([
      'starts  cancel_order({"orderId":"F","reason":"I moved"})',
      expect.stringMatching(/^ok {6}cancel_order: \{"orderId":"F","status":"cancelled"/),
      `waits   cancel_order({"orderId":"A","reason":"I moved"})  ${first}`,
      hint,
      "",
    ]);

    const denied = await run(["deny", first, "It", "is", "packed."]);
    expect(denied.exitCode).toBe(0);
    expect(denied.stdout.split("\n").slice(1)).toEqual([
      "denied  cancel_order: It is packed.",
      "Order B arrives in 5 days.",
      "Order A could not be cancelled: The call was refused: It is packed.",
      "Order F is cancelled.",
      "",
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("carries a decision out once, whoever comes first", async () => {
    const [callId = ""] = waiting(await run(["Cancel order F because I moved."]));
    const both = await Promise.all([run(["approve", callId]), run(["approve", callId])]);
    expect(both.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1]);
    const [winner, loser] = both[0]?.exitCode === 0 ? both : both.toReversed();
    expect(winner?.stdout).toContain("Order F is cancelled.");
    expect(loser?.stderr).toContain("No run waits here.");
    expect(both.flatMap(({ stdout }) => stdout.match(/^starts /gm) ?? [])).toHaveLength(1);
  });

  it("refuses a call that does not wait, and keeps the run", async () => {
    const [callId = ""] = waiting(await run(["Cancel order F."]));
    const before = stored();
    const { exitCode, stderr } = await run(["approve", "call_of_nobody"]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`No call "call_of_nobody" waits for a decision. Waiting: ${callId}.`);
    expect(stored()).toBe(before);
  });

  it("says what is missing", async () => {
    expect(await run(["approve"])).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("Which call?") as string });
    expect(await run(["deny", "call_1"])).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("No run waits here.") as string });
  });

  it("asks the model of the key, each process anew", async () => {
    await using server = await startResponsesServer([
      reply.calls({ callId: "call_7", name: "cancel_order", arguments: { orderId: "F", reason: null } }),
      reply.text("Order F is gone."),
    ]);
    const env = { OPENAI_API_KEY: "test", OPENAI_BASE_URL: server.url };
    expect((await run([], env)).stdout).not.toContain("stand-in");
    expect((await run(["approve", "call_7"], env)).stdout).toContain("Order F is gone.\n");
    expect(server.request(1).body.model).toBe("gpt-5.4-mini");
    server.assertDone();
  });
});
