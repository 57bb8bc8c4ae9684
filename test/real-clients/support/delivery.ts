import { autoModel, reply, type RecordedRequest, type ReplyFunction, type ReplyOptions } from "@toolwright/testing";

const days: Readonly<Record<string, string>> = { A: "2 days", B: "5 days" };

/** The effect of the tool `get_delivery`, whichever client has it, and a record of its calls. */
export class DeliveryDesk {
  readonly asked: string[] = [];

  /** @throws for every order but A and B. */
  days(orderId: string): string {
    this.asked.push(orderId);
    const found = days[orderId];
    if (found === undefined) throw new Error(`Order ${orderId} is lost.`);
    return found;
  }
}

export const getDelivery = { name: "get_delivery", description: "How long an order takes to arrive." } as const;

export const question = "When do A and B come?";
export const answer = "A: 2 days, B: 5 days";
/** Asked in a second turn; only a model that reads the first turn can answer it. */
export const followUp = "How many orders was that?";
export const followUpAnswer = "2 orders";

/**
 * Thinks, asks for every order of the question (any lone capital) at once, and answers with what the tool said. Asked for
 * no order, it counts those that it was told about before.
 */
export const deliveryModel = (options: ReplyOptions = {}): ReplyFunction =>
  autoModel((view) => {
    const orders = view.question.match(/\b[A-Z]\b/g) ?? [];
    if (orders.length === 0)
      return reply.text(`${view.input.filter((item) => item.type === "function_call_output").length} orders`).with(options);
    if (view.step > 0) return reply.text(orders.map((order, index) => `${order}: ${view.outputs[index]?.text}`).join(", ")).with(options);
    const calls = orders.map((orderId) => ({ name: getDelivery.name, arguments: { orderId } }));
    return reply.output(reply.reasoning(`Look up ${orders.join(" and ")}.`), reply.calls(...calls)).with(options);
  });

/** What the model read for a request, item by item: the role of a message, the type of anything else. */
export function readFor(request: RecordedRequest): readonly unknown[] {
  return request.context.map((item) => (item.type === "message" ? item["role"] : item.type));
}

/** What {@link readFor} gives once both calls of {@link question} are answered, whoever keeps the history. */
export const answeredTurn = ["user", "reasoning", "function_call", "function_call", "function_call_output", "function_call_output"];

/** The same for {@link followUp}. */
export const secondTurn = [...answeredTurn, "assistant", "user"];

/** What a request itself carried as input. */
export function sent(request: RecordedRequest): readonly Record<string, unknown>[] {
  const { input } = request.body;
  if (!Array.isArray(input)) throw new Error("The request's input is no list of items.");
  return input as readonly Record<string, unknown>[]; // the server refuses other entries
}

/** The statuses that a server gave, in order. */
export const statuses = (server: { readonly requests: readonly RecordedRequest[] }): readonly unknown[] =>
  server.requests.map((request) => request.status);
