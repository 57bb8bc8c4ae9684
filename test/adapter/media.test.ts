import {
  Agent,
  content,
  type ContentPart,
  customTool,
  defineTool,
  file,
  image,
  type ImagePart,
  type InputMessage,
  type OutputPart,
  type ToolContent,
  userMessage,
} from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, expectTypeOf, it } from "vitest";
import { inputOf, serve } from "../support/serve.js";
import { ends } from "../support/wait.js";
import { failureOf, runIn, ways, waysAndHistories } from "../support/ways.js";

const bytesOf = (start: readonly number[]): Uint8Array => Uint8Array.from([...start, ...Array.from({ length: 20 }, (_, index) => index)]);
const png = bytesOf([0x89, 0x50, 0x4e, 0x47]);
const jpeg = bytesOf([0xff, 0xd8, 0xff]);
const gif = Buffer.from("GIF89a and more");
const webp = Buffer.from("RIFF1234WEBP and more");
const pdf = Buffer.from("%PDF-1.7 and more");
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const addressOf = (type: string, bytes: Uint8Array): string => `data:${type};base64,${base64(bytes)}`;

const partsOf = (message: InputMessage): readonly ContentPart[] => message.content as readonly ContentPart[];

describe.each(waysAndHistories)("a message with images and files ($way, $kind)", ({ way, history }) => {
  it("is taken by the API, and again in the next run", async () => {
    await using stand = await serve([reply.text("A cat."), reply.text("Yes.")]);
    const agent = new Agent({ model: "test", client: stand.client, history });
    const message = userMessage(
      "What is this?",
      image({ data: png, detail: "low" }),
      image("https://example.com/cat.png"),
      image({ fileId: "file_1", detail: "original" }),
      file({ data: pdf, filename: "report.pdf" }),
      file("https://example.com/report.pdf"),
      file({ fileId: "file_2" }),
      "Be brief.",
    );
    const result = await ends(runIn(way, agent, [message]));
    const sent = inputOf(stand.server.request(0));
    expect(sent).toEqual([
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "What is this?" },
          { type: "input_image", image_url: addressOf("image/png", png), detail: "low" },
          { type: "input_image", image_url: "https://example.com/cat.png" },
          { type: "input_image", file_id: "file_1", detail: "original" },
          { type: "input_file", filename: "report.pdf", file_data: addressOf("application/pdf", pdf) },
          { type: "input_file", file_url: "https://example.com/report.pdf" },
          { type: "input_file", file_id: "file_2" },
          { type: "input_text", text: "Be brief." },
        ],
      },
    ]);
    await ends(runIn(way, agent, "Sure?", { history: result.history }));
    if (history.kind === "local") expect(inputOf(stand.server.request(1))[0]).toEqual(sent[0]);
    stand.server.assertDone();
  });

  it("has its like in what a tool gives", async () => {
    await using stand = await serve([reply.calls({ callId: "call_1", name: "draw" }), reply.text("Nice."), reply.text("Yes.")]);
    const draw = defineTool({
      name: "draw",
      description: "Draws.",
      effect: "read",
      parameters: { type: "object", properties: {} },
      execute: () =>
        content([{ type: "text", text: "The chart:" }, image({ data: jpeg }), file({ data: Buffer.from("a,b"), filename: "x.csv" })]),
    });
    const agent = new Agent({ model: "test", client: stand.client, history, tools: [draw] });
    const result = await ends(runIn(way, agent, "Draw."));
    const output = inputOf(stand.server.request(1)).at(-1)?.["output"] as readonly ContentPart[];
    expect(output).toEqual([
      { type: "input_text", text: "The chart:" },
      { type: "input_image", image_url: addressOf("image/jpeg", jpeg) },
      { type: "input_file", filename: "x.csv", file_data: addressOf("text/csv", Buffer.from("a,b")) },
    ]);
    await ends(runIn(way, agent, "Sure?", { history: result.history }));
    stand.server.assertDone();
  });
});

