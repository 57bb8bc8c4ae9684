import { Agent, type AgentOptions, defineMiddleware, defineTool, type Item, type ModelRequest } from "@toolwright/core";
import { redact, type RedactOptions, standard, stepBudget } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { inputOf, localItems, outputsIn, serve, type Stand } from "../support/serve.js";
import { collect, runIn, ways } from "../support/ways.js";

const email = "ann@example.com";
const other = "bob@example.org";
const card = "4111 1111 1111 1111";
const key = "sk-planted-0123456789abcdef";

const text = { type: "object", properties: { to: { type: "string" }, body: { type: "string" } }, required: ["to", "body"] } as const;

function mailTool(execute: (to: string, body: string) => unknown, more: { readonly approval?: true } = {}) {
  return defineTool({
    name: "send_mail",
    description: "Sends a mail.",
    effect: "write",
    parameters: text,
    ...more,
    execute: ({ to, body }) => execute(String(to), String(body)),
  });
}

function agentOf(stand: Stand, options: RedactOptions, more: Omit<Partial<AgentOptions>, "output"> = {}): Agent {
  return new Agent({ model: "test", client: stand.client, middleware: [...standard(), redact(options)], ...more });
}

const sent = (stand: Stand): string => stand.server.requests.map(({ text: body }) => body).join("\n");
const messageIn = (items: readonly Item[], index: number): unknown => items[index]?.["content"];

