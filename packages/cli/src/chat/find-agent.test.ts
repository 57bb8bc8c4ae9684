import { Agent } from "@toolwright/core";
import { describe, expect, test } from "vitest";
import { findAgent } from "./find-agent.js";

const desk = new Agent({ name: "desk", model: "test" });
const billing = new Agent({ name: "billing", model: "test" });
const found = (module: object, wanted?: string) => findAgent(module as Record<string, unknown>, wanted, "agent.js");

describe("the agent of a module", () => {
  test.each([
    ["its only one", { a: 1, desk }, undefined, desk],
    ["its default export", { default: desk, billing }, undefined, desk],
    ["one that is exported twice", { default: desk, desk }, undefined, desk],
    ["the export that is named", { default: desk, billing }, "billing", billing],
    ["one of two names, by either", { default: desk, front: desk }, "front", desk],
    ["the agent's own name", { one: desk, two: billing }, "billing", billing],
    ["a function's, where there is no other", { createAgent: ({ agent = desk } = {}) => agent, helper: () => billing }, undefined, desk],
    ["what a default function promises", { default: async () => billing }, undefined, billing],
    ["what a function gives that is named", { default: desk, make: () => billing }, "make", billing],
  ])("is %s", async (_, module, wanted, agent) => {
    expect((await found(module, wanted)).agent).toBe(agent);
  });

  test("may come with its context and with prices", async () => {
    const prices = { test: { inputPerMillion: 1, outputPerMillion: 2 } };
    expect(await found({ default: { agent: desk, app: { user: "ada" }, prices } })).toMatchObject({
      agent: desk,
      app: { user: "ada" },
      prices,
    });
  });

  test.each([
    ["several", { one: desk, two: billing }, undefined, /several agents: one, two\.\n.*--agent one/],
    ["none", { tools: [] }, undefined, /no agent, only tools\.\n.*new Agent/],
    ["nothing", {}, undefined, /only nothing/],
    ["a class", { default: Agent }, undefined, /no agent/],
    ["another name", { one: desk, two: billing }, "biling", /no agent "biling"\.\n.*billing/],
    ["a far name", { one: desk, two: billing }, "weather", /There are one, two/],
    ["a name that two have", { one: desk, two: new Agent({ name: "desk", model: "test" }) }, "desk", /Several agents.*\n.*one, two/],
    ["a function that fails", { createAgent: () => JSON.parse("{") as object }, undefined, /createAgent\(\) made no agent: /],
  ])("is refused where there is %s", async (_, module, wanted, message) => {
    await expect(found(module, wanted)).rejects.toThrow(message);
    await expect(found(module, wanted)).rejects.toMatchObject({ code: "BUILD_CONFIG" });
  });
});
