import { Agent, defineTool, type RunResult, type ToolContext } from "@toolwright/core";
import { describe, expect, expectTypeOf, it } from "vitest";

interface User {
  readonly userId: string;
}
interface Tenant {
  readonly tenant: number;
}

const parameters = { type: "object", properties: { n: { type: "integer" } } } as const;
const options = { description: "Does it.", parameters } as const;
const free = defineTool({ ...options, name: "free", execute: ({ n }) => n });
const forUser = defineTool({ ...options, name: "for_user", execute: (_, { app }: ToolContext<User>) => app.userId });
const forTenant = defineTool({ ...options, name: "for_tenant", execute: (_, { app }: ToolContext<Tenant>) => app.tenant });

class NotBuilt {
  look(): string {
    return "seen";
  }
}

const code = (make: () => unknown): unknown => {
  try {
    make();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return "nothing was thrown";
};

describe("what an agent takes as tools", () => {
  it("an instance of a class that was not built neither compiles nor starts, and the error names the import", () => {
    // @ts-expect-error The class comes from its own source file, not from a generated module.
    const make = () => new Agent({ model: "test", tools: [new NotBuilt()] });
    expect(make).toThrow(
      expect.objectContaining({
        code: "TOOL_UNREGISTERED",
        fix: expect.stringContaining('import { NotBuilt } from "./toolwright.generated.js"'),
      }),
    );
  });

  it("a class instead of an instance neither compiles nor starts", () => {
    // @ts-expect-error The constructor itself is no tool.
    const make = () => new Agent({ model: "test", tools: [NotBuilt] });
    expect(make).toThrow(expect.objectContaining({ code: "RUN_OPTIONS", fix: expect.stringContaining("new NotBuilt") }));
  });

  it("a function neither compiles nor starts", () => {
    // @ts-expect-error A bare function has no schema.
    const make = () => new Agent({ model: "test", tools: [() => "seen"] });
    expect(make).toThrow(expect.objectContaining({ code: "RUN_OPTIONS", fix: expect.stringContaining("defineTool") }));
  });

  it("a plain object neither compiles nor starts", () => {
    // @ts-expect-error It was not made with defineTool.
    const make = () => new Agent({ model: "test", tools: [{ name: "look", execute: () => "seen" }] });
    expect(make).toThrow(expect.objectContaining({ code: "RUN_OPTIONS", fix: expect.stringContaining("defineTool") }));
  });

  it("a wire definition of a function tool neither compiles nor starts: nothing would answer its calls", () => {
    // @ts-expect-error It is made with defineTool.
    expect(code(() => new Agent({ model: "test", tools: [{ type: "function", name: "look", parameters }] }))).toBe("RUN_OPTIONS");
  });

  it("a hosted tool goes through as it is", () => {
    expect(code(() => new Agent({ model: "test", tools: [{ type: "web_search" }, free] }))).toBe("nothing was thrown");
  });

  it("a misspelt option neither compiles nor starts", () => {
    // @ts-expect-error It is `instructions`.
    const make = () => new Agent({ model: "test", instruction: "Be brief." });
    expect(make).toThrow(expect.objectContaining({ code: "RUN_OPTIONS", message: expect.stringContaining("instruction") }));
  });
});

describe("what an agent's run asks for", () => {
  it("an agent whose tools ask for nothing runs without options", () => {
    const agent = new Agent({ model: "test", tools: [free] });
    expectTypeOf(agent).toEqualTypeOf<Agent<unknown, string>>();
    expectTypeOf(agent.run).toBeCallableWith("Go.");
    expectTypeOf(agent.run).toBeCallableWith("Go.", {});
    expectTypeOf(agent.stream).toBeCallableWith("Go.");
    expectTypeOf<Awaited<ReturnType<typeof agent.run>>>().toEqualTypeOf<RunResult>();
  });

  it("an agent whose tools ask for a context requires it in run, stream and resume", () => {
    const agent = new Agent({ model: "test", tools: [forUser, free] });
    expectTypeOf(agent).toEqualTypeOf<Agent<User, string>>();
    expectTypeOf(agent.run).toBeCallableWith("Go.", { app: { userId: "u1" } });
    const calls = () => [
      // @ts-expect-error `app` is missing with all options.
      agent.run("Go."),
      // @ts-expect-error `app` is missing.
      agent.run("Go.", {}),
      // @ts-expect-error `app` lacks the user.
      agent.run("Go.", { app: {} }),
      // @ts-expect-error `app` is missing in a stream.
      agent.stream("Go."),
      // @ts-expect-error `app` is missing when a run goes on.
      agent.resume("{}"),
    ];
    expectTypeOf(calls).toBeFunction();
  });

  it("tools that ask for different things fit an agent that asks for all of them", () => {
    const agent = new Agent<User & Tenant>({ model: "test", tools: [forUser, forTenant, free] });
    expectTypeOf(agent.run).toBeCallableWith("Go.", { app: { userId: "u1", tenant: 7 } });
    // @ts-expect-error The tenant is missing.
    const run = () => agent.run("Go.", { app: { userId: "u1" } });
    expectTypeOf(run).toBeFunction();
  });
});
