import type { Middleware, RunInfo } from "../contracts/middleware.js";
import type { ModelResponse } from "../contracts/model.js";
import type { Usage } from "../contracts/usage.js";
import { RunStop } from "../errors/run-stop.js";
import { outcomeOutput } from "../run/history-outcome.js";
import { boolean, checkOptions, type OptionCheck } from "./options.js";
import {
  type Attributes,
  loadTraceApi,
  type Meter,
  type MeterProviderLike,
  spanKinds,
  type Tracer,
  type TracerProviderLike,
} from "./trace-api.js";
import { modelName, outcomeError, requestAttributes, responseAttributes, toolAttributes, usageAttributes } from "./trace-attributes.js";
import { requestContent, responseContent, shownArguments, shownOutput } from "./trace-content.js";
import { type TraceMetrics, traceMetrics } from "./trace-metrics.js";
import { RunSpans } from "./trace-spans.js";

/** Options of {@link tracing}. */
export interface TracingOptions {
  /** Where spans go. Default: the provider that the application has registered; without one, nowhere. */
  readonly tracerProvider?: TracerProviderLike | undefined;
  /** Where measurements go. Default: the provider that the application has registered; without one, nowhere. */
  readonly meterProvider?: MeterProviderLike | undefined;
  /** Writes instructions, messages, arguments and outputs into spans too. Default false: names, ids, sizes and times only. */
  readonly content?: boolean | undefined;
  /** Attributes of every span. `gen_ai.provider.name`, which is `"openai"` by default, goes to measurements as well. */
  readonly attributes?: { readonly [name: string]: string | number | boolean } | undefined;
}

interface Telemetry {
  readonly spans: RunSpans;
  readonly metrics: TraceMetrics;
}

/**
 * OpenTelemetry spans and metrics by the GenAI semantic conventions: `invoke_agent` for the run, a child of the caller's active
 * span; in it `chat` for each request and `execute_tool` for each call, which is the active span while the tool works, so that
 * spans of the tool are its children.
 *
 * Put it last for a span of each attempt; outside of `modelRetry` and `toolRetry`, all attempts share one span. It needs the
 * package `@opentelemetry/api`, and exports nothing by itself.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option; in the first run, when the package is missing.
 */
