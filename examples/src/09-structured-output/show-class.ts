import { Agent, type RunResult } from "@toolwright/core";
import type { ModelConnection } from "../shared/create-client.js";
import { question } from "../shared/run-example.js";
import { TripPlan } from "../toolwright.generated.js";

/** The answer as far as it has come, and then as a checked instance of its class. */
export async function showClass({ client, model }: ModelConnection): Promise<void> {
  const agent = new Agent({
    client,
    model,
    instructions: "Plan trips of two or three days, with two or three stops a day.",
    // From the generated module, which has its schema.
    output: TripPlan,
  });

  const asked = question("Plan two days in Kazan from 1 June 2026.");
  console.log(`\n== a class\n> ${asked}`);
  const stream = agent.stream(asked);
  let shown = "";
  // Nothing in it is checked yet: any field may be missing, and the last text may be half.
  for await (const part of stream.partialOutputs()) {
    const stops = part.days?.map((day) => day.stops?.length ?? 0) ?? [];
    const now = `so far   days: ${stops.length}, stops: ${stops.reduce((sum, count) => sum + count, 0)}`;
    if (now !== shown) console.log(now);
    shown = now;
  }
  printPlan(await stream.result);
}

/** Prints a plan; it is a `TripPlan`, with the dates and methods of one. */
export function printPlan(result: RunResult<TripPlan>): void {
  if (result.stopReason !== "completed") throw new Error(`The run stopped early: ${result.stopReason}.`);
  const plan = result.output;
  console.log(`${plan.constructor.name}: ${plan.city}, ${plan.totalMinutes} minutes of sights`);
  for (const { date, stops } of plan.days) {
    console.log(
      `${date.toISOString().slice(0, 10)}  ${stops.map(({ time, place, minutes }) => `${time} ${place} (${minutes} min)`).join(", ")}`,
    );
  }
  if (plan.hint !== undefined) console.log(plan.hint);
}
