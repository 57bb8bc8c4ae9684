import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

/** A span as a collector gets it. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  /** 1 internal, 3 client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 2 for an error. */
  readonly status: { readonly code?: number | undefined; readonly message?: string | undefined };
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly startNano: bigint;
  readonly endNano: bigint;
}

/** A point of a histogram. */
export interface CollectedPoint {
  readonly metric: string;
  readonly unit: string;
  readonly count: number;
  readonly sum: number;
  readonly bounds: readonly number[];
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A collector that speaks OTLP in JSON, over HTTP. */
export interface Collector extends AsyncDisposable {
  readonly url: string;
  /** In the order in which they came. */
  readonly spans: readonly CollectedSpan[];
  readonly points: readonly CollectedPoint[];
  /** All that came, as it came. */
  readonly text: string;
}

type Json = Record<string, unknown>;
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** Starts a collector on 127.0.0.1; close it with `await using`. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const points: CollectedPoint[] = [];
  let text = "";
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const whole = Buffer.concat(chunks);
      const body = (request.headers["content-encoding"] === "gzip" ? gunzipSync(whole) : whole).toString("utf8");
      text += `${body}\n`;
      const json = JSON.parse(body) as Json;
      for (const resource of list(json["resourceSpans"]))
        for (const scope of list(resource["scopeSpans"])) spans.push(...list(scope["spans"]).map(readSpan));
      for (const resource of list(json["resourceMetrics"]))
        for (const scope of list(resource["scopeMetrics"])) points.push(...list(scope["metrics"]).flatMap(readPoints));
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    points,
    get text() {
      return text;
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function readSpan(span: Json): CollectedSpan {
  return {
    traceId: String(span["traceId"]),
    spanId: String(span["spanId"]),
    parentSpanId: String(span["parentSpanId"] ?? ""),
    name: String(span["name"]),
    kind: Number(span["kind"]),
    attributes: readAttributes(span["attributes"]),
    status: (span["status"] ?? {}) as CollectedSpan["status"],
    links: list(span["links"]).map((link) => ({ traceId: String(link["traceId"]), spanId: String(link["spanId"]) })),
    startNano: BigInt(String(span["startTimeUnixNano"])),
    endNano: BigInt(String(span["endTimeUnixNano"])),
  };
}

function readPoints(metric: Json): readonly CollectedPoint[] {
  const { dataPoints } = (metric["histogram"] ?? {}) as Json;
  return list(dataPoints).map((point) => ({
    metric: String(metric["name"]),
    unit: String(metric["unit"]),
    count: Number(point["count"]),
    sum: Number(point["sum"]),
    bounds: (point["explicitBounds"] ?? []) as readonly number[],
    attributes: readAttributes(point["attributes"]),
  }));
}

function readAttributes(attributes: unknown): Record<string, unknown> {
  return Object.fromEntries(list(attributes).map(({ key, value }) => [String(key), readValue(value as Json)]));
}

function readValue(value: Json): unknown {
  if ("intValue" in value) return Number(value["intValue"]);
  if ("arrayValue" in value) return list((value["arrayValue"] as Json)["values"]).map(readValue);
  return Object.values(value)[0];
}
