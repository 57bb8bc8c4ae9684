import { type Plan, type PlannerRequest, text } from "./plan.js";
import { planCalculation } from "./plan-calculation.js";
import { planCancellation, planDelivery, planStock } from "./plan-orders.js";
import { planWeather } from "./plan-weather.js";
import { type Intent, readQuestion } from "./read-question.js";

/**
 * Stands in for a model where there is no API key, so that the examples run offline.
 *
 * It is no language model: a handful of patterns recognise questions about weather, temperatures, sums, orders and stock,
 * in English. From the question, the tools it was sent and the outputs so far, it works out the next reply: calls, or the
 * answer.
 */
export function planOffline(request: PlannerRequest): Plan {
  const plans = readQuestion(request.question).map((intent) => planFor(request, intent));
  if (plans.length === 0) return text("I can't answer that offline.");
  const calls = plans.flatMap((plan) => (plan.kind === "calls" ? plan.calls : []));
  // What one part of a question still needs, the answer to all of it waits for.
  if (calls.length > 0) return { kind: "calls", calls };
  return text(plans.flatMap((plan) => (plan.kind === "text" ? plan.text : [])).join("\n"));
}

function planFor(request: PlannerRequest, intent: Intent): Plan {
  switch (intent.kind) {
    case "weather":
    case "forecast":
      return planWeather(request, intent);
    case "sum":
    case "conversion":
      return planCalculation(request, intent);
    case "stock":
      return planStock(request, intent);
    case "delivery":
      return planDelivery(request, intent);
    case "cancellation":
      return planCancellation(request, intent);
  }
}
