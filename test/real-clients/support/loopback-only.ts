import { Socket } from "node:net";
import { afterAll, beforeAll, expect, vi } from "vitest";

// Some of the clients send traces or warnings somewhere of their own accord, and read these when they are loaded.
Object.assign(process.env, { OPENAI_AGENTS_DISABLE_TRACING: "1", LANGSMITH_TRACING: "false", LANGCHAIN_TRACING_V2: "false" });
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const loopback = new Set(["127.0.0.1", "::1", "localhost"]);

/**
 * For all tests of a file: connections to other hosts fail before a name is looked up, and the file fails with them, even
 * if the client swallows the error.
 *
 * @returns the hosts that were tried, as they come.
 */
export function loopbackOnly(): string[] {
  const strangers: string[] = [];
  beforeAll(() => {
    const connect = Socket.prototype.connect as (this: Socket, ...parameters: unknown[]) => Socket; // one form for all overloads
    const guarded = vi.spyOn(Socket.prototype, "connect").mockImplementation(function guard(this: Socket, ...parameters: unknown[]) {
      const host = hostOf(parameters);
      if (host === undefined || loopback.has(host)) return Reflect.apply(connect, this, parameters);
      strangers.push(host);
      throw new Error(`A test tried to connect to ${host}.`);
    });
    return () => guarded.mockRestore();
  });
  afterAll(() => expect(strangers, "hosts other than this machine").toEqual([]));
  return strangers;
}

/** The host of any of the forms that `connect` takes; undefined for a path on this machine. */
function hostOf(parameters: readonly unknown[]): string | undefined {
  // Inside Node, options and callback come as one list.
  const [first, second] = (Array.isArray(parameters[0]) ? parameters[0] : parameters) as readonly unknown[];
  if (typeof first !== "object" || first === null) return typeof second === "string" ? second : "localhost";
  const { path, host } = first as { readonly path?: unknown; readonly host?: unknown };
  if (typeof host === "string") return host;
  return typeof path === "string" ? undefined : "localhost";
}
