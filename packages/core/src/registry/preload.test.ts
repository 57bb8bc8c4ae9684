import { describe, expect, it } from "vitest";
import { errorOf, packageOf } from "../../test-support/package-fixture.js";
import { ToolRegistry } from "../index.js";

const hanging = (name: string) => ({ ...packageOf(name, () => name), load: () => new Promise<never>(() => {}) });
const failing = (name: string) => ({ ...packageOf(name, () => name), load: () => Promise.reject(new TypeError("no")) });
const registryOf = (...packages: readonly ReturnType<typeof packageOf>[]): ToolRegistry =>
  ToolRegistry.from(packages, {
    allow: Object.fromEntries(packages.map(({ manifest }) => [manifest.package, { prefix: manifest.package }])),
  });

describe("preload", () => {
  it("ends when a package takes longer than it may, and names it", async () => {
    const good = packageOf("b", () => "b");
    const error = await errorOf(() => registryOf(hanging("a"), good).preload({ timeoutMs: 30 }));
    expect([error.code, error.message]).toEqual([
      "REGISTRY_LOAD",
      "The package a was not imported and created within 30 ms.\nFix: Look what its import or `create` waits for, or raise `preload({ timeoutMs })`.",
    ]);
    // One that hangs keeps nobody else from coming in.
    expect(good.loads()).toBe(1);
  });

  it("names all that fail, the first one with its reason", async () => {
    const error = await errorOf(() =>
      registryOf(
        packageOf("a", () => "a"),
        failing("b"),
        hanging("c"),
      ).preload({ timeoutMs: 30 }),
    );
    expect([error.code, error.message, error.details]).toEqual([
      "REGISTRY_LOAD",
      expect.stringMatching(/^The package b could not be imported: TypeError\. These failed too: c\.\nFix: /),
      { package: "b", failed: ["b", "c"] },
    ]);
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  it("ends with the signal's reason", async () => {
    const stop = new AbortController();
    const preloading = registryOf(hanging("a")).preload({ signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(preloading).rejects.toThrow("enough");
    await expect(registryOf(hanging("a")).preload({ signal: AbortSignal.abort(new Error("before")) })).rejects.toThrow("before");
  });

  it.each([
    [{ timeoutMs: 0 }, /`timeoutMs` is 0\.\nFix: Use whole milliseconds/],
    [{ timeoutMs: 2 ** 31 }, /`timeoutMs` is 2147483648/],
    [{ signal: {} }, /`signal` is no AbortSignal/],
    [{ timeout: 5 }, /`preload` has no option "timeout"/],
  ])("refuses %j", async (options, message) => {
    const error = await errorOf(() => registryOf(hanging("a")).preload(options as object));
    expect([error.code, error.message]).toEqual(["RUN_OPTIONS", expect.stringMatching(message)]);
  });
});

describe("disposing a registry", () => {
  it("disposes what comes in meanwhile, and lets nobody use it", async () => {
    const events: string[] = [];
    const sample = packageOf("p", () => "p");
    let come: ((module: unknown) => void) | undefined;
    const registry = ToolRegistry.from([{ ...sample, load: () => new Promise((resolve) => (come = resolve)) }]);
    const preloading = registry.preload();
    const disposing = registry[Symbol.asyncDispose]();
    class Closing extends sample.Registered implements Disposable {
      [Symbol.dispose](): void {
        events.push("disposed");
      }
    }
    // Registered is the class that the manifest names; a closing one of it stands for what a package opens.
    const instance = Object.setPrototypeOf(new Closing({}), Closing.prototype) as Closing;
    Object.defineProperty(instance, "constructor", { value: sample.Registered });
    const { defineToolPackage } = await import("../index.js");
    come?.({ default: defineToolPackage({ create: () => [instance] }) });
    await disposing;
    expect(events).toEqual(["disposed"]);
    await expect(preloading).rejects.toMatchObject({
      code: "REGISTRY_LOAD",
      message: expect.stringContaining("The registry was disposed"),
    });
  });
});

describe("`from` that is no file", () => {
  it.each([
    [new URL("http://x")],
    [new URL("data:text/javascript,1")],
    ["http://x/app.js"],
    ["node:fs"],
    [new URL("file://host/app.js")],
    ["file:///app%2Fb.js"],
    [{}],
    [null],
  ])("%s is answered by name, with what to pass", async (from) => {
    const error = await errorOf(() => ToolRegistry.discover({ from: from as URL, allow: {} }));
    expect([error.code, error.message]).toEqual([
      "RUN_OPTIONS",
      expect.stringMatching(/^`from` is .*\nFix: Pass `from: import\.meta\.url`/),
    ]);
  });
});
