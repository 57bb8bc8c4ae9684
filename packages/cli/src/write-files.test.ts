import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { build, failureOf, usualModule } from "../test-support/build.js";
import { command } from "../test-support/run-command.js";
import { temporaryProject } from "../test-support/temporary-project.js";

const tools = `import { Tool } from "@toolwright/core";
export class OrderTools { /** Lists all of the open orders. */ @Tool({ effect: "read" }) list(): void {} }
`;
const toolPackage = {
  "src/orders.ts": tools,
  "package.json": JSON.stringify({ name: "tools", version: "1.0.0", type: "module", keywords: ["toolwright-tools"] }),
};

describe("a file that cannot be written", () => {
  test.each([false, true])("a folder is in its place (check: %s)", async (check) => {
    using project = temporaryProject({ "src/orders.ts": tools });
    mkdirSync(join(project.directory, usualModule));
    const { message, fix } = await failureOf(build(project.directory, { check }));
    expect(message).toContain(`${usualModule} cannot be read: a folder is in its place (EISDIR).`);
    expect(fix).toContain("Move the folder away");
  });

  test("a file is where a folder of its path should be; nothing else is written either", async () => {
    using project = temporaryProject({
      ...toolPackage,
      "toolwright.config.json": JSON.stringify({ out: "src/made/tools.ts" }),
      "src/made": "a file",
    });
    const { message } = await failureOf(build(project.directory));
    expect(message).toContain("src/made/tools.ts cannot be written: a part of its path is a file, not a folder (EEXIST)");
    expect(readdirSync(project.directory)).not.toContain("toolwright.manifest.json");
  });

  test("its folder is read-only: the other files of the build stay as they were, and nothing is left beside them", async () => {
    using project = temporaryProject(toolPackage);
    await build(project.directory);
    const before = readFileSync(join(project.directory, usualModule), "utf8");
    project.write({ "src/orders.ts": tools.replace("open orders", "orders") });
    const { code, error } = await buildWithoutRights(project.directory);
    expect(code).toBe(2);
    expect(error).toMatch(
      /^toolwright\.manifest\.json cannot be written: there is no permission \(EACCES\)\. Nothing was written\.\nFix: /,
    );
    expect(readFileSync(join(project.directory, usualModule), "utf8")).toBe(before);
    expect(readdirSync(join(project.directory, "src")).sort()).toEqual(["orders.ts", "toolwright.generated.ts"]);
  });
});

test("a link in its place is followed, and the file keeps its rights", async () => {
  using project = temporaryProject({ "src/orders.ts": tools, "elsewhere/tools.ts": "" });
  chmodSync(join(project.directory, "elsewhere/tools.ts"), 0o640);
  symlinkSync("../elsewhere/tools.ts", join(project.directory, usualModule));
  await build(project.directory);
  expect(readFileSync(join(project.directory, "elsewhere/tools.ts"), "utf8")).toContain("registerToolkit");
  expect(existsSync(join(project.directory, "elsewhere/tools.ts"))).toBe(true);
});

/** Runs the command as someone who may write the sources' folder, but not the project's: root is kept from nothing. */
function buildWithoutRights(directory: string): Promise<{ readonly code: number; readonly error: string }> {
  const nobody = 65534;
  const isRoot = process.getuid?.() === 0;
  writeFileSync(join(directory, usualModule), readFileSync(join(directory, usualModule)));
  for (const name of ["src", usualModule]) chmodSync(join(directory, name), 0o777);
  for (const name of ["", "toolwright.manifest.json"]) chmodSync(join(directory, name), 0o555);
  return new Promise((resolve) => {
    const rights = isRoot ? { uid: nobody, gid: nobody } : {};
    execFile(process.execPath, [command, "build"], { cwd: directory, encoding: "utf8", ...rights }, (failed, _, error) => {
      chmodSync(directory, 0o755);
      resolve({ code: failed === null ? 0 : Number(failed.code), error });
    });
  });
}