describe("bytes", () => {
  it.each<readonly [string, Uint8Array, string]>([
    ["PNG", png, "image/png"],
    ["JPEG", jpeg, "image/jpeg"],
    ["GIF", gif, "image/gif"],
    ["WEBP", webp, "image/webp"],
  ])("of an image tell its type: %s", (_, bytes, type) => {
    const expected = [{ type: "input_image", image_url: addressOf(type, bytes) }];
    expect(partsOf(userMessage(image({ data: bytes })))).toEqual(expected);
    expect(partsOf(userMessage(image({ data: base64(bytes) })))).toEqual(expected);
    expect(partsOf(userMessage(image({ data: addressOf(type, bytes) })))).toEqual(expected);
    expect(partsOf(userMessage(image(addressOf(type, bytes))))).toEqual(expected);
  });

  it("are taken in any form, also a part of a larger buffer", () => {
    const expected = addressOf("image/png", png);
    const padded = Buffer.concat([Buffer.alloc(7), Buffer.from(png), Buffer.alloc(5)]);
    for (const data of [png, Buffer.from(png), png.slice().buffer as ArrayBuffer, padded.subarray(7, 7 + png.length)]) {
      expect(partsOf(userMessage(image({ data })))).toMatchObject([{ image_url: expected }]);
    }
    expect(partsOf(userMessage(image({ data: base64(png).replace(/.{8}/g, "$&\n") })))).toMatchObject([{ image_url: expected }]);
  });

  it.each<readonly [string | undefined, Uint8Array, string | undefined, string, string]>([
    ["notes.md", Buffer.from("# Notes"), undefined, "text/markdown", "notes.md"],
    ["table.XLSX", Buffer.from("PK"), undefined, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "table.XLSX"],
    ["report", pdf, undefined, "application/pdf", "report"],
    [undefined, pdf, undefined, "application/pdf", "file.pdf"],
    [undefined, Buffer.from("{}"), "Application/JSON", "application/json", "file.json"],
    ["main.rs", Buffer.from("fn main"), "text/x-rust", "text/x-rust", "main.rs"],
  ])("of a file tell its type, or its name does: %s", (filename, data, mediaType, type, name) => {
    expect(partsOf(userMessage(file({ data, filename, mediaType })))).toEqual([
      { type: "input_file", filename: name, file_data: addressOf(type, data) },
    ]);
  });

  it("of a Blob are read: the message, and the tool's result, are promises then", async () => {
    const blob = new Blob([Buffer.from(png)], { type: "image/png" });
    const upload = new File([pdf], "report.pdf", { type: "application/pdf" });
    const promised = userMessage("See", image({ data: blob }), file({ data: upload }));
    expectTypeOf(promised).toEqualTypeOf<Promise<InputMessage>>();
    expectTypeOf(userMessage("See", image({ data: png }))).toEqualTypeOf<InputMessage>();
    expectTypeOf(image({ data: png })).toEqualTypeOf<ImagePart>();
    expect(partsOf(await promised)).toEqual([
      { type: "input_text", text: "See" },
      { type: "input_image", image_url: addressOf("image/png", png) },
      { type: "input_file", filename: "report.pdf", file_data: addressOf("application/pdf", pdf) },
    ]);
    const result = content([image({ data: blob })]);
    expectTypeOf(result).toEqualTypeOf<Promise<ToolContent>>();
    await using stand = await serve([
      reply.items([{ type: "custom_tool_call", id: "ctc_1", call_id: "call_1", name: "shot", input: "" }]),
      reply.text("Nice."),
    ]);
    const shot = customTool({
      name: "shot",
      description: "Takes a picture.",
      effect: "read",
      execute: () => content([image({ data: blob })]),
    });
    await ends(new Agent({ model: "test", client: stand.client, tools: [shot] }).run("Go."));
    expect(inputOf(stand.server.request(1)).at(-1)).toEqual({
      type: "custom_tool_call_output",
      call_id: "call_1",
      output: [{ type: "input_image", image_url: addressOf("image/png", png) }],
    });
  });
});

const large = 50 * 1024 * 1024 + 1;

