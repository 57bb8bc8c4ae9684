import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { OpenMeteoWeather, WeatherTools } from "@toolwright/tools-weather";
import { describe, expect, it } from "vitest";
import { serve } from "../support/serve.js";

interface Listening extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly string[];
}

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Listening> {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(request.url ?? "");
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What asking for the weather of a city comes to. */
async function ask(geocodingUrl: string, forecastUrl: string, city: string) {
  await using stand = await serve([reply.calls({ callId: "call_1", name: "get_weather", arguments: { city } }), reply.text("Done.")]);
  const tools = [new WeatherTools(new OpenMeteoWeather({ geocodingUrl, forecastUrl }))];
  const result = await new Agent({ model: "test", client: stand.client, tools }).run("Go.");
  return result.steps[0]?.calls[0]?.outcome;
}

const found = JSON.stringify({ results: [{ name: "Kazan", country: "Russia", latitude: 55.8, longitude: 49.1 }] });

describe("X09: the tool that fetches asks the addresses that it was configured with, and no other", () => {
  it("follows no redirect, to wherever it leads", async () => {
    await using inside = await listen((_, response) => response.end("{}"));
    for (const location of [
      `${inside.url}/latest/meta-data/`,
      "//127.0.0.1/",
      "file:///etc/hosts",
      "http://169.254.169.254/",
      "http://[::1]/",
    ]) {
      for (const status of [301, 302, 307, 308]) {
        await using outside = await listen((_, response) => response.writeHead(status, { location }).end());
        expect(await ask(outside.url, outside.url, "Kazan")).toMatchObject({ kind: "failed", error: { code: "WEATHER_UNREACHABLE" } });
        expect(outside.requests).toHaveLength(1);
      }
    }
    expect(inside.requests).toEqual([]);
  });

  it.each([
    "http://127.0.0.1/",
    "//169.254.169.254/latest",
    "../../../etc/hosts",
    "Kazan&latitude=1#@evil.test",
    "Kazan?host=evil.test",
    "Kazan%2F..%2Fadmin",
    "Kazan\r\nHost: evil.test",
  ])("what the model writes is one value of one key: %j", async (city) => {
    await using inside = await listen((_, response) => response.end("{}"));
    await using outside = await listen((_, response) => response.end(found));
    await ask(outside.url, inside.url, city);
    const asked = new URL(outside.requests[0] ?? "", outside.url);
    expect(asked.pathname).toBe("/v1/search");
    expect(asked.searchParams.getAll("name")).toEqual([city.trim()]);
    expect(asked.hash).toBe("");
    for (const path of inside.requests) expect(new URL(path, inside.url).pathname).toBe("/v1/forecast");
  });

  it("ends at a size and a time, so that no answer fills the memory or holds the call", async () => {
    await using endless = await listen((_, response) => {
      const chunk = Buffer.alloc(64 << 10, " ");
      const more = (): void => {
        if (!response.destroyed) response.write(chunk, () => setImmediate(more));
      };
      more();
    });
    expect(await ask(endless.url, endless.url, "Kazan")).toMatchObject({ kind: "failed", error: { code: "WEATHER_BAD_RESPONSE" } });
  });
});