describe("redact", () => {
  it.each(ways)("hides values from the model, and gives them to tools and the application: %s", async (way) => {
    await using stand = await serve([
      reply.calls({ callId: "call_1", name: "send_mail", arguments: '{"to": "<EMAIL_1>", "body": "Card <CREDIT_CARD_1>, <EMAIL_2>"}' }),
      reply.text("Sent to <EMAIL_1>, and <EMAIL_3> has answered."),
    ]);
    const got: string[][] = [];
    const tool = mailTool((to, body) => {
      got.push([to, body]);
      return { receipt: "carl@example.net", key };
    });
    const instructions = `You work for ${email}.`;
    const agent = agentOf(stand, {}, { instructions, tools: [tool] });
    const result = await runIn(way, agent, `Send my card ${card} to ${email}, copy ${other}.`);

    expect(got).toEqual([[email, `Card ${card}, ${other}`]]);
    expect(result).toMatchObject({ stopReason: "completed", output: `Sent to ${email}, and carl@example.net has answered.` });
    for (const value of [email, other, card, "carl@example.net", key]) expect(sent(stand)).not.toContain(value);
    const [first, second] = stand.server.requests;
    expect(first?.body["instructions"]).toBe("You work for <EMAIL_1>.");
    expect(messageIn(inputOf(first!), 0)).toBe("Send my card <CREDIT_CARD_1> to <EMAIL_1>, copy <EMAIL_2>.");
    expect(outputsIn(inputOf(second!))).toEqual([["call_1", '{"receipt":"<EMAIL_3>","key":"<SECRET_1>"}']]);
    // The application's own history has the values, whatever the model has seen.
    const history = JSON.stringify(localItems(result.history));
    for (const value of [email, other, card, key]) expect(history).toContain(value);
    expect(history).not.toMatch(/<[A-Z_]+_\d>/);
  });

  it("sends what the model wrote as it wrote it, and each request begins like the one before", async () => {
    const written = '{ "to":"<EMAIL_1>",  "body": "caf\\u00e9" }';
    await using stand = await serve([
      reply.calls({ callId: "call_1", name: "send_mail", arguments: written }),
      reply.output(
        reply.text("To <EMAIL_1>:", { phase: "commentary" }),
        reply.calls({ callId: "call_2", name: "send_mail", arguments: written }),
      ),
      reply.text("Done."),
      reply.text("Again."),
    ]);
    const agent = agentOf(stand, {}, { tools: [mailTool(() => `mail to ${email} of ${other}`)] });
    const result = await agent.run(`Write to ${email}.`);
    const inputs = stand.server.requests.map(inputOf);
    expect(inputs[1]?.[1]?.["arguments"]).toBe(written);
    for (const [step, input] of inputs.slice(0, 2).entries()) expect(inputs[step + 1]?.slice(0, input.length)).toEqual(input);
    // So does a later run on the history, whose values are found in the same order.
    await agent.run(`And to ${other}.`, { history: result.history });
    const later = inputOf(stand.server.request(3));
    expect(later[0]).toEqual(inputs[0]?.[0]);
    expect(outputsIn(later)).toEqual(outputsIn(inputs[2] ?? []));
    expect(messageIn(later, later.length - 1)).toBe("And to <EMAIL_2>.");
  });

  it("looks through each item once, however many requests carry it", async () => {
    const steps = 12;
    await using stand = await serve(({ index }) =>
      index < steps ? reply.calls({ name: "send_mail", arguments: { to: "<EMAIL_1>", body: `${index}` } }) : reply.text("Done."),
    );
    const seen: ModelRequest[] = [];
    const look = defineMiddleware({ name: "look", wrapModelCall: (call, next) => (seen.push(call.request), next(call)) });
    const agent = new Agent({
      model: "test",
      client: stand.client,
      tools: [mailTool((to) => `sent to ${to}`)],
      middleware: [stepBudget(50), redact(), look],
    });
    await agent.run(`Write to ${email}.`);
    expect(seen).toHaveLength(steps + 1);
    for (const [step, { input }] of seen.slice(1).entries()) {
      const before = seen[step]?.input ?? [];
      // The very objects, so that nothing is found, copied or serialised again.
      for (const [index, item] of before.entries()) expect(input[index]).toBe(item);
    }
  });

  it("keeps the placeholders over a pause", async () => {
    await using stand = await serve([
      reply.calls({ callId: "call_1", name: "send_mail", arguments: { to: "<EMAIL_2>", body: "<EMAIL_1>" } }),
      reply.text("<EMAIL_1>, <EMAIL_2>, <EMAIL_3>."),
    ]);
    const got: string[] = [];
    const tool = mailTool((to, body) => (got.push(to, body), `from ${other} to dora@example.com`), { approval: true });
    const paused = await agentOf(stand, {}, { tools: [tool] }).run(`From ${email} to ${other}.`);
    if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
    // A person is asked about what will really happen.
    expect(paused.interruptions[0]?.arguments).toEqual({ to: other, body: email });
    const resumed = await agentOf(stand, {}, { tools: [tool] }).resume(JSON.stringify(paused.state), {
      decisions: [{ callId: "call_1", approve: true }],
    });
    expect(got).toEqual([other, email]);
    expect(resumed.output).toBe(`${email}, ${other}, dora@example.com.`);
    expect(messageIn(inputOf(stand.server.request(1)), 0)).toBe("From <EMAIL_1> to <EMAIL_2>.");
    expect(outputsIn(inputOf(stand.server.request(1)))).toEqual([["call_1", "from <EMAIL_2> to <EMAIL_3>"]]);
  });

  it("leaves a placeholder that was never handed out, and takes none of the input for one", async () => {
    await using stand = await serve([
      reply.calls({ callId: "call_1", name: "send_mail", arguments: { to: "<EMAIL_7>", body: "<LITERAL_1> <PHONE_1> <EMAIL_1>" } }),
      reply.text("<LITERAL_1> is not <EMAIL_1>, and <EMAIL_7> is nobody."),
      reply.text("<LITERAL_2>"),
    ]);
    const got: string[] = [];
    const agent = agentOf(stand, {}, { tools: [mailTool((to, body) => (got.push(to, body), "ok"))] });
    const result = await agent.run(`The text <EMAIL_1> and the address ${email}, <b> and <UNKNOWN_1>.`);
    expect(messageIn(inputOf(stand.server.request(0)), 0)).toBe("The text <LITERAL_1> and the address <EMAIL_1>, <b> and <UNKNOWN_1>.");
    expect(got).toEqual(["<EMAIL_7>", `<EMAIL_1> <PHONE_1> ${email}`]);
    expect(result.output).toBe(`<EMAIL_1> is not ${email}, and <EMAIL_7> is nobody.`);
    // What the model made up is text like any other in what it reads next.
    expect(inputOf(stand.server.request(1))[1]?.["arguments"]).toBe('{"to":"<LITERAL_2>","body":"<LITERAL_1> <LITERAL_3> <EMAIL_1>"}');
  });

  it("leaves what it does not find, object for object", async () => {
    await using stand = await serve([reply.text("Nothing to see.")]);
    const seen: unknown[] = [];
    const outside = defineMiddleware({
      name: "outside",
      async wrapModelCall(call, next) {
        const response = await next(call);
        seen.push(call.request, response);
        return response;
      },
    });
    const inside = defineMiddleware({
      name: "inside",
      async wrapModelCall(call, next) {
        const response = await next(call);
        seen.push(call.request, response);
        return response;
      },
    });
    await new Agent({ model: "test", client: stand.client, middleware: [outside, redact(), inside] }).run("Hello.");
    expect(seen[0]).toBe(seen[2]);
    expect(seen[1]).toBe(seen[3]);
  });

  it("leaves placeholders where they are when told not to restore", async () => {
    await using stand = await serve([
      reply.calls({ callId: "call_1", name: "send_mail", arguments: { to: "<EMAIL_1>", body: "" } }),
      reply.text("Sent to <EMAIL_1>."),
    ]);
    const got: string[] = [];
    const agent = agentOf(stand, { restore: false }, { tools: [mailTool((to) => (got.push(to), email))] });
    expect((await agent.run(`Write to ${email}.`)).output).toBe("Sent to <EMAIL_1>.");
    expect(got).toEqual(["<EMAIL_1>"]);
    expect(outputsIn(inputOf(stand.server.request(1)))).toEqual([["call_1", "<EMAIL_1>"]]);
  });

  it("does not take a placeholder of an earlier run on a server's chain for its own", async () => {
    await using stand = await serve(({ body }) => {
      const [message] = body["input"] as unknown as readonly { readonly content: string }[];
      const [placeholder = ""] = /<EMAIL_1_[a-z]+>/.exec(message?.content ?? "") ?? [];
      return reply.text(`I know ${placeholder} and ${earlier}.`);
    });
    let earlier = "<EMAIL_1>";
    const agent = agentOf(stand, {}, { history: { kind: "chained" } });
    const first = await agent.run(`I am ${email}.`);
    expect(first.output).toBe(`I know ${email} and <EMAIL_1>.`);
    [earlier = ""] = /<EMAIL_1_[a-z]+>/.exec(JSON.stringify(inputOf(stand.server.request(0)))) ?? [];
    const second = await agent.run(`I am ${other}.`, { history: first.history });
    expect(second.output).toBe(`I know ${other} and ${earlier}.`);
    expect(sent(stand)).not.toMatch(/@example/);
  });

  it("shows placeholders in the deltas of a stream, and the values in its result", async () => {
    await using stand = await serve([reply.text("Hello <EMAIL_1>.")]);
    const { events, result } = await collect(agentOf(stand, {}), `I am ${email}.`);
    const deltas = events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join("");
    expect(deltas).toBe("Hello <EMAIL_1>.");
    expect(result.output).toBe(`Hello ${email}.`);
  });

  it("keeps two runs at once apart", async () => {
    await using stand = await serve(({ body }) => reply.text(`To <EMAIL_1> with ${(body["input"] as unknown[]).length}.`));
    const agent = agentOf(stand, {});
    const results = await Promise.all([agent.run(`I am ${email}.`), agent.run(`I am ${other}.`)]);
    expect(results.map(({ output }) => output)).toEqual([`To ${email} with 1.`, `To ${other} with 1.`]);
  });
});
