import { autoModel, type Planner, reply, startResponsesServer } from "@toolwright/testing";
import { OpenAI } from "openai";
import { planOffline } from "./offline-planner.js";

/** A client of the Responses API, and the model to ask for. Dispose of it at the end: `await using`. */
export interface ModelConnection extends AsyncDisposable {
  readonly client: OpenAI;
  readonly model: string;
}

/**
 * Connects to OpenAI, or to whatever OPENAI_BASE_URL names, when OPENAI_API_KEY is set; OPENAI_MODEL chooses the model
 * (default `gpt-5.4-mini`). Without a key it starts a stand-in on this machine, and says so in one line.
 *
 * @param standIn - the rules of the stand-in. Default: those of `planOffline`.
 */
export async function createClient(standIn: Planner = answerOffline): Promise<ModelConnection> {
  const apiKey = process.env["OPENAI_API_KEY"]?.trim();
  if (apiKey !== undefined && apiKey !== "") {
    return {
      client: new OpenAI({ apiKey }),
      model: process.env["OPENAI_MODEL"]?.trim() || "gpt-5.4-mini",
      async [Symbol.asyncDispose]() {},
    };
  }
  console.log("No OPENAI_API_KEY: using the stand-in model, a small rule-based planner (no language model).");
  const server = await startResponsesServer(autoModel(standIn));
  return {
    client: new OpenAI({ baseURL: server.url, apiKey: "stand-in" }),
    model: "stand-in",
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** The planner's next reply. */
export const answerOffline: Planner = (view) => {
  const plan = planOffline(view);
  return plan.kind === "text" ? reply.text(plan.text) : reply.calls(...plan.calls);
};
