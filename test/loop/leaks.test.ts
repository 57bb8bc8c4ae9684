import { it } from "vitest";
import { checkRemains } from "../support/measured.js";

it("1,000 runs in one process and 60 over HTTP leave nothing behind", async () => {
  await checkRemains(1_000, 60);
}, 120_000);
