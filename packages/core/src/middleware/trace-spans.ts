import { RunStop } from "../errors/run-stop.js";
import {
  type Attributes,
  errorStatus,
  type SpanContext,
  type TraceApi,
  type TraceContext,
  type Tracer,
  type TraceSpan,
} from "./trace-api.js";
import { errorType } from "./trace-attributes.js";

/** What a span is when it begins, and what is done at its end. */
export interface SpanPlan {
  readonly name: string;
  readonly kind: number;
  readonly attributes: Attributes;
  /** The span of a run that this one goes on with. */
  readonly goesOnFrom?: SpanContext | undefined;
  /** Told at its end, for what is counted. */
  ended(seconds: number, errorType: string | undefined, context: TraceContext): void;
}

/** A span while its work is done. */
export class OpenSpan {
  readonly #span: TraceSpan;
  #errorType: string | undefined;
  #ended = false;

  constructor(span: TraceSpan) {
    this.#span = span;
  }

  get isRecording(): boolean {
    return this.#span.isRecording();
  }

  /** What names it later; undefined for one that goes nowhere. */
  get reference(): SpanContext | undefined {
    const { traceId, spanId, traceFlags } = this.#span.spanContext();
    return /[1-9a-f]/.test(traceId) ? { traceId, spanId, traceFlags } : undefined;
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(defined(attributes));
  }

  /** The operation ended in an error of this type; undefined: it did not. */
  fail(type: string | undefined): void {
    this.#errorType = type;
  }

  end(): string | undefined {
    const type = this.#errorType;
    if (this.#ended) return type;
    this.#ended = true;
    if (type !== undefined) {
      this.set({ "error.type": type });
      // The message of an error may quote a prompt.
      this.#span.setStatus({ code: errorStatus, message: type });
    }
    this.#span.end();
    return type;
  }
}

/** The spans of one run. */
export class RunSpans {
  readonly #api: TraceApi;
  readonly #tracer: Tracer;
  readonly #common: Attributes;
  /** The context of the run's own span. */
  #runContext: TraceContext | undefined;
  readonly #open = new Set<OpenSpan>();

  constructor(api: TraceApi, tracer: Tracer, common: Attributes) {
    this.#api = api;
    this.#tracer = tracer;
    this.#common = common;
  }

  /** Works inside the span of the run; a child of the caller's active span. */
  async run<T>(plan: SpanPlan, work: (span: OpenSpan) => Promise<T>): Promise<T> {
    try {
      return await this.#inSpan(plan, this.#api.context.active(), work, (context) => (this.#runContext = context));
    } finally {
      // Layers that do not heed an abort are left behind, and nobody hears of their end.
      for (const span of this.#open) {
        span.fail("RUN_ABORTED");
        span.end();
      }
      this.#open.clear();
    }
  }

  /** Works inside a span of a part of the run. */
  async part<T>(plan: SpanPlan, work: (span: OpenSpan) => Promise<T>): Promise<T> {
    const active = this.#api.context.active();
    // Without a context manager nothing is ever active: the run's own span is the parent then.
    const parent = this.#api.trace.getSpan(active) === undefined ? (this.#runContext ?? active) : active;
    return this.#inSpan(plan, parent, work);
  }

  async #inSpan<T>(
    plan: SpanPlan,
    parent: TraceContext,
    work: (span: OpenSpan) => Promise<T>,
    entered?: (context: TraceContext) => void,
  ): Promise<T> {
    const { name, kind, attributes, goesOnFrom } = plan;
    const links = goesOnFrom === undefined ? {} : { links: [{ context: goesOnFrom }] };
    const span = this.#tracer.startSpan(name, { kind, attributes: defined({ ...attributes, ...this.#common }), ...links }, parent);
    const context = this.#api.trace.setSpan(parent, span);
    entered?.(context);
    const open = new OpenSpan(span);
    if (entered === undefined) this.#open.add(open);
    const startedAt = performance.now();
    try {
      // Whatever is begun in there, a tool's own spans too, has this span as its parent.
      return await this.#api.context.with(context, () => work(open));
    } catch (error) {
      // A budget that stops a run in order is no error.
      if (!RunStop.is(error)) open.fail(errorType(error));
      throw error;
    } finally {
      this.#open.delete(open);
      const type = open.end();
      plan.ended((performance.now() - startedAt) / 1_000, type, context);
    }
  }
}

/** Without what has no value. */
export function defined(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
