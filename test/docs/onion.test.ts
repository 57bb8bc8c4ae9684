import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("docs/middleware/order.md has the picture of the pipeline that it shows, as explain() tells it", async () => {
  const script = fileURLToPath(new URL("../../scripts/onion.mjs", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, "--check"]);
  expect(stdout).toContain("is what explain() says");
});
