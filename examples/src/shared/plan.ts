import type { PlannerView } from "@toolwright/testing";

/** What the planner looks at: the last question, the tools it was sent, and the answers since then. */
export type PlannerRequest = Pick<PlannerView, "question" | "tools" | "outputs" | "toolChoice">;

/** A call that the planner asks for. */
export interface PlannedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The planner's next reply. */
export type Plan = { readonly kind: "calls"; readonly calls: readonly PlannedCall[] } | { readonly kind: "text"; readonly text: string };

/** What became of a call: not made yet, a value, or a failure in words. */
export type Result =
  | { readonly kind: "missing" }
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "failure"; readonly message: string };

export const text = (value: string): Plan => ({ kind: "text", text: value });

/** Whether a tool of this name may be called. */
export function has(request: PlannerRequest, name: string): boolean {
  return request.toolChoice !== "none" && toolNamed(request, name) !== undefined;
}

/** A call with every parameter that its tool declares: strict schemas want each, null for what is left open. */
export function call(request: PlannerRequest, name: string, given: Readonly<Record<string, unknown>>): PlannedCall {
  const tool = toolNamed(request, name);
  const declared = tool?.parameters as { readonly properties?: object } | null | undefined;
  const parameters = Object.keys(declared?.properties ?? given);
  return { name: tool?.name ?? name, arguments: Object.fromEntries(parameters.map((parameter) => [parameter, given[parameter] ?? null])) };
}

/** The step that makes those of the calls that were not made yet; undefined when all have been answered. */
export function callMissing(request: PlannerRequest, tool: string, calls: readonly PlannedCall[]): Plan | undefined {
  const missing = calls.filter((planned) => resultOf(request, planned).kind === "missing");
  if (missing.length === 0) return undefined;
  return has(request, tool) ? { kind: "calls", calls: missing } : text(`I can't do that: there is no tool ${tool} to call.`);
}

/** What an earlier call with these arguments gave. */
export function resultOf(request: PlannerRequest, planned: PlannedCall): Result {
  const wanted = canonical(planned.arguments);
  const answered = request.outputs.find(({ name, arguments: made }) => name === planned.name && canonical(made) === wanted);
  if (answered === undefined) return { kind: "missing" };
  const { value } = answered;
  if (typeof value === "object" && value !== null && "error" in value) {
    const { message } = (value.error ?? {}) as { message?: unknown };
    return { kind: "failure", message: typeof message === "string" ? message : "the tool failed." };
  }
  return { kind: "value", value };
}

/** The fields of a call's value, each to be checked by who uses it: a tool of this name may be another one than ours. */
export function fieldsOf(result: Result): Readonly<Record<string, unknown>> {
  return result.kind === "value" && typeof result.value === "object" && result.value !== null
    ? (result.value as Record<string, unknown>) // any object may be read by name
    : {};
}

/** A registry may have put a prefix before the name: `shop_get_stock` is a `get_stock`. */
function toolNamed({ tools }: PlannerRequest, name: string): PlannerRequest["tools"][number] | undefined {
  return tools.find((tool) => tool.name === name) ?? tools.find((tool) => tool.name?.endsWith(`_${name}`));
}

/** One text for the same arguments, whatever their order; null says nothing. */
function canonical(values: unknown): string {
  const entries = Object.entries(values ?? {}).filter(([, value]) => value !== null);
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
