import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { reply, startResponsesServer } from "@toolwright/testing";
import { describe, expect, it, vi } from "vitest";
import { changedMain, documented, firstProject } from "./first-project.js";

// Compilers and other programs run here, side by side with other tests.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

async function built(files = {}) {
  const project = firstProject(files);
  const { code, stderr } = await project.toolwright("build");
  if (code !== 0) throw new Error(stderr);
  return project;
}

describe("first error: there is no API key", () => {
  it("is said before anything is sent, with what to set", async () => {
    using project = await built();
    const { code, stdout, stderr } = await project.start();
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(
      `ToolwrightError: ${documented("noKey")}\nFix: Set OPENAI_API_KEY, or pass \`client: new OpenAI({ apiKey })\`.`,
    );
    expect(stderr).toContain("MODEL_NO_API_KEY");
  });
});

describe("first error: the API key is wrong", () => {
  it("is said in the API's words, without the key, after one request", async () => {
    using project = await built();
    const key = "sk-proj-mistyped0123456789";
    const refusal = reply.http(401, {
      code: "invalid_api_key",
      message: `Incorrect API key provided: ${key}. You can find your API key in your account.`,
    });
    await using server = await startResponsesServer([refusal]);
    const { code, stdout, stderr } = await project.start({ OPENAI_API_KEY: key, OPENAI_BASE_URL: server.url });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(
      "ToolwrightError: The API answered 401: Incorrect API key provided: [key]. You can find your API key in your account.\nFix: Check the key, its project and its permissions.",
    );
    expect(stderr).toContain(documented("wrongKey"));
    expect(stderr).toContain("MODEL_AUTHENTICATION");
    expect(stderr).not.toContain(key);
    expect(server.requests).toHaveLength(1);
  });
});

describe("first error: two tools have one name", () => {
  it("fails at construction, naming both and the fix", async () => {
    using project = await built(changedMain("tools: [new Calculator()]", "tools: [new Calculator(), new Calculator()]"));
    const { code, stderr } = await project.start();
    expect(code).toBe(1);
    expect(stderr).toContain(`ToolwrightError: ${documented("twoToolsGiven")}
`);
    expect(stderr).toContain('Fix: Write `prefixed("calculator", new Calculator(…))` in `tools`');
    expect(stderr).toContain("TOOL_NAME_CLASH");
    expect(stderr).toMatch(/src\/main\.ts:4:/);
  });
});

describe("first error: a tool package is not installed", () => {
  it("is named, with the command that installs it", async () => {
    using project = firstProject({
      "src/main.ts": `import { ToolRegistry } from "@toolwright/core";
await ToolRegistry.discover({ from: import.meta.url, allow: { "@acme/tools-none": {} } });`,
    });
    const { code, stderr } = await project.start();
    expect(code).toBe(1);
    expect(stderr).toContain(
      `ToolwrightError: ${documented("packageNotFound")}\nFix: Run \`npm install @acme/tools-none\`, or take it off \`allow\`.`,
    );
    expect(stderr).toContain("REGISTRY_NOT_INSTALLED");
    expect(stderr).toMatch(/src\/main\.ts:2:/);
  });
});

describe("first error: Node is too old", () => {
  const bin = fileURLToPath(new URL("../../packages/cli/bin/toolwright.js", import.meta.url));
  /** Runs the command on a Node that says it is this version; test/packaging does so on a real one. */
  const pretend = (version: string) => [
    "--import",
    `data:text/javascript,${encodeURIComponent(`Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });`)}`,
  ];

  it.each(["20.20.2", "22.12.0", "18.0.0"])("%s: the command says so, and ends", async (version) => {
    using project = firstProject();
    expect(documented("oldNode").replace(/[\d.]+\.$/, `${version}.`)).toBe(
      `toolwright needs Node 22.13 or later, and this is Node ${version}.`,
    );
    expect(await project.node([...pretend(version), bin, "build"])).toEqual({
      code: 1,
      stdout: "",
      stderr: `toolwright needs Node 22.13 or later, and this is Node ${version}.\nFix: install a newer Node (\`nvm install 24\`), or put one first in PATH.\n`,
    });
  });

  it.each(["22.13.0", "23.0.0", "24.21.0"])("%s is new enough", async (version) => {
    using project = firstProject();
    expect(await project.node([...pretend(version), bin, "build"])).toMatchObject({ code: 0, stderr: "" });
  });

  it("the sentence, and every package, tell the same version", () => {
    const engines = ["cli", "core", "testing", "tools-weather", "tools-orders"].map((name) => {
      const text = readFileSync(new URL(`../../packages/${name}/package.json`, import.meta.url), "utf8");
      return (JSON.parse(text) as { engines: { node: string } }).engines.node;
    });
    expect(new Set(engines)).toEqual(new Set([">=22.13"]));
    expect(readFileSync(bin, "utf8")).toContain("Node 22.13 or later");
  });
});
