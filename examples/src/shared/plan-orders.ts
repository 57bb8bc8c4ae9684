import { call, callMissing, fieldsOf, type Plan, type PlannedCall, type PlannerRequest, resultOf, text } from "./plan.js";
import type { OrderIntent } from "./read-orders.js";

type IntentOf<Kind extends OrderIntent["kind"]> = Extract<OrderIntent, { kind: Kind }>;

/** All articles at once, then a sentence for each. */
export function planStock(request: PlannerRequest, { skus }: IntentOf<"stock">): Plan {
  const planned = skus.map((sku) => call(request, "get_stock", { sku }));
  return callMissing(request, "get_stock", planned) ?? text(planned.map((made) => stockSentence(request, made)).join("\n"));
}

function stockSentence(request: PlannerRequest, planned: PlannedCall): string {
  const sku = String(planned.arguments["sku"]);
  const result = resultOf(request, planned);
  if (result.kind === "failure") return `The stock of ${sku} could not be looked up: ${result.message}`;
  const { found, count } = fieldsOf(result);
  if (found === false) return `${sku}: there is no such article, so there is no count.`;
  if (typeof count !== "number") return `${sku}: the count is not known.`;
  return count === 0 ? `${sku}: sold out.` : `${sku}: ${count} in stock.`;
}

/** All orders at once; then the cancellations that the question makes depend on the answers; then the answer. */
export function planDelivery(request: PlannerRequest, { orderIds, cancelAfterDays }: IntentOf<"delivery">): Plan {
  const planned = orderIds.map((orderId) => call(request, "get_delivery", { orderId }));
  const asking = callMissing(request, "get_delivery", planned);
  if (asking !== undefined) return asking;
  const orders = planned.map((made) => deliveryOf(request, made, cancelAfterDays));
  const cancelling = callMissing(
    request,
    "cancel_order",
    orders.flatMap(({ cancellation }) => cancellation ?? []),
  );
  if (cancelling?.kind === "calls") return cancelling;
  const sentences = orders.map(({ sentence, cancellation }) =>
    cancellation === undefined ? sentence : `${sentence} ${cancelling?.text ?? cancelledSentence(request, cancellation)}`,
  );
  return text(sentences.join("\n"));
}

/** What is known of a delivery, and the call that cancels the order if it takes too long. */
function deliveryOf(
  request: PlannerRequest,
  planned: PlannedCall,
  cancelAfterDays: number | undefined,
): { readonly sentence: string; readonly cancellation?: PlannedCall } {
  const orderId = String(planned.arguments["orderId"]);
  const result = resultOf(request, planned);
  if (result.kind === "failure") return { sentence: `The delivery of order ${orderId} could not be looked up: ${result.message}` };
  const { days } = fieldsOf(result);
  if (typeof days !== "number") return { sentence: `It is not known when order ${orderId} arrives.` };
  const sentence = `Order ${orderId} arrives in ${days} ${days === 1 ? "day" : "days"}.`;
  if (cancelAfterDays === undefined) return { sentence };
  if (days <= cancelAfterDays) return { sentence: `${sentence} It is not cancelled.` };
  return { sentence, cancellation: cancellationCall(request, orderId, `takes ${days} days`) };
}

/** Cancels, and says what came of it. */
export function planCancellation(request: PlannerRequest, { orderIds, reason }: IntentOf<"cancellation">): Plan {
  const planned = orderIds.map((orderId) => cancellationCall(request, orderId, reason));
  return callMissing(request, "cancel_order", planned) ?? text(planned.map((made) => cancelledSentence(request, made)).join("\n"));
}

const cancellationCall = (request: PlannerRequest, orderId: string, reason: string | null): PlannedCall =>
  call(request, "cancel_order", { orderId, reason });

function cancelledSentence(request: PlannerRequest, planned: PlannedCall): string {
  const orderId = String(planned.arguments["orderId"]);
  const result = resultOf(request, planned);
  if (result.kind === "failure") return `Order ${orderId} could not be cancelled: ${result.message}`;
  return fieldsOf(result)["status"] === "cancelled"
    ? `Order ${orderId} is cancelled.`
    : `It is not known whether order ${orderId} is cancelled.`;
}
