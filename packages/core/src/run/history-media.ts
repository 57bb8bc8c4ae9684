/** Bytes of an image or a file: as they are, or as text, base64 or a `data:` address. */
export type MediaData = Uint8Array | ArrayBuffer | string;

/** What of a part cannot be sent, as the end of a sentence, and what to do about it. */
export class PartProblem extends Error {
  override readonly name = "PartProblem";
  readonly fix: string;

  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}

/** What the API takes of one image or file, and of all files of one request together. */
export const mostBytes = 50 * 1024 * 1024;

/** Media types that the API reads images in. */
const imageTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

const byExtension: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
  pdf: "application/pdf",
  txt: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  html: "text/html",
  xml: "text/xml",
  json: "application/json",
  rtf: "application/rtf",
  doc: "application/msword",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  odt: "application/vnd.oasis.opendocument.text",
  ppt: "application/vnd.ms-powerpoint",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  xls: "application/vnd.ms-excel",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

const beginnings: readonly (readonly [type: string, bytes: RegExp])[] = [
  ["image/png", /^\x89PNG/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8/],
  ["image/webp", /^RIFF.{4}WEBP/s],
  ["application/pdf", /^%PDF/],
];

/** What is known of some data besides the data. */
export interface MediaHints {
  readonly mediaType?: string | undefined;
  readonly filename?: string | undefined;
}

/** Data as a `data:` address, which is how images and files travel inside a request. */
export interface DataAddress {
  readonly address: string;
  readonly mediaType: string;
}

/**
 * Writes data as an address.
 *
 * @throws PartProblem for what is too large, empty, of an unknown type, or no data.
 */
export function dataAddress(data: MediaData, hints: MediaHints): DataAddress {
  if (typeof data === "string") return data.startsWith("data:") ? checkedAddress(data) : fromBase64(data, hints);
  const bytes = data instanceof ArrayBuffer ? new Uint8Array(data) : data;
  if (!ArrayBuffer.isView(bytes)) throw new PartProblem("has `data` that is none", "Pass bytes, such as a Buffer, or base64 text.");
  const { buffer, byteOffset, byteLength } = bytes;
  checkSize(byteLength);
  const mediaType = typeOf(Buffer.from(buffer, byteOffset, Math.min(byteLength, 16)), hints);
  return { mediaType, address: `data:${mediaType};base64,${Buffer.from(buffer, byteOffset, byteLength).toString("base64")}` };
}

function fromBase64(text: string, hints: MediaHints): DataAddress {
  checkSize((text.length * 3) / 4);
  if (/[^A-Za-z0-9+/=\s]/.test(text))
    throw new PartProblem("has `data` that is a text, but not base64", "Pass bytes: `await readFile(path)` gives those of a file.");
  const mediaType = typeOf(Buffer.from(text.slice(0, 64), "base64"), hints);
  return { mediaType, address: `data:${mediaType};base64,${text.replace(/\s+/g, "")}` };
}

function checkedAddress(address: string): DataAddress {
  const mediaType = /^data:([a-z]+\/[\w.+-]+)(?:;[\w-]+=[^;,]*)*;base64,/i.exec(address)?.[1];
  if (mediaType === undefined)
    throw new PartProblem("has a `data:` address without a media type or base64", 'Write it as "data:image/png;base64,…".');
  checkSize(((address.length - address.indexOf(",") - 1) * 3) / 4);
  return { mediaType: mediaType.toLowerCase(), address };
}

function checkSize(bytes: number): void {
  if (bytes === 0) throw new PartProblem("is empty", "Pass bytes that were read.");
  if (bytes <= mostBytes) return;
  const size = `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
  throw new PartProblem(
    `has ${size}, and the API takes ${mostBytes / 1024 / 1024}`,
    "Make it smaller, or upload it and pass its `fileId`.",
  );
}

function typeOf(start: Buffer, { mediaType, filename }: MediaHints): string {
  if (mediaType !== undefined) {
    if (/^[a-z]+\/[\w.+-]+$/i.test(mediaType)) return mediaType.toLowerCase();
    throw new PartProblem(`has the \`mediaType\` ${JSON.stringify(mediaType)}`, 'Write it as "image/png".');
  }
  const text = start.toString("latin1");
  const extension = /\.([a-z0-9]+)$/i.exec(filename ?? "")?.[1]?.toLowerCase() ?? "";
  const known = beginnings.find(([, bytes]) => bytes.test(text))?.[0] ?? byExtension[extension];
  if (known !== undefined) return known;
  throw new PartProblem("has a media type that its bytes and its name do not tell", 'Pass `mediaType`, such as "text/plain".');
}

/** @throws PartProblem for a type that the API reads no images in. */
export function checkImageType(mediaType: string): void {
  if (imageTypes.has(mediaType)) return;
  throw new PartProblem(`is of the type ${mediaType}, and the API takes PNG, JPEG, WEBP and GIF`, "Convert it, or pass it as a file.");
}

/** A name for a file that has none: the API reads a file by what it is called, too. */
export function nameFor(mediaType: string): string {
  const extension = Object.entries(byExtension).find(([, type]) => type === mediaType)?.[0];
  return extension === undefined ? "file" : `file.${extension}`;
}
