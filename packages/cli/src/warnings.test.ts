import { readFileSync } from "node:fs";
import { ToolwrightError } from "@toolwright/core";
import { describe, expect, test } from "vitest";
import { temporaryProject } from "../test-support/temporary-project.js";
import { buildProject } from "./build-project.js";
import { warningCodes, warningMeanings } from "./warnings.js";

// Without an effect, and with a parameter that nothing describes: two warnings.
const tools = `import { Tool } from "@toolwright/core";
export class OrderTools { /** Gets one order with all of its lines. */ @Tool() getOrder(orderId: string): void {} }
`;
const settings = (warnings: unknown): Readonly<Record<string, string>> => ({
  "src/orders.ts": tools,
  "package.json": JSON.stringify({ name: "app", type: "module", toolwright: { warnings } }),
});

describe("warnings have codes, by which the settings of a package weigh them", () => {
  test("as they are", async () => {
    using project = temporaryProject({ "src/orders.ts": tools });
    const { ok, warnings } = await buildProject({ cwd: project.directory });
    expect(ok).toBe(true);
    expect(warnings.map(({ code }) => code)).toEqual(["BUILD_NO_EFFECT", "BUILD_NO_DESCRIPTION"]);
  });

  test.each([
    ["one off", { BUILD_NO_EFFECT: "off" }, [], ["BUILD_NO_DESCRIPTION"]],
    ["one an error", { BUILD_NO_DESCRIPTION: "error" }, ["BUILD_NO_DESCRIPTION"], ["BUILD_NO_EFFECT"]],
    ["all errors but one", { "*": "error", BUILD_NO_EFFECT: "warning" }, ["BUILD_NO_DESCRIPTION"], ["BUILD_NO_EFFECT"]],
    ["all off", { "*": "off" }, [], []],
  ])("%s", async (_, levels, problems, warnings) => {
    using project = temporaryProject(settings(levels));
    const result = await buildProject({ cwd: project.directory });
    expect(result.problems.map(({ code }) => code)).toEqual(problems);
    expect(result.warnings.map(({ code }) => code)).toEqual(warnings);
    // As with every other problem, nothing is written.
    expect(result.files).toHaveLength(problems.length === 0 ? 1 : 0);
    expect(result.ok).toBe(problems.length === 0);
  });

  test("an unchanged build heeds settings that came after it", async () => {
    using project = temporaryProject({ "src/orders.ts": tools });
    await buildProject({ cwd: project.directory });
    project.write({ "toolwright.config.json": JSON.stringify({ warnings: { BUILD_NO_EFFECT: "error" } }) });
    expect(await buildProject({ cwd: project.directory, check: true })).toMatchObject({
      ok: false,
      problems: [{ code: "BUILD_NO_EFFECT" }],
    });
  });

  test("a package of a workspace has the last word over the settings at the top", async () => {
    const { "package.json": own = "", ...sources } = settings({ BUILD_NO_DESCRIPTION: "warning" });
    using project = temporaryProject({
      "package.json": JSON.stringify({ toolwright: { project: "packages/a", warnings: { "*": "off" } } }),
      "packages/a/package.json": own,
      "packages/a/tsconfig.json": JSON.stringify({ compilerOptions: { strict: true, experimentalDecorators: true } }),
      "packages/a/src/orders.ts": sources["src/orders.ts"] ?? "",
    });
    const { warnings } = await buildProject({ cwd: project.directory });
    expect(warnings.map(({ code }) => code)).toEqual(["BUILD_NO_DESCRIPTION"]);
  });

  test.each([
    [
      "an unknown code",
      { BUILD_NO_DESCRIPTIONS: "off" },
      /no warning BUILD_NO_DESCRIPTIONS/,
      /Did you mean BUILD_NO_DESCRIPTION\? The warnings are BUILD_/,
    ],
    ["an unknown level", { BUILD_NO_EFFECT: "warn" }, /BUILD_NO_EFFECT has the level "warn"/, /"off", "warning" or "error"/],
    ["no object", ["BUILD_NO_EFFECT"], /"warnings" must be an object/, /BUILD_NO_DESCRIPTION/],
  ])("%s is refused", async (_, levels, message, fix) => {
    using project = temporaryProject(settings(levels));
    const error: unknown = await buildProject({ cwd: project.directory }).catch((reason: unknown) => reason);
    expect(ToolwrightError.is(error, "BUILD_CONFIG") && error.message).toMatch(message);
    expect(ToolwrightError.is(error) && error.fix).toMatch(fix);
  });
});

test("the page of the command lists every warning as it is", () => {
  const page = readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8");
  const listed = [...page.matchAll(/^\| `(BUILD_\w+)` \| (.*) \|$/gm)].map(([, code, meaning]) => [code, meaning]);
  expect(listed).toEqual(warningCodes.map((code) => [code, warningMeanings[code]]));
});
