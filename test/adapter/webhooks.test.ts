import {
  Agent,
  type ResponseWebhookType,
  ToolwrightError,
  verifyWebhook,
  type VerifyWebhookOptions,
  type WebhookEvent,
} from "@toolwright/core";
import { reply } from "@toolwright/testing";
import OpenAI from "openai";
import { createHmac, randomBytes } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, expectTypeOf, it } from "vitest";
import { soon } from "../support/background.js";
import { serve } from "../support/serve.js";
import { ends } from "../support/wait.js";

const newSecret = () => `whsec_${randomBytes(24).toString("base64")}`;
const secret = newSecret();
const event = { id: "evt_1", object: "event", type: "response.completed", created_at: 1_790_000_000, data: { id: "resp_1" } };
const body = JSON.stringify(event);
const now = (): number => Math.floor(Date.now() / 1000);

/** As the API signs. */
function sign(text: string | Uint8Array, key: string, timestamp: number | string, id = "wh_1"): string {
  const bytes = key.startsWith("whsec_") ? Buffer.from(key.slice(6), "base64") : Buffer.from(key);
  const mac = createHmac("sha256", bytes).update(`${id}.${timestamp}.`).update(text).digest("base64");
  return `v1,${mac}`;
}

const signed = (text: string | Uint8Array = body, key = secret, timestamp: number | string = now()) => ({
  "webhook-id": "wh_1",
  "webhook-timestamp": String(timestamp),
  "webhook-signature": sign(text, key, timestamp),
});

async function reasonOf(options: Partial<VerifyWebhookOptions>): Promise<unknown> {
  const error: unknown = await verifyWebhook({ body, headers: signed(), secret, ...options }).catch((thrown: unknown) => thrown);
  if (!ToolwrightError.is(error)) throw new Error("It was taken.");
  expect(`${error.message} ${JSON.stringify(error)}`).not.toContain(secret);
  return error.code === "MODEL_WEBHOOK" ? error.details["reason"] : error.message;
}

describe("a webhook that the API has sent", () => {
  it("gives its event, with what it is about and what to know it by", async () => {
    const verified = await verifyWebhook({ body, headers: signed(), secret });
    expect(verified).toEqual({ ...event, responseId: "resp_1", webhookId: "wh_1" });
    expectTypeOf(verified).toEqualTypeOf<WebhookEvent>();
    expectTypeOf<ResponseWebhookType>().toExtend<WebhookEvent["type"]>();
  });

  it("of another kind is an event too, about no response", async () => {
    const other = JSON.stringify({ id: "evt_2", type: "batch.completed", created_at: 1, data: { id: "batch_1" } });
    await expect(verifyWebhook({ body: other, headers: signed(other), secret })).resolves.toMatchObject({
      type: "batch.completed",
      data: { id: "batch_1" },
      responseId: undefined,
    });
  });

  it.each<readonly [string, VerifyWebhookOptions["body"]]>([
    ["bytes", new TextEncoder().encode(body)],
    ["a Buffer", Buffer.from(body)],
    ["an ArrayBuffer", new TextEncoder().encode(body).buffer],
    ["a part of a larger buffer", Buffer.from(`xx${body}xx`).subarray(2, -2)],
  ])("is taken as %s", async (_, bytes) => {
    await expect(verifyWebhook({ body: bytes, headers: signed(), secret })).resolves.toMatchObject({ id: "evt_1" });
  });

  it("is taken with headers of any form", async () => {
    const headers = signed();
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    for (const form of [new Headers(headers), upper, lists]) {
      await expect(verifyWebhook({ body, headers: form, secret })).resolves.toMatchObject({ id: "evt_1" });
    }
  });

  it("is taken by any of its signatures, and by any of the secrets while they are being changed", async () => {
    const old = newSecret();
    const headers = signed();
    const signature = `v1a,${randomBytes(64).toString("base64")} ${sign(body, old, headers["webhook-timestamp"])} v1,%%% ${headers["webhook-signature"]}`;
    const several = { ...headers, "webhook-signature": signature };
    await expect(verifyWebhook({ body, headers: several, secret })).resolves.toMatchObject({ id: "evt_1" });
    await expect(verifyWebhook({ body, headers: signed(body, old), secret: [secret, old] })).resolves.toMatchObject({ id: "evt_1" });
  });
});

