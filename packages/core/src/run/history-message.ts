import type { InputMessage } from "../contracts/item.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { mostBytes, PartProblem } from "./history-media.js";
import {
  type UnreadPart,
  type FilePart,
  type FileSource,
  type ImagePart,
  type ImageSource,
  type OutputPart,
  wirePart,
  withBytes,
} from "./history-parts.js";

/**
 * An image for a message or for a tool's output.
 *
 * @example image("https://example.com/chart.png");
 * @example image({ data: await readFile("chart.png"), detail: "low" });
 */
export function image(source: string | ImageSource): ImagePart;
export function image(source: ImageSource<Blob>): ImagePart<Blob>;
export function image(source: string | ImageSource | ImageSource<Blob>): ImagePart | ImagePart<Blob> {
  return { type: "image", ...(typeof source === "string" ? { url: source } : source) } as ImagePart;
}

/**
 * A file for a message or for a tool's output.
 *
 * @example file({ data: await readFile("report.pdf"), filename: "report.pdf" });
 */
export function file(source: string | FileSource): FilePart;
export function file(source: FileSource<Blob>): FilePart<Blob>;
export function file(source: string | FileSource | FileSource<Blob>): FilePart | FilePart<Blob> {
  return { type: "file", ...(typeof source === "string" ? { url: source } : source) } as FilePart;
}

/**
 * A user's message of texts, images and files. With the bytes of a Blob, which have yet to be read, it is a promise.
 *
 * @example await agent.run([userMessage("What is this?", image({ data: await readFile("photo.jpg") }))]);
 * @throws ToolwrightError `RUN_OPTIONS` for a part that the API would not take, such as one that is too large.
 */
export function userMessage(...parts: readonly (string | OutputPart)[]): InputMessage;
export function userMessage(...parts: readonly (string | OutputPart | UnreadPart)[]): Promise<InputMessage>;
export function userMessage(...parts: readonly (string | OutputPart | UnreadPart)[]): InputMessage | Promise<InputMessage> {
  const whole = withBytes(parts.map((part) => (typeof part === "string" ? { type: "text", text: part } : part)));
  return whole instanceof Promise ? whole.then(messageOf) : messageOf(whole);
}

function messageOf(parts: readonly OutputPart[]): InputMessage {
  if (parts.length === 0) throw wrong("`userMessage` was given nothing.", "Pass texts, and what `image()` and `file()` give.");
  const content = parts.map((part, index) => {
    try {
      return wirePart(part);
    } catch (error) {
      const place = `Part ${index + 1} of the message`;
      if (error instanceof PartProblem) throw wrong(`${place} ${error.message}.`, error.fix);
      throw wrong(
        `${place} is ${part instanceof Promise ? "a promise" : "no text, image or file with one source"}.`,
        "Pass texts, and what `image()` and `file()` give, with one of `url`, `fileId` and `data`.",
      );
    }
  });
  const bytes = content.reduce((sum, part) => sum + ("file_data" in part ? ((part.file_data?.length ?? 0) * 3) / 4 : 0), 0);
  if (bytes > mostBytes + 1024)
    throw wrong(
      `The files of the message have ${(bytes / 1024 / 1024).toFixed(1)} MiB together, and the API takes ${mostBytes / 1024 / 1024}.`,
      "Upload them and pass their `fileId`.",
    );
  return { type: "message", role: "user", content };
}

const wrong = (message: string, fix: string): ToolwrightError => new ToolwrightError("RUN_OPTIONS", message, { fix });