describe("what the API would not take", () => {
  const cases: readonly (readonly [name: string, part: OutputPart, message: RegExp])[] = [
    ["an image that is too large", image({ data: Buffer.concat([png], large) }), /has 50\.0 MiB, and the API takes 50/],
    ["a text that is too large", file({ data: "A".repeat(large * 1.4), filename: "a.txt" }), /MiB, and the API takes 50/],
    ["an empty file", file({ data: new Uint8Array(), filename: "a.txt" }), /is empty/],
    ["an image of another type", image({ data: pdf }), /is of the type application\/pdf, and the API takes PNG, JPEG, WEBP and GIF/],
    ["an image of a declared type", image({ data: png, mediaType: "image/tiff" }), /is of the type image\/tiff/],
    ["bytes of no known type", file({ data: Buffer.from("???") }), /has a media type that its bytes and its name do not tell/],
    ["a media type that is none", file({ data: Buffer.from("???"), mediaType: "csv" }), /has the `mediaType` "csv"/],
    ["a path in place of an address", image("./cat.png"), /has a `url` that is no address on the web/],
    ["a path in place of data", image({ data: "./cat.png" }), /has `data` that is a text, but not base64/],
    ["an address that is not base64", file("data:text/plain,hello"), /has a `data:` address without a media type or base64/],
    ["data that is none", image({ data: 7 as never }), /has `data` that is none/],
  ];

  it.each(cases)("is said before a request: %s", (_, part, message) => {
    const make = () => userMessage("See", part);
    expect(make).toThrow(
      expect.objectContaining({ code: "RUN_OPTIONS", message: expect.stringMatching(/^Part 2 of the message .*\nFix: /s) }),
    );
    expect(make).toThrow(message);
  });

  it("is said to the model when a tool gives it, and its siblings are kept", async () => {
    await using stand = await serve([reply.calls({ callId: "call_1", name: "look" }), reply.text("Well."), reply.text("Yes.")]);
    const look = defineTool({
      name: "look",
      description: "Looks.",
      effect: "read",
      parameters: { type: "object", properties: {} },
      execute: () => content([...cases.map(([, part]) => part), image({ data: png })]),
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: [look] });
    const result = await ends(agent.run("Look."));
    const output = inputOf(stand.server.request(1)).at(-1)?.["output"] as readonly ContentPart[];
    expect(output).toHaveLength(cases.length + 1);
    for (const [index, [, part, message]] of cases.entries()) {
      expect(output[index]).toMatchObject({
        type: "input_text",
        text: expect.stringMatching(new RegExp(`^\\[This ${part.type} cannot be shown: it `)),
      });
      expect(output[index]).toMatchObject({ text: expect.stringMatching(message) });
    }
    expect(output.at(-1)).toMatchObject({ type: "input_image" });
    await ends(agent.run("Sure?", { history: result.history }));
    stand.server.assertDone();
  });

  it("files that are too large together", () => {
    const half = Buffer.concat([pdf], 30 * 1024 * 1024);
    expect(() => userMessage(file({ data: half }), file({ data: half }))).toThrow(/have 60\.0 MiB together, and the API takes 50/);
  });

  it.each<readonly [string, readonly unknown[], RegExp]>([
    ["nothing", [], /was given nothing/],
    ["a promise", [Promise.resolve("x")], /Part 1 of the message is a promise/],
    ["a number", ["a", 7], /Part 2 of the message is no text, image or file/],
    ["no source", [image({} as never)], /with one source/],
    ["two sources", [image({ url: "https://example.com", fileId: "file_1" } as never)], /with one source/],
  ])("a message of %s", (_, parts, message) => {
    expect(() => userMessage(...(parts as readonly string[]))).toThrow(message);
  });

  it("outputs longer than the API takes are no option", () => {
    expect(() => new Agent({ model: "test", maxOutputChars: 10_485_761 })).toThrow(/`maxOutputChars` is 10485761/);
    new Agent({ model: "test", maxOutputChars: 10_485_760 });
  });

  it.each(ways)("images in outputs, of a provider that has none, are refused before they are sent (%s)", async (way) => {
    await using stand = await serve([reply.calls({ callId: "call_1", name: "look" })]);
    const look = defineTool({
      name: "look",
      description: "Looks.",
      effect: "read",
      parameters: { type: "object", properties: {} },
      execute: () => content([image({ data: png })]),
    });
    const agent = new Agent({ model: "test", client: stand.client, provider: "llamacpp", tools: [look] });
    const error = await failureOf(ends(runIn(way, agent, "Look.")));
    expect(error).toMatchObject({ code: "MODEL_UNSUPPORTED", details: { provider: "llamacpp" } });
    expect(stand.server.requests).toHaveLength(1);
    // In a history of elsewhere, those of custom tools too.
    const output = [{ type: "input_image", image_url: addressOf("image/png", png) }];
    const items = [
      { type: "custom_tool_call", call_id: "call_2", name: "look", input: "" },
      { type: "custom_tool_call_output", call_id: "call_2", output },
    ];
    const later = await failureOf(ends(runIn(way, agent, "And?", { history: { kind: "local", items } })));
    expect(later).toMatchObject({ code: "MODEL_UNSUPPORTED" });
  });
});
