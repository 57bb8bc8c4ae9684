import {
  startResponsesServer,
  type RecordedRequest,
  type ResponsesServer,
  type ResponsesServerOptions,
  type Script,
} from "@toolwright/testing";
import { isFunctionCallOutput, type HistoryOption, type Item } from "@toolwright/core";
import OpenAI from "openai";

/** A stand-in server and an official client that talks to it. */
export interface Stand extends AsyncDisposable {
  readonly server: ResponsesServer;
  readonly client: OpenAI;
}

/** Starts a stand-in server; close it with `await using`. */
export async function serve(script: Script, options?: ResponsesServerOptions): Promise<Stand> {
  const server = await startResponsesServer(script, options);
  const client = new OpenAI({ baseURL: server.url, apiKey: "test" });
  return { server, client, [Symbol.asyncDispose]: () => server.close() };
}

/** What a request carried as `input`. */
export function inputOf(request: RecordedRequest): readonly Item[] {
  const { input } = request.body;
  if (!Array.isArray(input)) throw new Error("The request's input is no list of items.");
  return input as readonly Item[];
}

/** The outputs of calls among items, in their order: call id and text. */
export function outputsIn(items: readonly Item[]): readonly (readonly [callId: string, output: unknown])[] {
  return items.filter(isFunctionCallOutput).map((item) => [item.call_id, item.output] as const);
}

/** The error that the model reads, parsed from an output's text. */
export function errorIn(output: unknown): { readonly code: string; readonly message: string; readonly [key: string]: unknown } {
  return (JSON.parse(String(output)) as { error: { code: string; message: string } }).error;
}

/** The items of a history that the application keeps. */
export function localItems(history: HistoryOption): readonly Item[] {
  if (history.kind !== "local") throw new Error(`The history is ${history.kind}.`);
  return history.items ?? [];
}
