import { Agent, defineMiddleware, type HeldSession, type HistoryOption, type Middleware, type Session } from "@toolwright/core";
import { toolErrors } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, inputOf, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { failureOf } from "../support/ways.js";
import { historyOf, kinds } from "./support.js";

type Record = Exclude<keyof HeldSession, "load" | "release">;

/** The session, but for one kind of record, which fails from its first time on: before it is written, or after. */
function failing(session: Session, broken: Record, when: "before" | "after"): Session {
  const wrapped: Session = Object.create(session, {
    load: { value: () => session.load() },
    acquire: {
      value: async (): Promise<HeldSession> => {
        const held = (await session.acquire?.()) as HeldSession; // both kinds can be held
        const write = async (...parameters: readonly never[]): Promise<void> => {
          if (when === "after") await (held[broken] as (...each: readonly never[]) => Promise<void>)(...parameters);
          throw new Error("the disk is full");
        };
        return new Proxy(held, {
          get(target, name) {
            if (name === broken) return write;
            const value: unknown = Reflect.get(target, name);
            return typeof value === "function" ? value.bind(target) : value;
          },
        });
      },
    },
  });
  return wrapped;
}

const on = (session: Session): HistoryOption => ({ kind: "local", session });
const records: readonly Record[] = ["input", "reply", "started", "outcome", "outputs"];
const cases = kinds.flatMap((each) =>
  records.flatMap((record) => (["before", "after"] as const).map((when) => ({ ...each, record, when }))),
);

describe("a session whose records fail", () => {
  it.each(cases)("ends the run, and the next one goes on without a second write ($kind, $when $record)", async ({ make, record, when }) => {
    await using stand = await serve([reply.calls(callOf("write", "call_1", 1)), reply.text("Here again.")]);
    using kept = make();
    const executed: number[] = [];
    const write = numberTool("write", (n) => (executed.push(n), "written"), { effect: "write" });
    const agent = new Agent({ model: "test", client: stand.client, tools: [write] });
    const error = await ends(failureOf(agent.run("Go.", { history: on(failing(kept.session, record, when)) })));
    expect(error).toMatchObject({ code: "RUN_FAILED", cause: expect.objectContaining({ message: "the disk is full" }) });

    const result = await ends(agent.run("Hello?", { history: on(kept.reopen()) }));
    expect(result.output).toBe("Here again.");
    expect(executed.length).toBeLessThanOrEqual(1);
    expect(await historyOf(kept.reopen())).toEqual(result.history);
    stand.server.assertDone();
  });
});

describe.each(kinds)("what middlewares made of a call is kept in $kind", ({ make }) => {
  const deny = defineMiddleware({ name: "deny", wrapToolCall: async () => ({ kind: "denied", reason: "not today" }) });
  const reword = toolErrors({ format: (outcome) => `Sorry: ${"error" in outcome ? outcome.error.code : outcome.kind}` });

  it.each([
    ["a denial", [deny], '"code":"TOOL_DENIED"'],
    ["another wording", [reword], "Sorry: TOOL_OUTCOME_UNKNOWN"],
  ] as [string, Middleware[], string][])("%s counts, though the outputs were never recorded", async (_, middleware, output) => {
    await using stand = await serve([reply.calls(callOf("write", "call_1", 1)), reply.text("Here again.")]);
    using kept = make();
    let executed = 0;
    const write = numberTool("write", () => ((executed += 1), Promise.reject(new Error("broken"))), { effect: "write" });
    const first = new Agent({ model: "test", client: stand.client, tools: [write], middleware });
    await ends(failureOf(first.run("Go.", { history: on(failing(kept.session, "outputs", "before")) })));
    const before = executed;
    const plain = new Agent({ model: "test", client: stand.client, tools: [write], history: on(kept.reopen()) });
    await ends(plain.run("Hello?"));
    expect(executed).toBe(before);
    expect(outputsIn(inputOf(stand.server.request(1)))).toEqual([["call_1", expect.stringContaining(output)]]);
    stand.server.assertDone();
  });

  it("a wrap of the run that goes on after a pause has the waiting call answered there too", async () => {
    await using stand = await serve([reply.calls(callOf("look", "call_1", 1), callOf("ask", "call_2", 2)), reply.text("As you like.")]);
    using kept = make();
    const tools = [numberTool("look", (n) => `seen ${n}`), numberTool("ask", () => "asked", { effect: "write", approval: true })];
    const neverMind = defineMiddleware({
      name: "neverMind",
      repeats: true,
      wrapRun: async (call, next) => {
        const result = await next(call);
        return result.stopReason === "interrupted" ? next({ input: [{ role: "user", content: "Never mind." }] }) : result;
      },
    });
    const agent = new Agent({ model: "test", client: stand.client, tools, middleware: [neverMind], history: on(kept.session) });
    const result = await ends(agent.run("Go."));
    expect(result.output).toBe("As you like.");
    const outputs = outputsIn(inputOf(stand.server.request(1)));
    expect(outputs[0]).toEqual(["call_1", "seen 1"]);
    expect(errorIn(outputs[1]?.[1]).code).toBe("TOOL_SKIPPED");
    expect(await historyOf(kept.reopen())).toEqual(result.history);
    stand.server.assertDone();
  });
});
