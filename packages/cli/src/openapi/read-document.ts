import { existsSync, realpathSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolwrightError } from "@toolwright/core";
import { isObject, type JsonObject, textAt } from "./json.js";

/** A document, and what its validator remarked. */
export interface ReadDocument {
  readonly document: JsonObject;
  readonly warnings: readonly string[];
}

/** What is told of, and does not keep a document from being read: other operations may be well. */
const lenient = {
  "array-without-items": "warning",
  "duplicate-non-request-body-parameters": "warning",
  "duplicate-operation-id": "warning",
  "invalid-security-scheme-properties": "warning",
  "non-optional-path-parameters": "warning",
  "path-parameters-not-in-parameters": "warning",
  "path-parameters-not-in-path": "warning",
} as const;

/**
 * Reads an OpenAPI document, JSON or YAML, with the files below its folder that it refers to. Nothing is fetched.
 *
 * @throws ToolwrightError `BUILD_CONFIG` when it is not there, is no OpenAPI 3, is invalid, or refers to somewhere else.
 */
export async function readDocument(file: string): Promise<ReadDocument> {
  const { bundle, compileErrors, validate } = await import("@readme/openapi-parser");
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(file))
    throw wrong(`${file} is an address, and nothing is fetched.`, "Download the document, and name the file.");
  if (!existsSync(file)) throw wrong(`There is no ${file}.`, "Name the file of an OpenAPI document, JSON or YAML.");
  const path = realpathSync(file);
  await assertLocal(path, dirname(path), new Set());
  const document = await orWrong(bundle(path), `${file} cannot be read`);
  const version = textAt(document, "openapi");
  if (version === undefined || !/^3\.\d/.test(version))
    throw wrong(
      `${file} is no OpenAPI 3 document${textAt(document, "swagger") === undefined ? "" : " but one of Swagger 2"}.`,
      "Convert it to OpenAPI 3.0 or 3.1 first.",
    );
  const result = await orWrong(validate(path, { validate: { rules: { openapi: lenient } } }), `${file} cannot be read`);
  if (!result.valid) throw wrong(`${file} is no valid OpenAPI document.\n${compileErrors(result)}`, "Correct the document.");
  return { document: document as unknown as JsonObject, warnings: result.warnings.map(({ message }) => message) };
}

/** References must stay in the document's folder: a document is somebody's, and may name any file or address. */
async function assertLocal(file: string, folder: string, seen: Set<string>): Promise<void> {
  if (seen.has(file)) return;
  seen.add(file);
  const { parse } = await import("@readme/openapi-parser");
  const document: unknown = await orWrong(parse(file), `${relative(folder, file)} cannot be read`);
  for (const reference of referencesIn(document, new Set())) {
    const target = reference.split("#")[0] ?? "";
    if (target === "") continue;
    if (/^[a-z][a-z0-9+.-]+:/i.test(target) && !target.startsWith("file:"))
      throw wrong(`It refers to ${target}, and nothing is fetched.`, "Put that document beside this one, and refer to the file.");
    const path = target.startsWith("file:") ? fileURLToPath(target) : resolve(dirname(file), decodeURIComponent(target));
    if (!existsSync(path)) throw wrong(`It refers to ${target}, which is not there.`, "Put that file beside the document.");
    const real = realpathSync(path);
    if (!real.startsWith(folder + sep))
      throw wrong(`It refers to ${target}, which is outside of its folder.`, "Put that file beside the document.");
    await assertLocal(real, folder, seen);
  }
}

function* referencesIn(value: unknown, seen: Set<object>): Generator<string> {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  if (isObject(value) && typeof value["$ref"] === "string") yield value["$ref"];
  for (const each of Object.values(value)) yield* referencesIn(each, seen);
}

async function orWrong<T>(reading: Promise<T>, what: string): Promise<T> {
  try {
    return await reading;
  } catch (cause) {
    const [said = "it is neither JSON nor YAML"] = cause instanceof Error ? cause.message.split("\n") : [];
    throw new ToolwrightError("BUILD_CONFIG", `${what}: ${said}`, { cause, fix: "Correct the document." });
  }
}

const wrong = (message: string, fix: string): ToolwrightError => new ToolwrightError("BUILD_CONFIG", message, { fix });
