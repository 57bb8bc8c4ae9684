import { type Plan, type PlannerRequest, text } from "./plan.js";
import { planCalculation } from "./plan-calculation.js";
import { planWeather } from "./plan-weather.js";
import { readQuestion } from "./read-question.js";

/**
 * Stands in for a model where there is no API key, so that the examples run offline.
 *
 * It is no language model: a handful of patterns recognise questions about weather, temperatures and sums, in English.
 * From the question, the tools it was sent and the outputs so far, it works out the next reply: calls, or the answer.
 */
export function planOffline(request: PlannerRequest): Plan {
  const intent = readQuestion(request.question);
  switch (intent.kind) {
    case "weather":
    case "forecast":
      return planWeather(request, intent);
    case "sum":
    case "conversion":
      return planCalculation(request, intent);
    case "unknown":
      return text("I can't answer that offline.");
  }
}
