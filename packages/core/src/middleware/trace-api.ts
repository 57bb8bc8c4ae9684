import { ToolwrightError } from "../errors/toolwright-error.js";

// The parts of `@opentelemetry/api` that are used, by their form: the package is an optional peer, and any version of its
// first major fits.

/** A context that carries the active span. Opaque. */
export interface TraceContext {
  getValue(key: symbol): unknown;
}

/** What names a span in other processes and later. */
export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

export type AttributeValue = string | number | boolean | readonly string[];
export interface Attributes {
  readonly [name: string]: AttributeValue | undefined;
}

export interface TraceSpan {
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  spanContext(): SpanContext;
  isRecording(): boolean;
  end(): void;
}

export interface SpanOptions {
  readonly kind: number;
  readonly attributes: Attributes;
  readonly links?: readonly { readonly context: SpanContext }[];
}

export interface Tracer {
  startSpan(name: string, options: SpanOptions, context: TraceContext): TraceSpan;
}

export interface Histogram {
  record(value: number, attributes: Attributes, context: TraceContext): void;
}

export interface Meter {
  createHistogram(name: string, options: { readonly description: string; readonly unit: string; readonly advice: object }): Histogram;
}

/** What `tracerProvider` must have. */
export interface TracerProviderLike {
  getTracer(name: string): object;
}

/** What `meterProvider` must have. */
export interface MeterProviderLike {
  getMeter(name: string): object;
}

/** The package. */
export interface TraceApi {
  readonly context: {
    active(): TraceContext;
    with<T>(context: TraceContext, run: () => T): T;
  };
  readonly trace: {
    getTracer(name: string): Tracer;
    getSpan(context: TraceContext): TraceSpan | undefined;
    setSpan(context: TraceContext, span: TraceSpan): TraceContext;
  };
  readonly metrics: { getMeter(name: string): Meter };
}

/** Values of the enums `SpanKind` and `SpanStatusCode`. */
export const spanKinds = { internal: 0, client: 2 } as const;
export const errorStatus = 2;

let loading: Promise<TraceApi> | undefined;

/**
 * Loads the package, once, when the first run is traced.
 *
 * @throws ToolwrightError `RUN_MISSING_PACKAGE` with the install line when it is missing.
 */
export function loadTraceApi(): Promise<TraceApi> {
  loading ??= load().catch((error: unknown) => {
    // It may be installed later.
    loading = undefined;
    throw error;
  });
  return loading;
}

// In a variable: neither the compiler nor a bundler has to find a package that most applications do without.
const packageName = "@opentelemetry/api";

async function load(): Promise<TraceApi> {
  try {
    return (await import(/* webpackIgnore: true */ /* @vite-ignore */ packageName)) as TraceApi;
  } catch (error) {
    throw new ToolwrightError("RUN_MISSING_PACKAGE", `tracing() needs the package ${packageName}, which cannot be loaded.`, {
      fix: `Run \`npm install ${packageName}\`.`,
      cause: error,
    });
  }
}
