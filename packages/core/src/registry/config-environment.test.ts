import { inspect } from "node:util";
import { IsInt, IsString } from "class-validator";
import { describe, expect, it } from "vitest";
import { call, errorOf, packageOf } from "../../test-support/package-fixture.js";
import { type PackageManifest, ToolError, ToolRegistry, ToolwrightError } from "../index.js";

class StockConfig {
  @IsString()
  apiKey!: string;

  @IsInt()
  retries = 3;

  cached = true;

  regions: string[] = ["eu"];
}
const environment = { apiKey: "STOCK_API_KEY", retries: "STOCK_RETRIES", cached: "STOCK_CACHED", regions: "STOCK_REGIONS" };
const secret = "sk-planted-0123456789";
const schema = {
  type: "object",
  properties: {
    apiKey: { type: "string" },
    retries: { type: "integer" },
    cached: { type: "boolean" },
    regions: { type: "array", items: { type: "string" } },
  },
  required: ["apiKey"],
  additionalProperties: false,
} as const;

const stock = (say: (config: StockConfig) => unknown = (config) => ({ ...config }), more: Partial<PackageManifest> = {}) =>
  packageOf<StockConfig>("p", say, { config: StockConfig, environment, secrets: ["apiKey"] }, more);
const registryOf = (sample: ReturnType<typeof stock>, config: object | undefined, variables: Record<string, string>): ToolRegistry =>
  ToolRegistry.from([sample], { allow: { p: config === undefined ? {} : { config } }, environment: variables });
const detailed: Partial<PackageManifest> = { engines: { "@toolwright/core": "*" }, config: { schema, environment, secrets: ["apiKey"] } };

describe("a configuration comes from the app and, for keys that it leaves out, from declared variables", () => {
  it.each<readonly [string, object | undefined, Record<string, string>, object]>([
    ["the app alone", { apiKey: "k", retries: 1 }, {}, { apiKey: "k", retries: 1, cached: true, regions: ["eu"] }],
    [
      "the environment alone",
      undefined,
      { STOCK_API_KEY: "e", STOCK_RETRIES: "5", STOCK_CACHED: "false", STOCK_REGIONS: '["us"]' },
      { apiKey: "e", retries: 5, cached: false, regions: ["us"] },
    ],
    [
      "both, of which the app wins",
      { apiKey: "k" },
      { STOCK_API_KEY: "e", STOCK_RETRIES: "5" },
      { apiKey: "k", retries: 5, cached: true, regions: ["eu"] },
    ],
    [
      "a key that the app leaves open",
      { apiKey: undefined },
      { STOCK_API_KEY: "e" },
      { apiKey: "e", retries: 3, cached: true, regions: ["eu"] },
    ],
    [
      "a variable that is empty, and counts as none",
      { apiKey: "k" },
      { STOCK_RETRIES: "" },
      { apiKey: "k", retries: 3, cached: true, regions: ["eu"] },
    ],
    [
      "a variable of another name, which is not read",
      { apiKey: "k" },
      { retries: "7", apiKey: "x" },
      { apiKey: "k", retries: 3, cached: true, regions: ["eu"] },
    ],
  ])("%s", async (_, config, variables, made) => {
    expect(await call(registryOf(stock(), config, variables))).toEqual(made);
    expect(await call(registryOf(stock(undefined, detailed), config, variables))).toEqual(made);
  });

  it.each<readonly [string, object | undefined, Record<string, string>, RegExp]>([
    [
      "nothing at all",
      undefined,
      {},
      /there is none, and it does not hold without: apiKey .*\nFix: Give `config` in `allow\["p"\]`, or set STOCK_API_KEY in the environment\./,
    ],
    [
      "a variable that is no number",
      undefined,
      { STOCK_API_KEY: "k", STOCK_RETRIES: secret },
      /retries.*\nFix: Correct STOCK_RETRIES in the environment\./,
    ],
    [
      "a value of the wrong kind",
      { apiKey: "k", retries: secret },
      {},
      /retries.*\nFix: Correct `config` in `allow\["p"\]`, or set STOCK_RETRIES in the environment\./,
    ],
    ["a key that there is not", { apiKey: "k", apikey: secret }, {}, /apikey/],
  ])("what does not hold is named by its key, before anything is imported: %s", async (_, config, variables, message) => {
    const sample = stock(undefined, detailed);
    const early = await errorOf(() => registryOf(sample, config, variables));
    // Without a schema in the manifest, the class says it when it is there.
    const late = await errorOf(() => registryOf(stock(), config, variables).preload());
    for (const error of [early, late]) {
      expect([error.code, error.message]).toEqual(["REGISTRY_CONFIG", expect.stringMatching(message)]);
      expect(error.message).not.toContain("planted");
    }
    expect(sample.loads()).toBe(0);
  });

  it("one for a package that takes none is refused before it is imported", async () => {
    const plain = packageOf("p", () => "ran", {}, { engines: { "@toolwright/core": "*" } });
    const error = await errorOf(() => ToolRegistry.from([plain], { allow: { p: { config: { a: 1 } } } }));
    expect([error.code, plain.loads()]).toEqual(["REGISTRY_CONFIG", 0]);
  });
});

