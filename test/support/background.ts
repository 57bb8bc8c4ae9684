import { Agent, type AgentOptions, type BackgroundOptions } from "@toolwright/core";
import type { Stand } from "./serve.js";

/** Looks that follow each other at once, as far as a test can tell. */
export const soon = { pollMs: 5, maxPollMs: 20 } as const;

/** An agent whose responses are made in the background. */
export const backgroundAgent = (stand: Stand, background: boolean | BackgroundOptions = soon, more: Partial<AgentOptions> = {}): Agent =>
  new Agent<unknown>({ model: "test", client: stand.client, background, ...more });

/** Requests about a response, as method and path without its id. */
export const requestsAbout = ({ server }: Stand): readonly string[] =>
  server.otherRequests.map(
    ({ method, path }) =>
      `${method} ${decodeURIComponent(path)
        .replace(/resp_\w+/, "{id}")
        .replace("/v1/responses/", "")}`,
  );

/** How often a response was cancelled. */
export const cancelsOf = ({ server }: Stand): number => server.otherRequests.filter(({ path }) => path.endsWith("/cancel")).length;

/** The text that events tell. */
export const textOf = (events: readonly { readonly type: string; readonly text?: string }[]): string =>
  events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
