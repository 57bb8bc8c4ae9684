import { Agent, handoff } from "@toolwright/core";
import { approval, budget, standard } from "@toolwright/core/middleware";
import type { OrderTools } from "@toolwright/tools-orders";
import { WeatherTools } from "@toolwright/tools-weather";
import type { ModelConnection } from "../shared/create-client.js";
import { weatherService } from "../shared/weather-service.js";

/**
 * A desk that has two agents do its work, and hands complaints over to a third one.
 *
 * @param requests - that one run may make, those of the agents below included.
 */
export function makeDesk({ client, model }: ModelConnection, orders: OrderTools, requests: number): Agent {
  const common = { client, model };
  const weather = new Agent({
    ...common,
    name: "weather",
    instructions: "Answer the question about the weather in one sentence.",
    tools: [new WeatherTools(weatherService())],
    middleware: standard(),
  });
  const clerk = new Agent({
    ...common,
    name: "clerk",
    instructions: "Answer questions about orders. Cancel an order only when the task says so.",
    tools: [orders],
    // A person is asked, at the top: the desk's run pauses.
    middleware: [...standard(), approval()],
  });
  const complaints = new Agent({
    ...common,
    name: "complaints",
    instructions: "You take over complaints. Look the order up, say when it arrives, and apologise.",
    tools: [orders],
  });
  return new Agent({
    ...common,
    name: "desk",
    instructions: "Give each part of the question to the tool for it, word for word, and put the answers together. Hand complaints over.",
    tools: [
      // Each call is a run of its own, that knows nothing of this conversation but its input.
      weather.asTool({ name: "ask_weather", description: "Answers one question about the weather." }),
      clerk.asTool({ name: "ask_orders", description: "Answers one question about orders, or does what is asked with them." }),
      // The other agent answers from then on, with the whole conversation before it.
      handoff(complaints, { description: "For complaints." }),
    ],
    middleware: [budget({ requests }), ...standard()],
  });
}
