import { inspect } from "node:util";
import { Agent, type AgentOptions, type Item } from "@toolwright/core";
import { redact, type RedactOptions, standard } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { inputOf, serve, type Stand } from "../support/serve.js";

function agentOf(stand: Stand, options: RedactOptions, more: Omit<Partial<AgentOptions>, "output"> = {}): Agent {
  return new Agent({ model: "test", client: stand.client, middleware: [...standard(), redact(options)], ...more });
}

describe("what redact finds", () => {
  it("finds patterns and words of the application, and what is in parts, files and JSON", async () => {
    await using stand = await serve([reply.text("<CUSTOMER_ID_1> is <WORD_1>, <SECRET_1>")]);
    const agent = agentOf(stand, {
      detect: ["secret"],
      patterns: [{ name: "customer-id", pattern: /cust-\d+/i }],
      words: ["Ann Novak", "Ann", "A-1 (x) [y] $.*/^"],
    });
    const pem = "-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----";
    const result = await agent.run([
      {
        role: "user",
        content: [
          { type: "input_text", text: "CUST-00017 is ann novak; Annabel is not." },
          { type: "input_file", filename: "cust-2.txt", file_data: "data:text/plain;base64,Y3VzdC0z" },
        ],
      },
      { role: "user", content: JSON.stringify({ pem, cust: "CUST-00017" }) },
    ]);
    const [first, second] = inputOf(stand.server.request(0));
    expect(first?.["content"]).toEqual([
      { type: "input_text", text: "<CUSTOMER_ID_1> is <WORD_1>; Annabel is not." },
      { type: "input_file", filename: "<CUSTOMER_ID_2>.txt", file_data: "data:text/plain;base64,Y3VzdC0z" },
    ]);
    expect(second?.["content"]).toBe('{"pem":"<SECRET_1>","cust":"<CUSTOMER_ID_1>"}');
    // With its line breaks, not with their escapes.
    expect(result.output).toBe(`CUST-00017 is ann novak, ${pem}`);
  });

  it("puts values back inside JSON when JSON is what was asked for", async () => {
    await using stand = await serve([reply.text('{"key":"<SECRET_1>","unsure":"<EMAIL_9>"}')]);
    const pem = "-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----";
    const agent = agentOf(stand, {}, { settings: { text: { format: { type: "json_object" } } } });
    const result = await agent.run(`As json: ${pem}`);
    expect(JSON.parse(String(result.output))).toEqual({ key: pem, unsure: "<EMAIL_9>" });
  });

  it("hides numbers in arguments of the history, which stay JSON", async () => {
    await using stand = await serve([reply.text("Fine.")]);
    const items: Item[] = [
      { type: "function_call", call_id: "call_1", name: "pay", arguments: '{"card":4111111111111111,"amount":5}' },
      { type: "function_call_output", call_id: "call_1", output: '[{"card":4111111111111111}]' },
    ];
    await agentOf(stand, {}).run("Paid?", { history: { kind: "local", items } });
    const [call, output] = inputOf(stand.server.request(0));
    expect(call?.["arguments"]).toBe('{"card":"<CREDIT_CARD_1>","amount":5}');
    expect(output?.["output"]).toBe('[{"card":"<CREDIT_CARD_1>"}]');
  });

  it("says nothing of its words in print", () => {
    const middleware = redact({ words: ["Ann Novak"], patterns: [{ name: "code", pattern: "secret-prefix-\\d+" }] });
    const agent = new Agent({ model: "test", middleware: [middleware] });
    for (const shown of [String(agent.explain()), inspect(middleware, { depth: 9 }), JSON.stringify(middleware)]) {
      expect(shown).not.toMatch(/Novak|secret-prefix/);
    }
    expect(String(agent.explain())).toContain('"patterns":["code"],"words":1');
  });
});

describe("redact refuses", () => {
  it.each<readonly [string, object, RegExp]>([
    ["an unknown thing to detect", { detect: ["mail"] }, /`detect` must be a list of "secret".*; it is \["mail"\]/],
    ["an option there is none of", { detects: [] }, /no option "detects"/],
    ["nothing to do", { detect: [] }, /nothing to look for/],
    ["a pattern that looks around", { patterns: [{ name: "x", pattern: "(?<=a)b" }] }, /pattern "x" cannot be used: it looks around/],
    ["a pattern that refers back", { patterns: [{ name: "x", pattern: /(a)\1/ }] }, /it refers back/],
    ["a pattern of nothing", { patterns: [{ name: "x", pattern: "a*" }] }, /matches the empty text/],
    ["flags that change what it means", { patterns: [{ name: "x", pattern: /^a$/m }] }, /it has the flags "m"/],
    ["a name that is taken", { patterns: [{ name: "email", pattern: "a" }] }, /the name "email" in `patterns` is taken/],
    ["a name that cannot stand in a placeholder", { patterns: [{ name: "__proto__", pattern: "a" }] }, /`patterns` must be/],
  ])("%s", (_, options, message) => {
    expect(() => redact(options as RedactOptions)).toThrow(
      expect.objectContaining({ code: "RUN_OPTIONS", message: expect.stringMatching(message) }),
    );
  });

  it("no pattern for the time that it could take: it takes none", async () => {
    await using stand = await serve([reply.text("Fine.")]);
    const agent = agentOf(stand, { patterns: [{ name: "evil", pattern: "(x+x+)+y" }] });
    const startedAt = performance.now();
    await agent.run(`${"x".repeat(50_000)}!`);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});
