import type { Usage } from "../contracts/usage.js";
import type { Attributes, Histogram, Meter, TraceContext } from "./trace-api.js";
import { defined } from "./trace-spans.js";

/** The four measurements of the conventions that a run has. Durations are in seconds. */
export interface TraceMetrics {
  /** A request to the model. */
  request(seconds: number, attributes: Attributes, context: TraceContext): void;
  tokens(usage: Omit<Usage, "requests">, attributes: Attributes, context: TraceContext): void;
  tool(seconds: number, attributes: Attributes, context: TraceContext): void;
  run(seconds: number, attributes: Attributes, context: TraceContext): void;
}

// Boundaries that the conventions name: doubling from 10 ms, from 100 ms, and fourfold from one token.
const fine = Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power);
const coarse = Array.from({ length: 13 }, (_, power) => 0.1 * 2 ** power);
const counts = Array.from({ length: 14 }, (_, power) => 4 ** power);

const made = new WeakMap<Meter, TraceMetrics>();

/** The instruments of a meter: made once, however many runs there are. */
export function traceMetrics(meter: Meter): TraceMetrics {
  let metrics = made.get(meter);
  if (metrics === undefined) made.set(meter, (metrics = makeMetrics(meter)));
  return metrics;
}

function makeMetrics(meter: Meter): TraceMetrics {
  const histogram = (name: string, unit: string, description: string, boundaries: readonly number[]): Histogram =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries: boundaries } });
  const requests = histogram("gen_ai.client.operation.duration", "s", "GenAI operation duration.", fine);
  const tokens = histogram("gen_ai.client.token.usage", "{token}", "Number of input and output tokens used.", counts);
  const tools = histogram("gen_ai.execute_tool.duration", "s", "Duration of a tool execution.", fine);
  const runs = histogram("gen_ai.invoke_agent.duration", "s", "Duration of an agent invocation.", coarse);
  return {
    request: (seconds, attributes, context) => requests.record(seconds, defined(attributes), context),
    tokens({ inputTokens, outputTokens }, attributes, context) {
      tokens.record(inputTokens, { ...defined(attributes), "gen_ai.token.type": "input" }, context);
      tokens.record(outputTokens, { ...defined(attributes), "gen_ai.token.type": "output" }, context);
    },
    tool: (seconds, attributes, context) => tools.record(seconds, defined(attributes), context),
    run: (seconds, attributes, context) => runs.record(seconds, defined(attributes), context),
  };
}