describe("a webhook is refused", () => {
  it("when its body, time, id or secret are others than were signed", async () => {
    const headers = signed();
    expect(await reasonOf({ body: body.replace("resp_1", "resp_2") })).toBe("signature");
    expect(await reasonOf({ body: JSON.stringify(event, undefined, 2) })).toBe("signature");
    expect(await reasonOf({ headers: { ...headers, "webhook-id": "wh_2" } })).toBe("signature");
    expect(await reasonOf({ headers: { ...headers, "webhook-timestamp": String(now() - 10) } })).toBe("signature");
    expect(await reasonOf({ secret: newSecret() })).toBe("signature");
    expect(await reasonOf({ headers: { ...headers, "webhook-signature": headers["webhook-signature"].slice(0, -6) } })).toBe("signature");
  });

  it("when it is older or newer than the tolerance, signed or not", async () => {
    expect(await reasonOf({ headers: signed(body, secret, now() - 400) })).toBe("timestamp");
    expect(await reasonOf({ headers: signed(body, secret, now() + 400) })).toBe("timestamp");
    expect(await reasonOf({ headers: signed(body, secret, now() - 40), toleranceSeconds: 10 })).toBe("timestamp");
    await expect(verifyWebhook({ body, headers: signed(body, secret, now() - 400), secret, toleranceSeconds: 600 })).resolves.toBeDefined();
    expect(await reasonOf({ headers: signed(body, secret, "soon") })).toBe("timestamp");
  });

  it("when a header is missing, and says which", async () => {
    for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
      const headers = { ...signed(), [name]: undefined };
      expect(await reasonOf({ headers })).toBe("headers");
      await expect(verifyWebhook({ body, headers, secret })).rejects.toThrow(name);
    }
    expect(await reasonOf({ headers: undefined as never })).toBe("headers");
  });

  it("when there is no signature that counts, or far too many", async () => {
    const { "webhook-signature": signature, ...headers } = signed();
    for (const none of [signature.slice(3), "v1,", "v1a,abc", `v2${signature.slice(2)}`]) {
      expect(await reasonOf({ headers: { ...headers, "webhook-signature": none } })).toBe("signature");
    }
    const many = Array.from({ length: 40 }, () => signature).join(" ");
    expect(await reasonOf({ headers: { ...headers, "webhook-signature": many } })).toBe("signature");
  });

  it("when what was signed is no event", async () => {
    for (const text of ["not JSON", "[]", "null", '{"id":"evt_1"}'])
      expect(await reasonOf({ body: text, headers: signed(text) })).toBe("body");
    const bytes = Uint8Array.of(0xff, 0xfe);
    expect(await reasonOf({ body: bytes, headers: signed(bytes) })).toBe("body");
  });

  it("with the fix in words, when it is asked for wrongly", async () => {
    expect(await reasonOf({ body: event as never })).toMatch(/`body` is object[^]*raw body/);
    expect(await reasonOf({ secret: "" })).toMatch(/`secret` is empty/);
    expect(await reasonOf({ secret: [] })).toMatch(/no `secret`/);
    expect(await reasonOf({ secret: undefined as never })).toMatch(/`secret` is undefined/);
    expect(await reasonOf({ secret: "whsec_" })).toMatch(/nothing after whsec_/);
    expect(await reasonOf({ toleranceSeconds: -1 })).toMatch(/`toleranceSeconds` is -1/);
  });
});

describe("the official client comes to the same", () => {
  const official = new OpenAI({ apiKey: "test", baseURL: "http://127.0.0.1:1" });
  const old = newSecret();
  const at = now();
  const headers = signed(body, secret, at);
  const cases: readonly (readonly [name: string, options: { body?: string; headers?: Record<string, string>; secret?: string }])[] = [
    ["genuine", {}],
    ["another body", { body: `${body} ` }],
    ["a body with other letters", { body: body.replace("{", '{"é":"ß",'), headers: signed(body.replace("{", '{"é":"ß",'), secret, at) }],
    ["another secret", { secret: old }],
    ["a secret that is plain text", { secret: "plain text", headers: signed(body, "plain text", at) }],
    ["two signatures", { headers: { ...headers, "webhook-signature": `${sign(body, old, at)} ${headers["webhook-signature"]}` } }],
    ["too old", { headers: signed(body, secret, at - 500) }],
    ["too new", { headers: signed(body, secret, at + 500) }],
    ["no time", { headers: { ...headers, "webhook-timestamp": "now" } }],
    ["another id", { headers: { ...headers, "webhook-id": "wh_9" } }],
  ];
  it.each(cases)("%s", async (_, { body: text = body, headers: given = headers, secret: key = secret }) => {
    const taken = (promise: Promise<unknown>): Promise<boolean> =>
      promise.then(
        () => true,
        () => false,
      );
    const ours = await taken(verifyWebhook({ body: text, headers: given, secret: key }));
    expect(ours).toBe(await taken(official.webhooks.unwrap(text, given, key)));
    expect(ours).toBe(await taken(official.webhooks.verifySignature(text, given, key)));
  });
});

it("over HTTP, the event of a response leads to a run that goes on with it", async () => {
  await using stand = await serve([reply.text("The report.").with({ responseId: "resp_1" })]);
  const begun = await stand.client.responses.create({ model: "test", input: "Write it.", background: true });
  expect(begun).toMatchObject({ id: "resp_1", status: "queued" });
  const received = Promise.withResolvers<{ headers: IncomingHttpHeaders; body: Buffer }>();
  const endpoint = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      response.writeHead(200).end();
      received.resolve({ headers: request.headers, body: Buffer.concat(chunks) });
    });
  }).listen(0, "127.0.0.1");
  try {
    await once(endpoint, "listening");
    const { port } = endpoint.address() as AddressInfo;
    await fetch(`http://127.0.0.1:${port}/hook`, { method: "POST", body, headers: signed() });
    const { responseId } = await verifyWebhook({ ...(await received.promise), secret });
    const agent = new Agent({ model: "test", client: stand.client, background: { ...soon, attach: responseId } });
    await expect(ends(agent.run("Write it."))).resolves.toMatchObject({ output: "The report." });
    expect(stand.server.requests).toHaveLength(1);
  } finally {
    endpoint.close();
    endpoint.closeAllConnections();
  }
});
