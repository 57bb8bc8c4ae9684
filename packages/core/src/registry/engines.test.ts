import { describe, expect, it } from "vitest";
import { errorOf, manifestOf, offered, packageOf, toolOf, unused } from "../../test-support/package-fixture.js";
import { type PackageManifest, ToolRegistry } from "../index.js";
import { coreVersion } from "./core-version.js";

const registry = (more: object): ToolRegistry =>
  ToolRegistry.from([{ manifest: manifestOf("p", [toolOf("look")], more as Partial<PackageManifest>), load: unused }]);

describe("versions are checked before anything is imported", () => {
  it.each([
    [{}],
    [{ engines: {} }],
    [{ engines: { "@toolwright/core": `^${coreVersion}`, node: ">=22.13" } }],
    [{ engines: { "@toolwright/core": "*", npm: ">=99", bun: ">=9" } }],
  ])("a package that fits is offered: %j", (more) => {
    expect(offered(registry(more))).toEqual(["look"]);
  });

  it.each([
    [
      { "@toolwright/core": "^99.0.0" },
      `p works with @toolwright/core ^99.0.0, and this is ${coreVersion}.\nFix: Install a version of p that works with @toolwright/core ${coreVersion}, or run \`npm install "@toolwright/core@^99.0.0"\`.`,
    ],
    [{ node: ">=99" }, `p works with Node >=99, and this is ${process.versions.node}.\nFix: Run the app on Node >=99.`],
  ])("one that does not is refused with both versions and what to do: %j", async (engines, message) => {
    const error = await errorOf(() => registry({ engines }));
    expect([error.code, error.message, error.details]).toEqual(["REGISTRY_ENGINE", message, { package: "p" }]);
  });

  it("a later form of the manifest is told before its content", async () => {
    const error = await errorOf(() => registry({ format: 2, engines: { "@toolwright/core": "^99.0.0" }, toolkits: "other" }));
    expect(error.message).toMatch(/its format is 2, and this release of @toolwright\/core reads 1\.\nFix: Update @toolwright\/core\./);
  });
});

describe("what a manifest says of the package as a whole is checked", () => {
  it.each([
    ["a version that could be anything", { version: "1.0.0\u001b[2K" }, /it has no version/],
    [
      "ranges that are none",
      { engines: { "@toolwright/core": "file:../core" } },
      /the range "file:\.\.\/core" of its engine @toolwright\/core cannot be read/,
    ],
    ["engines that are a list", { engines: ["node"] }, /its `engines` are not ranges by name/],
    ["needs of another kind", { needs: { sockets: ["a"] } }, /it needs "sockets", which this release does not know/],
    ["needs that are no list", { needs: { hosts: "*" } }, /its `needs\.hosts` is no list of texts/],
    ["needs that are none", { needs: [] }, /its `needs` are no object/],
    ["a configuration that is none", { config: true }, /its `config` is no object/],
    [
      "a schema that cannot be checked",
      { config: { schema: { type: "object", properties: { a: { type: "text" } } } } },
      /its `config\.schema` cannot be checked/,
    ],
    ["secrets that are no list", { config: { secrets: "key" } }, /its `config\.secrets` is no list of keys/],
    ["a variable that is none", { config: { environment: { key: "A=B" } } }, /"A=B" is no name of an environment variable/],
    ["hashes that are none", { hashes: ["a"] }, /its `hashes` are not texts by tool/],
  ])("%s", async (_, more, message) => {
    const error = await errorOf(() => registry(more));
    expect([error.code, error.message]).toEqual(["REGISTRY_MANIFEST", expect.stringMatching(message)]);
  });

  it("a class or a method that is no name, which would stand in messages and states", async () => {
    for (const [className, method] of [
      ["A#b.c", "look"],
      ["Tools", "look\u202e"],
      ["Tools\n", "look"],
      ["Tools", ""],
    ] as const) {
      const manifest = { ...manifestOf("p", []), toolkits: [{ format: 1, className, package: "p", tools: [toolOf("look", { method })] }] };
      expect((await errorOf(() => ToolRegistry.from([{ manifest, load: unused }]))).message).toMatch(/has no className|names no method/);
    }
  });

  it("hostile texts of a manifest stand in errors as what they are", async () => {
    const parameters = {
      type: "object",
      properties: { "a\u001b[2K\u202e": { oneOf: [] } },
      required: ["a\u001b[2K\u202e"],
      additionalProperties: false,
    };
    const manifest = manifestOf("p", [toolOf("look", { parameters: parameters as never })]);
    const error = await errorOf(() => ToolRegistry.from([{ manifest, load: unused }]));
    expect(error.message).toContain(String.raw`a\u{1b}[2K\u{202e}`);
    expect(error.message).not.toMatch(/[\u001b\u202e]/);
  });
});

describe("code that declares other things than its manifest is refused when it is imported", () => {
  class Config {
    key = "";
  }
  const engines = { "@toolwright/core": "*" };
  it.each<readonly [string, Parameters<typeof packageOf<Config>>[2], Partial<PackageManifest>, RegExp]>([
    ["needs", { needs: { hosts: ["*"] } }, { engines, needs: { hosts: ["a.test"] } }, /its `needs` are others in the code/],
    ["needs that the manifest hides", { needs: { hosts: ["*"] } }, { engines }, /its `needs` are others/],
    [
      "a configuration that it does not have",
      { config: Config },
      { engines },
      /it takes a configuration, which the manifest does not have/,
    ],
    ["no configuration", {}, { engines, config: {} }, /it takes no configuration, and the manifest has one/],
    [
      "other variables",
      { config: Config, environment: { key: "B" } },
      { engines, config: { environment: { key: "A" } } },
      /its `environment` are others/,
    ],
    ["other secrets", { config: Config }, { engines, config: { secrets: ["key"] } }, /its `secrets` are others/],
  ])("%s", async (_, options, more, message) => {
    const sample = packageOf<Config>("p", () => "ran", options, more);
    const error = await errorOf(() => ToolRegistry.from([sample]).preload());
    expect([error.code, error.message]).toEqual(["REGISTRY_MISMATCH", expect.stringMatching(message)]);
  });

  it("but a manifest of before it told of these is not held against it", async () => {
    const sample = packageOf<Config>("p", () => "ran", { config: Config, needs: { hosts: ["*"] } });
    await ToolRegistry.from([sample]).preload();
    expect(sample.loads()).toBe(1);
  });
});
