import type { ContentPart } from "../contracts/item.js";
import { checkImageType, dataAddress, type MediaData, nameFor, PartProblem } from "./history-media.js";

/** Exactly one of these says where it comes from. */
type OneSource<Data> =
  | { readonly url: string; readonly fileId?: undefined; readonly data?: undefined }
  | { readonly fileId: string; readonly url?: undefined; readonly data?: undefined }
  | { readonly data: Data; readonly url?: undefined; readonly fileId?: undefined };

interface ImageFields {
  /** How closely it is looked at. Default: as the API decides. */
  readonly detail?: "low" | "high" | "auto" | "original" | undefined;
  /** Of `data`, such as `"image/png"`. Default: as its first bytes tell. */
  readonly mediaType?: string | undefined;
}

interface FileFields {
  /** What it is called, such as `"report.pdf"`. The API tells the kind of a file by it, too. */
  readonly filename?: string | undefined;
  /** Of `data`, such as `"application/pdf"`. Default: as its first bytes or its name tell. */
  readonly mediaType?: string | undefined;
  readonly detail?: "low" | "high" | "auto" | undefined;
}

/** Where an image comes from: `url` (http, https or `data:`), `fileId` of an uploaded file, or `data`. */
export type ImageSource<Data = MediaData> = ImageFields & OneSource<Data>;
/** Where a file comes from: `url`, `fileId` of an uploaded file, or `data`. */
export type FileSource<Data = MediaData> = FileFields & OneSource<Data>;

/** An image among texts. */
export type ImagePart<Data = MediaData> = { readonly type: "image" } & ImageSource<Data>;
/** A file among texts. */
export type FilePart<Data = MediaData> = { readonly type: "file" } & FileSource<Data>;
/** A part of a message or of a tool's output, in plain words. */
export type OutputPart<Data = MediaData> = { readonly type: "text"; readonly text: string } | ImagePart<Data> | FilePart<Data>;

/**
 * A part in the wire's form.
 *
 * @throws PartProblem for what the API would not take, TypeError for what is no part.
 */
export function wirePart(part: OutputPart): ContentPart {
  switch (part.type) {
    case "text":
      return { type: "input_text", text: part.text.toWellFormed() };
    case "image":
      return imagePart(part);
    case "file":
      return filePart(part);
    default:
      throw new TypeError("no part");
  }
}

function imagePart(part: ImagePart): ContentPart {
  const { fileId, detail } = part;
  const type = "input_image";
  const more = detail === undefined ? {} : { detail };
  assertOneSource(part);
  if (fileId !== undefined) return { type, file_id: fileId, ...more };
  const data = dataOf(part);
  if (data === undefined) return { type, image_url: checkedUrl(part.url as string), ...more };
  const { address, mediaType } = dataAddress(data, part);
  checkImageType(mediaType);
  return { type, image_url: address, ...more };
}

function filePart(part: FilePart): ContentPart {
  const { fileId, filename, detail } = part;
  const type = "input_file";
  const more = { ...(filename !== undefined && { filename }), ...(detail !== undefined && { detail }) };
  assertOneSource(part);
  if (fileId !== undefined) return { type, file_id: fileId, ...more };
  const data = dataOf(part);
  if (data === undefined) return { type, file_url: checkedUrl(part.url as string), ...more };
  const { address, mediaType } = dataAddress(data, part);
  return { type, file_data: address, filename: nameFor(mediaType), ...more };
}

// A `data:` address is data, whichever field it stands in.
const dataOf = ({ data, url }: ImagePart | FilePart): MediaData | undefined => (url?.startsWith("data:") === true ? url : data);

function assertOneSource({ url, fileId, data }: ImagePart | FilePart): void {
  const given = [url, fileId, data].filter((source) => source !== undefined);
  const isWrong = given.length !== 1 || (data === undefined && typeof given[0] !== "string") || given[0] === "" || given[0] === null;
  if (isWrong) throw new TypeError("a part without its one source");
}

function checkedUrl(url: string): string {
  if (/^https?:\/\//i.test(url)) return url;
  throw new PartProblem(
    "has a `url` that is no address on the web",
    "Write `data: await readFile(path)` for a file of this machine; a `url` begins with http:, https: or data:.",
  );
}

/** A part whose bytes have yet to be read. */
export type UnreadPart = OutputPart<Blob>;

/** Parts with the bytes of each Blob in its place; a promise only when there is one. */
export function withBytes(parts: readonly (OutputPart | UnreadPart)[]): readonly OutputPart[] | Promise<readonly OutputPart[]> {
  if (!parts.some(hasBlob)) return parts as readonly OutputPart[]; // none is a UnreadPart
  return Promise.all(parts.map(async (part) => (hasBlob(part) ? readBlob(part) : (part as OutputPart))));
}

type WithBlob = { readonly type: "image" | "file"; readonly data: Blob } & FileFields;

const hasBlob = (part: unknown): part is WithBlob => (part as { readonly data?: unknown } | null)?.data instanceof Blob;

// A File knows its name.
async function readBlob({ data, ...part }: WithBlob): Promise<OutputPart> {
  const { name } = data as { readonly name?: unknown };
  const mediaType = part.mediaType ?? (data.type === "" ? undefined : data.type.split(";")[0]);
  const filename = part.filename ?? (part.type === "file" && typeof name === "string" ? name : undefined);
  return { ...part, data: await data.arrayBuffer(), mediaType, ...(filename !== undefined && { filename }) } as OutputPart;
}
