import { describe, expect, test } from "vitest";
import { compileCases } from "../../test-support/compile-cases.js";

const described = "/** Does what this case of the matrix is about. */";

const good = await compileCases({
  "every option": {
    types: "export class Refund { orderId!: string; amount!: number; note?: string } const seconds = 1000; enum Tags { Money = 'money' }",
    method: `${described}
      @Tool({ name: "give_back", effect: "write", resource: ["order:{orderId}", "ledger"], timeoutMs: 5 * seconds, idempotent: true, approval: "isLarge",
        query: "wasGiven", compensate: "takeBack", maxCalls: 3, echo: ["orderId"], tags: [Tags.Money, \`a\${1}\`] })
      run(refund: Refund, context: ToolContext): void {}
      async isLarge(context: ToolContext, refund: Refund): Promise<boolean> { return refund.amount > 100; }
      async wasGiven(orderId: string) { return orderId === "" ? { absent: true as const } : { done: true as const, result: 1 }; }
      takeBack(outcome: ToolOutcome, refund: Refund, context?: ToolContext): void {}`,
  },
  "hooks by name": {
    method: `${described} @Tool({ effect: "destructive", approval: "ask" })
      run(id: string, count?: number): void {}
      ask(count: number | undefined): boolean { return count !== 1; }`,
  },
  "approval always": { method: `${described} @Tool({ effect: "write", approval: true }) run(id: string): void {}` },
  "description by decorator": { method: '@Tool("Finds all the orders of one day.") run(day: string): void {}' },
  "doc comment": {
    method:
      '/**\n * Finds orders\n * of one day.\n *\n * Not of two: {@link Date two}.\n * @returns nothing\n */\n@Tool({ effect: "read" }) run(day: string): void {}',
  },
});

describe("options of @Tool in the manifest", () => {
  test("every option", () => {
    expect(good["every option"].problems).toEqual([]);
    const { parameters: _parameters, ...tool } = good["every option"].tool ?? {};
    expect(tool).toEqual({
      name: "give_back",
      method: "run",
      description: "Does what this case of the matrix is about.",
      effect: "write",
      resource: ["order:{orderId}", "ledger"],
      timeoutMs: 5000,
      idempotent: true,
      approval: { method: "isLarge", call: [{ context: true }, { arguments: true }] },
      query: { method: "wasGiven", call: [{ argument: "orderId" }] },
      compensate: { method: "takeBack", call: [{ outcome: true }, { arguments: true }, { context: true }] },
      maxCalls: 3,
      echo: ["orderId"],
      tags: ["money", "a1"],
      decode: { optional: ["note"], dto: "Refund" },
      call: [{ arguments: true }, { context: true }],
    });
  });

  test("hooks take arguments by name", () => {
    expect(good["hooks by name"].tool).toMatchObject({
      approval: { method: "ask", call: [{ argument: "count" }] },
      call: [{ argument: "id" }, { argument: "count" }],
    });
  });

  test("approval may be always", () => {
    expect(good["approval always"].tool?.approval).toBe(true);
  });

  test("descriptions come from the decorator or the doc comment", () => {
    expect(good["description by decorator"].tool).toMatchObject({ name: "run", description: "Finds all the orders of one day." });
    expect(good["doc comment"].tool?.description).toBe("Finds orders of one day.\n\nNot of two: two.");
  });

  test("a tool without an effect has none in the manifest", () => {
    expect(good["description by decorator"].tool).not.toHaveProperty("effect");
  });
});

const tool = (options: string, method = "run(id: string, note?: string, box?: { a: string }): void {}"): { method: string } => ({
  method: `${described} @Tool(${options}) ${method}`,
});

