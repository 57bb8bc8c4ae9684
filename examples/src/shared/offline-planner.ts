import { type Plan, text } from "./plan.js";
import { planCalculation } from "./plan-calculation.js";
import { planWeather } from "./plan-weather.js";
import { readQuestion } from "./read-question.js";
import { readRequest } from "./read-request.js";

/**
 * Stands in for a model where there is no API key, so that the examples run offline.
 *
 * It is no language model: a handful of patterns recognise questions about weather, temperatures and sums, in English.
 * From the question, the tools it was sent and the outputs so far, it works out the next reply: calls, or the answer.
 *
 * @param body - of a request to the Responses API.
 */
export function planOffline(body: unknown): Plan {
  const request = readRequest(body);
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
