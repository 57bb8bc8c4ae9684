import { call, callMissing, fieldsOf, type Plan, type PlannedCall, type PlannerRequest, resultOf, text } from "./plan.js";
import type { OrderIntent } from "./read-orders.js";

type IntentOf<Kind extends OrderIntent["kind"]> = Extract<OrderIntent, { kind: Kind }>;

/** All articles at once, then a sentence for each. */
export function planStock(request: PlannerRequest, { skus }: IntentOf<"stock">): Plan {
  const planned = skus.map((sku) => call(request, "get_stock", { sku }));
  return callMissing(request, "get_stock", planned) ?? text(skus.map((sku, index) => stockSentence(request, sku, planned[index])).join("\n"));
}

function stockSentence(request: PlannerRequest, sku: string, planned: PlannedCall | undefined): string {
  if (planned === undefined) return "";
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
  const asked = callMissing(request, "get_delivery", planned);
  if (asked !== undefined) return asked;

  const orders = orderIds.map((orderId, index): Delivery => ({ orderId, ...deliveryOf(request, planned[index]) }));
  const late = orders.filter(({ days }) => cancelAfterDays !== undefined && days !== undefined && days > cancelAfterDays);
  const cancellations = late.map(({ orderId, days }) => cancellation(request, orderId, `takes ${days} days`));
  const cancelling = callMissing(request, "cancel_order", cancellations);
  if (cancelling?.kind === "calls") return cancelling;

  const sentences = orders.map((order) => {
    const cancelled = cancellations[late.indexOf(order)];
    if (cancelled !== undefined) return `${order.sentence} ${cancelling?.text ?? cancelledSentence(request, order.orderId, cancelled)}`;
    return cancelAfterDays === undefined || order.days === undefined ? order.sentence : `${order.sentence} It is not cancelled.`;
  });
  return text(sentences.join("\n"));
}

interface Delivery {
  readonly orderId: string;
  readonly days: number | undefined;
  readonly sentence: string;
}

function deliveryOf(request: PlannerRequest, planned: PlannedCall | undefined): Omit<Delivery, "orderId"> {
  const orderId = String(planned?.arguments["orderId"]);
  const result = planned === undefined ? undefined : resultOf(request, planned);
  if (result?.kind === "failure") {
    return { days: undefined, sentence: `The delivery of order ${orderId} could not be looked up: ${result.message}` };
  }
  const days = result === undefined ? undefined : fieldsOf(result)["days"];
  if (typeof days !== "number") return { days: undefined, sentence: `It is not known when order ${orderId} arrives.` };
  return { days, sentence: `Order ${orderId} arrives in ${days} ${days === 1 ? "day" : "days"}.` };
}

/** Cancels, and says what came of it. */
export function planCancellation(request: PlannerRequest, { orderIds, reason }: IntentOf<"cancellation">): Plan {
  const planned = orderIds.map((orderId) => cancellation(request, orderId, reason));
  return (
    callMissing(request, "cancel_order", planned) ??
    text(planned.map((made) => cancelledSentence(request, String(made.arguments["orderId"]), made)).join("\n"))
  );
}

const cancellation = (request: PlannerRequest, orderId: string, reason: string | null): PlannedCall =>
  call(request, "cancel_order", { orderId, reason });

function cancelledSentence(request: PlannerRequest, orderId: string, planned: PlannedCall): string {
  const result = resultOf(request, planned);
  if (result.kind === "failure") return `Order ${orderId} could not be cancelled: ${result.message}`;
  return fieldsOf(result)["status"] === "cancelled" ? `Order ${orderId} is cancelled.` : `It is not known whether order ${orderId} is cancelled.`;
}