const wrong: Readonly<Record<string, { readonly method: string; readonly reasons: readonly RegExp[] }>> = {
  "an unknown option": { ...tool('{ effect: "read", efect: "read" } as never'), reasons: [/no option `efect`/] },
  "options of the wrong kind": {
    ...tool('{ effect: "reed", timeoutMs: -1, maxCalls: 1.5, idempotent: "yes", tags: [1], echo: "id", approval: false } as never'),
    reasons: [/`effect`/, /`timeoutMs`/, /`maxCalls`/, /`idempotent`/, /`tags`/, /`echo`/, /`approval`/],
  },
  "an option that is not constant": {
    ...tool('{ effect: "read", name: String(Math.random()) }'),
    reasons: [/`name` is not known at build time/],
  },
  "options that are not constant": { ...tool("(() => ({}))()"), reasons: [/The options are not known at build time/] },
  "a resource that names no argument": {
    ...tool('{ effect: "write", resource: "order:{orderId}" }'),
    reasons: [/names `orderId`, which is no argument/],
  },
  "a resource that may be absent": { ...tool('{ effect: "write", resource: "note:{note}" }'), reasons: [/`note`, which may be absent/] },
  "a resource that is an object": {
    ...tool('{ effect: "write", resource: "box:{box}" }', "run(box: { a: string }, id: string): void {}"),
    reasons: [/`box`, which is no text/],
  },
  "a resource with broken braces": { ...tool('{ effect: "write", resource: "order:{id" }'), reasons: [/braces .* do not match/] },
  "an echo that names no argument": { ...tool('{ effect: "write", echo: ["order"] }'), reasons: [/`echo` names `order`/] },
  "a hook that is not there": { ...tool('{ effect: "write", approval: "nowhere" }'), reasons: [/the class has no such method/] },
  "a hook that is private": {
    ...tool(
      '{ effect: "write", query: "look" }',
      "run(id: string): void {} private look(id: string) { return { absent: true as const }; }",
    ),
    reasons: [/not a public method/],
  },
  "a hook with other parameters": {
    ...tool('{ effect: "write", compensate: "undo" }', "run(id: string): void {} undo(id: number, other: string) {}"),
    reasons: [/takes `id` as number, but the tool has string/],
  },
  "a hook with one parameter more": {
    ...tool('{ effect: "write", compensate: "undo" }', "run(id: string): void {} undo(id: string, other: string) {}"),
    reasons: [/has a parameter `other`, which is no argument/],
  },
  "hooks that answer something else": {
    ...tool(
      '{ effect: "write", approval: "ask", query: "look" }',
      'run(id: string): void {} ask(id: string) { return "yes"; } look(id: string) { return id; }',
    ),
    reasons: [/must return a boolean/, /result has another form/],
  },
  "no description": { method: '@Tool({ effect: "read" }) run(id: string): void {}', reasons: [/has no description/] },
  "a name that the API does not take": { ...tool('{ effect: "read", name: "two words" }'), reasons: [/"two words" is not accepted/] },
  "a name that is too long": { ...tool(`{ effect: "read", name: "${"n".repeat(65)}" }`), reasons: [/1 to 64/] },
  "@Tool without parentheses": { method: `${described} @Tool run(id: string): void {}`, reasons: [/without parentheses/] },
  "a private method": { ...tool('{ effect: "read" }', "private run(id: string): void {}"), reasons: [/A private method/] },
  "a protected method": { ...tool('{ effect: "read" }', "protected run(id: string): void {}"), reasons: [/A protected method/] },
  "a #private method": { ...tool('{ effect: "read" }', "#run(id: string): void {}"), reasons: [/A #private method/] },
  "a static method": { ...tool('{ effect: "read" }', "static run(id: string): void {}"), reasons: [/A static method/] },
  "a getter": { ...tool('{ effect: "read" }', "get run() { return 1; }"), reasons: [/this is an accessor/] },
  "a property": { ...tool('{ effect: "read" }', "run = (id: string) => id;"), reasons: [/this is a property/] },
  "a generator": { ...tool('{ effect: "read" }', "*run(id: string) {}"), reasons: [/A generator/] },
  "a computed name": { ...tool('{ effect: "read" }', '["r" + "un"](id: string) {}'), reasons: [/computed name/] },
  "two methods of one name": {
    ...tool('{ effect: "read" }', `getOrder(id: string) {} ${described} @Tool({ effect: "read", name: "get_order" }) other(id: string) {}`),
    reasons: [/getOrder is named "get_order" for the model too/],
  },
};

const refused = await compileCases(wrong);

describe("tools that are refused", () => {
  test.each(Object.keys(wrong))("%s", (title) => {
    const reasons = (refused[title]?.problems ?? []).map(({ reason }) => reason);
    expect(reasons).toHaveLength(wrong[title]?.reasons.length ?? 0);
    for (const pattern of wrong[title]?.reasons ?? []) expect(reasons.some((reason) => pattern.test(reason))).toBe(true);
  });
});

const remarked = await compileCases({
  effect: { method: `${described} @Tool() run(@Param("Id of the thing, e.g. A-17.") id: string): void {}` },
  "a parameter's name": { method: `${described} @Tool({ effect: "read" }) run(@Param("Order ID") orderId: string): void {}` },
  "no description": { method: `${described} @Tool({ effect: "read" }) run(orderId: string): void {}` },
  "two descriptions": { method: `${described} @Tool({ effect: "read", description: "Something else than the comment." }) run(): void {}` },
  "two descriptions of a parameter": {
    method: `/** Does what it is about.\n * @param id One.\n */ @Tool({ effect: "read" }) run(@Param("Another.") id: string): void {}`,
  },
  "a vague description": { method: '/** Gets the order. */ @Tool({ effect: "read" }) getOrder(): void {}' },
  "a long description": { method: `@Tool({ effect: "read", description: "${"Finds all of it. ".repeat(70)}" }) run(): void {}` },
  "a parameter that says nothing": {
    method: `${described} @Tool({ effect: "read" }) run(@Param("The given order string.") order: string): void {}`,
  },
  "a context as such": { method: `${described} @Tool({ effect: "read" }) run(context: ToolContext): void {}` },
});

describe("what an author is told", () => {
  const expected: readonly (readonly [keyof typeof remarked, RegExp, RegExp])[] = [
    ["effect", /does not say what it does to the world/, /effect: "read"/],
    ["a parameter's name", /only repeats its name/, /Say what it means/],
    ["no description", /`orderId` has no description/, /@Param/],
    ["a long description", /has 1189 characters, and some servers refuse more than 1024/, /goes to that parameter/],
    ["a parameter that says nothing", /only repeats its name/, /"Id of the order, e\.g\. A-17"/],
    ["two descriptions", /@Tool and the doc comment describe the tool differently/, /Keep one/],
    ["two descriptions of a parameter", /@Param and the doc comment/, /Keep one/],
    [
      "a vague description",
      /says hardly more than the name/,
      /what the tool does, when to use it.* e\.g\. "Finds the orders of one customer/,
    ],
  ];

  test.each(expected)("%s", (title, reason, fix) => {
    const { problems, warnings } = remarked[title];
    expect(problems).toEqual([]);
    const [warning] = warnings.filter((each) => !each.reason.includes("for the model too"));
    expect(warning?.reason).toMatch(reason);
    expect(warning?.fix).toMatch(fix);
  });

  test("a good tool is not remarked on", () => {
    expect(remarked["a context as such"].warnings.filter((each) => !each.reason.includes("for the model too"))).toEqual([]);
  });
});
