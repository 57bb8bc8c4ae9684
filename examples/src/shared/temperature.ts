import { call, has, type PlannedCall, type PlannerRequest, resultOf } from "./plan.js";
import type { Scale } from "./read-question.js";

/** The call that converts a temperature: the planner leaves sums to the tool. */
export function conversionCall(request: PlannerRequest, value: string, to: Scale): PlannedCall {
  return call(request, "calculate", { expression: to === "F" ? `${value} * 9 / 5 + 32` : `(${value} - 32) * 5 / 9` });
}

/** Conversions to Fahrenheit that have still to be asked for, each once. */
export function missingConversions(request: PlannerRequest, celsius: readonly number[]): PlannedCall[] {
  if (!has(request, "calculate")) return [];
  const calls = [...new Set(celsius)].map((value) => conversionCall(request, String(value), "F"));
  return calls.filter((planned) => resultOf(request, planned).kind === "missing");
}

/** `+12 °C`, or `+12 °C (53.6 °F)` when the calculator has converted it. */
export function temperature(request: PlannerRequest, celsius: number, fahrenheit: boolean): string {
  const shown = `${signed(celsius)} °C`;
  if (!fahrenheit) return shown;
  const result = resultOf(request, conversionCall(request, String(celsius), "F"));
  return result.kind === "value" && typeof result.value === "number"
    ? `${shown} (${plain(result.value)} °F)`
    : `${shown} (not converted to Fahrenheit)`;
}

/** With a true minus sign. */
export const plain = (value: number): string => String(value).replace("-", "−");
const signed = (value: number): string => (value > 0 ? `+${value}` : plain(value));
