/** What a question about orders and articles asks for. */
export type OrderIntent =
  | { readonly kind: "stock"; readonly skus: readonly string[] }
  /** `cancelAfterDays`: orders that take longer are to be cancelled. */
  | { readonly kind: "delivery"; readonly orderIds: readonly string[]; readonly cancelAfterDays: number | undefined }
  | { readonly kind: "cancellation"; readonly orderIds: readonly string[]; readonly reason: string | null };

const stockWord = /\bstock\b|\bsold out\b|\bavailable\b|\bleft\b|\bhow many\b/i;
const deliveryWord = /\bwhen\b|\barrives?\b|\bdeliver|\bwhere\b|\bhow long\b/i;
const condition = /\bif\b.*?\b(?:more|longer|later)\s+than\s+(\d+)\s+days?\b.*?\bcancel\b/is;

/** Reads order ids (`order A`, `orders A, B and F`) and articles (`BOOK-1`), in the order in which they are asked for. */
export function readOrders(text: string): OrderIntent[] {
  const intents: OrderIntent[] = [];
  const skus = stockWord.test(text) ? [...new Set(text.match(/\b[A-Z]+-\d+\b/g) ?? [])] : [];
  if (skus.length > 0) intents.push({ kind: "stock", skus });

  const cancelAt = text.search(/\bcancel\b/i);
  const asked = orderIds(cancelAt === -1 ? text : text.slice(0, cancelAt));
  if (asked.length > 0 && deliveryWord.test(text)) {
    const days = condition.exec(text)?.[1];
    intents.push({ kind: "delivery", orderIds: asked, cancelAfterDays: days === undefined ? undefined : Number(days) });
  }
  const cancelled = cancelAt === -1 ? [] : orderIds(text.slice(cancelAt));
  if (cancelled.length > 0) {
    const reason = /\bbecause\s+(.+?)[.!?\s]*$/is.exec(text)?.[1];
    intents.push({ kind: "cancellation", orderIds: cancelled, reason: reason ?? null });
  }
  return intents;
}

/** Ids after the word "order", each once. They are capitals and digits: any other word there is none. */
function orderIds(text: string): string[] {
  const lists = text.matchAll(
    /\b[Oo]rders?\s+((?!I\b)[A-Z0-9][A-Z0-9-]*\b(?:(?:\s*(?:,|\band\b|\bor\b))+\s*(?!I\b)[A-Z0-9][A-Z0-9-]*\b)*)/g,
  );
  return [...new Set([...lists].flatMap(([, list]) => list?.match(/[A-Z0-9][A-Z0-9-]*/g) ?? []))];
}
