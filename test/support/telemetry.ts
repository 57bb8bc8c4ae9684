import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Middleware } from "@toolwright/core";
import { tracing, type TracingOptions } from "@toolwright/core/middleware";
import { type CollectedSpan, type Collector, startCollector } from "./otlp-collector.js";

/** Lets contexts follow asynchronous work, in the whole process, until `context.disable()`. */
export function followContexts(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
}

/** A collector, and providers that export to it. */
export async function telemetry() {
  const collector = await startCollector();
  const tracerProvider = new TracerProvider({
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${collector.url}/v1/traces` }) })],
  });
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: `${collector.url}/v1/metrics` }),
    exportIntervalMillis: 3_600_000,
  });
  const meterProvider = new MeterProvider({ readers: [reader] });
  return {
    collector,
    tracerProvider,
    meterProvider,
    async flush(): Promise<Collector> {
      await tracerProvider.forceFlush();
      await meterProvider.forceFlush();
      return collector;
    },
    async [Symbol.asyncDispose]() {
      await tracerProvider.shutdown();
      await meterProvider.shutdown();
      await collector[Symbol.asyncDispose]();
    },
  };
}

export type Telemetry = Awaited<ReturnType<typeof telemetry>>;

/** The middleware, with these providers. */
export const traced = (to: Telemetry, options: TracingOptions = {}): Middleware =>
  tracing({ tracerProvider: to.tracerProvider, meterProvider: to.meterProvider, ...options });

/** The spans as a tree: each name with its children's, by the time that they began. */
export function tree(spans: readonly CollectedSpan[], parent = ""): readonly unknown[] {
  return spans
    .filter((span) => span.parentSpanId === parent)
    .toSorted((one, other) => Number(one.startNano - other.startNano))
    .map((span) => {
      const inner = tree(spans, span.spanId);
      return inner.length === 0 ? span.name : [span.name, ...inner];
    });
}

/** The first span of a name. */
export const named = (spans: readonly CollectedSpan[], name: string): CollectedSpan => {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`No span ${name}: ${spans.map((span) => span.name).join(", ")}`);
  return found;
};
