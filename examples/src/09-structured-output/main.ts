// Answers in a form that is checked: a class with classes in it, a schema, an answer that is repaired, and one as it comes.
import { createClient } from "../shared/create-client.js";
import { runExample } from "../shared/run-example.js";
import { planTrip } from "./plan-trip.js";
import { showClass } from "./show-class.js";
import { showRepair } from "./show-repair.js";
import { showSchema } from "./show-schema.js";

await runExample(async () => {
  await using connection = await createClient(planTrip);
  await showClass(connection);
  await showSchema(connection);
  await showRepair();
});