export function tracing(options: TracingOptions = {}): Middleware {
  checkOptions("tracing", options, {
    tracerProvider: providerWith("getTracer"),
    meterProvider: providerWith("getMeter"),
    content: boolean,
    attributes: attributeList,
  });
  const { content = false, attributes = {} } = options;
  const common: Attributes = { "gen_ai.provider.name": "openai", ...attributes };
  const provider: Attributes = { "gen_ai.provider.name": common["gen_ai.provider.name"] };
  // Every run begins with `wrapRun`, which makes its telemetry ready.
  const runs = new WeakMap<RunInfo, Telemetry>();
  const of = (run: RunInfo): Telemetry => runs.get(run) as Telemetry;

  return {
    name: "tracing",
    kind: "tracing",
    options: { content, attributes: Object.keys(attributes) },
    // The run's own span: kept when it pauses, so that the one that goes on can name it.
    state: () => ({ span: null }),

    async wrapRun(call, next, { run, state }) {
      if (!runs.has(run)) runs.set(run, await telemetry(options, common));
      const { spans, metrics } = of(run);
      const own = { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": run.agent, "gen_ai.request.model": run.model };
      const plan = {
        name: run.agent === undefined ? "invoke_agent" : `invoke_agent ${run.agent}`,
        kind: spanKinds.internal,
        attributes: { ...own, "toolwright.run.id": run.id },
        goesOnFrom: state.span ?? undefined,
        ended: (...[seconds, type, context]: Ended) => metrics.run(seconds, { ...own, "error.type": type }, context),
      };
      const before = run.usage;
      return spans.run(plan, async (span) => {
        state.span = span.reference ?? null;
        try {
          const result = await next(call);
          span.set({ "toolwright.stop_reason": result.stopReason });
          return result;
        } catch (error) {
          if (RunStop.is(error)) span.set({ "toolwright.stop_reason": error.stopReason });
          throw error;
        } finally {
          span.set(usageAttributes(usageSince(run.usage, before)));
        }
      });
    },

    async wrapModelCall(call, next, { run }) {
      const { spans, metrics } = of(run);
      const model = modelName(call);
      const own = { "gen_ai.operation.name": "chat", "gen_ai.request.model": model };
      let answered: ModelResponse | undefined;
      const plan = {
        name: `chat ${model}`,
        kind: spanKinds.client,
        attributes: { ...own, ...requestAttributes(call.request), "toolwright.step": call.step },
        ended: (...[seconds, type, context]: Ended) => {
          metrics.request(seconds, { ...provider, ...own, "error.type": type }, context);
          if (answered !== undefined) metrics.tokens(answered.usage, { ...provider, ...own }, context);
        },
      };
      return spans.part(plan, async (span) => {
        const written = content && span.isRecording;
        if (written) span.set(requestContent(call.request));
        const response = (answered = await next(call));
        span.set({ ...responseAttributes(response), ...(written ? responseContent(response) : {}) });
        return response;
      });
    },

    async wrapToolCall(call, next, { run }) {
      const { spans, metrics } = of(run);
      const { "gen_ai.tool.call.id": callId, ...own } = toolAttributes(call);
      const plan = {
        name: call.tool === undefined ? "execute_tool" : `execute_tool ${call.name}`,
        kind: spanKinds.internal,
        attributes: { "gen_ai.operation.name": "execute_tool", ...own, "gen_ai.tool.call.id": callId, "toolwright.step": call.step },
        ended: (...[seconds, type, context]: Ended) =>
          metrics.tool(seconds, { ...own, "gen_ai.agent.name": run.agent, "error.type": type }, context),
      };
      return spans.part(plan, async (span) => {
        const written = content && span.isRecording;
        if (written) span.set({ "gen_ai.tool.call.arguments": shownArguments(call.arguments) });
        const outcome = await next(call);
        span.set({ "toolwright.outcome": outcome.kind });
        if (written && outcome.kind !== "interrupted") span.set({ "gen_ai.tool.call.result": shownOutput(outcomeOutput(outcome)) });
        span.fail(outcomeError(outcome));
        return outcome;
      });
    },
  } satisfies Middleware<TracingState>;
}

type Ended = Parameters<Parameters<RunSpans["run"]>[0]["ended"]>;

type TracingState = { readonly span: { readonly traceId: string; readonly spanId: string; readonly traceFlags: number } | null };

async function telemetry({ tracerProvider, meterProvider }: TracingOptions, common: Attributes): Promise<Telemetry> {
  const api = await loadTraceApi();
  const scope = "@toolwright/core";
  // What was given has the methods that the package's own types promise.
  const tracer = tracerProvider === undefined ? api.trace.getTracer(scope) : (tracerProvider.getTracer(scope) as Tracer);
  const meter = meterProvider === undefined ? api.metrics.getMeter(scope) : (meterProvider.getMeter(scope) as Meter);
  return { spans: new RunSpans(api, tracer, common), metrics: traceMetrics(meter) };
}

function usageSince(now: Usage, before: Usage): Usage {
  return Object.fromEntries(Object.entries(now).map(([name, value]) => [name, value - before[name as keyof Usage]])) as unknown as Usage;
}

const providerWith =
  (method: string): OptionCheck =>
  (value) =>
    typeof (value as { readonly [name: string]: unknown } | null)?.[method] === "function"
      ? undefined
      : `a provider with the method ${method}`;

const attributeList: OptionCheck = (value) =>
  typeof value === "object" && value !== null && Object.values(value).every((each) => ["string", "number", "boolean"].includes(typeof each))
    ? undefined
    : "an object of texts, numbers and booleans";
