import { Agent } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { outputsIn, serve, inputOf } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";

class Empty {
  #hidden = 1;
  get hidden(): number {
    return this.#hidden;
  }
}
class Point {
  x = 1;
  #y = 2;
  get y(): number {
    return this.#y;
  }
}
const cycle: { self?: object } = {};
cycle.self = cycle;

async function shown(result: () => unknown): Promise<unknown> {
  await using stand = await serve([reply.calls(callOf("give", "call_1", 1)), reply.text("Done.")]);
  const { steps } = await new Agent({ model: "test", client: stand.client, tools: [numberTool("give", result)] }).run("Go.");
  expect(steps[0]?.calls[0]?.outcome.kind).toBe("ok");
  return outputsIn(inputOf(stand.server.request(1)))[0]?.[1];
}

describe("what a tool returns is shown to the model", () => {
  it.each([
    ["a text as it is", () => "Kazan", "Kazan"],
    ["nothing as null", () => undefined, "null"],
    ["a date as ISO text", () => new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ["a BigInt as decimal text", () => ({ n: 2n ** 64n }), '{"n":"18446744073709551616"}'],
    ["a Map and a Set as lists", () => [new Map([["a", 1]]), new Set([2])], '[[["a",1]],[2]]'],
    ["bytes as their length and type", () => new Uint8Array(3), '{"type":"Uint8Array","bytes":3}'],
    ["an instance by its own fields", () => new Point(), '{"x":1}'],
    ["an empty instance of one's own class", () => new Empty(), "{}"],
    ["a URL by its toJSON", () => new URL("http://a.example/b"), '"http://a.example/b"'],
    ["an object without a prototype", () => Object.assign(Object.create(null) as object, { a: 1 }), '{"a":1}'],
  ])("%s", async (_, result, text) => {
    expect(await shown(result)).toBe(text);
  });

  it.each([
    ["a cycle", () => cycle, "its result cannot be shown"],
    ["a function", () => () => 1, "its result, a function,"],
    ["an error", () => new TypeError("private path"), "its result, a TypeError,"],
    ["a response", () => new Response("x"), "its result, a Response,"],
    ["an expression", () => /x/, "its result, a RegExp,"],
  ])("%s in words, since the effect happened", async (_, result, words) => {
    const text = String(await shown(result));
    expect(text).toContain(words);
    expect(text).not.toContain("private path");
  });

  it("inside of other data by its class", async () => {
    expect(await shown(() => ({ errors: [new RangeError("private path")] }))).toBe('{"errors":["[RangeError]"]}');
  });
});
