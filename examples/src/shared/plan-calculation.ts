import { call, has, type Plan, type PlannedCall, type PlannerRequest, resultOf, text } from "./plan.js";
import type { Intent } from "./read-question.js";
import { conversionCall, plain } from "./temperature.js";

/** Asks the calculator, then says what it said. */
export function planCalculation(request: PlannerRequest, intent: Extract<Intent, { kind: "sum" | "conversion" }>): Plan {
  if (intent.kind === "sum") {
    return answered(request, call(request, "calculate", { expression: intent.expression }), (value) => `${intent.expression} = ${value}.`);
  }
  const asked = Number(intent.value);
  if (intent.from === intent.to) return text(`${plain(asked)} °${intent.from} is ${plain(asked)} °${intent.to}.`);
  return answered(
    request,
    conversionCall(request, intent.value, intent.to),
    (value) => `${plain(asked)} °${intent.from} is ${value} °${intent.to}.`,
  );
}

function answered(request: PlannerRequest, planned: PlannedCall, sentence: (value: string) => string): Plan {
  const result = resultOf(request, planned);
  switch (result.kind) {
    case "missing":
      if (!has(request, planned.name)) return text(`I can't calculate that: there is no tool ${planned.name} to call.`);
      return { kind: "calls", calls: [planned] };
    case "failure":
      return text(`That could not be calculated: ${result.message}`);
    case "value":
      return text(sentence(typeof result.value === "number" ? plain(result.value) : String(result.value)));
  }
}