describe("secrets are never printed", () => {
  it("by a configuration that is printed or sent on; its fields are what they are", async () => {
    let seen: StockConfig | undefined;
    await call(
      registryOf(
        stock((config) => (seen = config)),
        { apiKey: secret, retries: 1 },
        {},
      ),
    );
    if (seen === undefined) throw new Error("no configuration");
    expect(seen.apiKey).toBe(secret);
    expect({ ...seen }).toEqual({ apiKey: secret, retries: 1, cached: true, regions: ["eu"] });
    for (const text of [
      inspect(seen),
      inspect({ deep: [seen] }, { depth: 9 }),
      inspect(seen, { showHidden: true }),
      JSON.stringify(seen),
      JSON.stringify({ seen }),
    ]) {
      expect(text).not.toContain("planted");
      expect(text).toContain("[secret]");
    }
    expect(JSON.parse(JSON.stringify(seen))).toEqual({ apiKey: "[secret]", retries: 1, cached: true, regions: ["eu"] });
  });

  it("by a registry, its list, or its errors", async () => {
    const failing = { ...stock(undefined, detailed), load: () => Promise.reject(new Error(`cannot load with ${secret}`)) };
    const registry = registryOf(failing, { apiKey: secret }, {});
    const error = await errorOf(() => registry.preload());
    for (const text of [
      inspect(registry, { depth: 9, showHidden: true }),
      JSON.stringify(registry),
      JSON.stringify(registry.list()),
      inspect(error, { depth: 9 }),
      error.stack ?? "",
      JSON.stringify(error),
    ]) {
      expect(text).not.toContain("planted");
    }
    expect(registry.list()[0]?.config).toEqual([
      { key: "apiKey", required: true, environment: "STOCK_API_KEY", secret: true },
      { key: "retries", required: false, environment: "STOCK_RETRIES", secret: false },
      { key: "cached", required: false, environment: "STOCK_CACHED", secret: false },
      { key: "regions", required: false, environment: "STOCK_REGIONS", secret: false },
    ]);
  });

  it.each<readonly [string, (key: string) => Error]>([
    ["an error", (key) => new TypeError(`401 for ${key}`)],
    ["its cause", (key) => new Error("no", { cause: new Error(`401 for ${key}`) })],
    ["a ToolError, which the model reads", (key) => new ToolError({ code: "NO", message: `401 for ${key}`, retryable: true })],
    ["an error with a code", (key) => Object.assign(new Error(`401 for ${key}`), { code: "ECONNREFUSED" })],
  ])("by what a tool throws: %s", async (_, make) => {
    const thrown = make(secret);
    const registry = registryOf(
      stock(() => {
        throw thrown;
      }),
      { apiKey: secret },
      {},
    );
    const error = (await call(registry).catch((reason: unknown) => reason)) as Error & { code?: unknown };
    expect(error.name).toBe(thrown.name);
    expect(error.code).toBe((thrown as { code?: unknown }).code);
    expect(ToolwrightError.is(error)).toBe(ToolwrightError.is(thrown));
    if (ToolwrightError.is(error)) expect(error.retryable).toBe(true);
    for (const text of [inspect(error, { depth: 9 }), String(error.stack), String((error.cause as Error | undefined)?.message)])
      expect(text).not.toContain("planted");
    expect(`${error.message} ${String((error.cause as Error | undefined)?.message)}`).toMatch(/401 for \[secret\]|401 for.*secret/);
  });

  it("an error that holds none is passed on as it is", async () => {
    const thrown = new Error("plain");
    const registry = registryOf(
      stock(() => {
        throw thrown;
      }),
      { apiKey: secret },
      {},
    );
    expect(await call(registry).catch((reason: unknown) => reason)).toBe(thrown);
  });
});
