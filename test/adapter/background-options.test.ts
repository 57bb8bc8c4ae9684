import { Agent, openaiModel } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { backgroundAgent, requestsAbout, soon } from "../support/background.js";
import { serve } from "../support/serve.js";
import { ends, until } from "../support/wait.js";
import { collect, failureOf } from "../support/ways.js";

describe("options", () => {
  it("what is kept of a started response is kept before it is waited for; if it cannot be, the response is cancelled", async () => {
    await using stand = await serve([reply.text("Never.").with({ responseId: "resp_1" })]);
    const onStarted = () => Promise.reject(new Error("The disk is full."));
    const error = await failureOf(ends(backgroundAgent(stand, { ...soon, onStarted }).run("Go.")));
    expect(error).toMatchObject({ code: "RUN_FAILED", details: { responseId: "resp_1" } });
    await until(() => requestsAbout(stand).includes("POST {id}/cancel"));
    expect(requestsAbout(stand).filter((each) => each.startsWith("GET"))).toEqual([]);
  });

  it("a later completion window is asked for, and not streamed", async () => {
    await using stand = await serve([reply.text("Cheap.")]);
    const { result } = await ends(collect(backgroundAgent(stand, { ...soon, completionWindow: "8h" }), "Go."));
    expect(result).toMatchObject({ output: "Cheap." });
    expect(stand.server.request(0).body).toMatchObject({ background_options: { completion_window: "8h" } });
    expect(stand.server.request(0).body).not.toHaveProperty("stream");
  });

  it.each([
    [{ pollms: 5 }, /no option "pollms"/],
    [{ pollMs: 0 }, /`background.pollMs` is 0/],
    [{ pollMs: 20, maxPollMs: 10 }, /`background.maxPollMs` is 10[^]*at least `pollMs`, 20/],
    [{ attach: "" }, /`background.attach` is ""/],
    [{ onAbort: "stop" }, /`background.onAbort` is "stop"/],
    [{ completionWindow: "3h" }, /`background.completionWindow` is "3h"/],
    [{ onStarted: "later" }, /`background.onStarted` is "later"/],
    ["yes", /`background` is "yes"/],
  ])("are checked: %j", (background, message) => {
    expect(() => openaiModel("test", { background: background as never })).toThrow(message);
    expect(() => new Agent({ model: "test", background: background as never })).toThrow(message);
  });

  it("a client that cannot fetch is refused when the agent is made", () => {
    const client = {
      post: () => {
        throw new Error("unused");
      },
    };
    expect(() => new Agent({ model: "test", client, background: true })).toThrow(/no method `get`/);
    expect(() => new Agent({ model: "test", client })).not.toThrow();
  });

  it("as a setting of the model it is refused, with where it belongs", () => {
    // @ts-expect-error It is an option of the agent.
    expect(() => new Agent({ model: "test", settings: { background: true } })).toThrow(/`settings.background`[^]*the agent's `background`/);
  });

  it.each(["ollama", "vllm", "openrouter", "lmstudio", "llamacpp"] as const)(
    "%s has no background, which is said before a request",
    async (provider) => {
      await using stand = await serve([]);
      const error = await failureOf(ends(backgroundAgent(stand, true, { provider }).run("Go.")));
      expect(error).toMatchObject({ code: "MODEL_UNSUPPORTED", details: { provider } });
      expect(stand.server.requests).toHaveLength(0);
    },
  );
});
