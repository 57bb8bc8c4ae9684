import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answers, type App, buildApp } from "./project.js";
import { results } from "./results.js";
import { toolchains, typescript7 } from "./toolchains.js";

/** Classes of the apps: a minifier takes their names away. */
const classNames = /class (Calculator|Orders|Queries|QueryTools|Storage|Points|Order|Line|Pickup|Notes|SharedNotes|Tag)\b/;

describe.each(["legacy", "standard"] as const)("tools with %s decorators, built once", { timeout: 120_000 }, (decorators) => {
  let app: App;
  let expected: Answers;
  /** Modules that Node runs as they are, by toolchain. */
  const compiled = new Map<string, string>();

  beforeAll(async () => {
    app = await buildApp(decorators);
    const entry = await typescript7.compile(app, decorators);
    compiled.set(typescript7.name, entry);
    expected = only(await app.answers("import", [entry]));
  }, 120_000);
  afterAll(() => app[Symbol.asyncDispose]());

  it("work under tsc 7: what is sent is what is defined, and each call has its own result", () => {
    expect(expected.sent).toEqual(expected.definitions);
    expect(expected.results).toEqual(results[decorators]);
  });

  it.each(toolchains.filter((toolchain) => toolchain.decorators.includes(decorators)))(
    "are the same to the model and to their callers under $name",
    async ({ name, compile, flags, run }) => {
      const entry = await compile(app, decorators);
      if (flags === undefined && run === undefined) compiled.set(name, entry);
      if (name.includes("minified")) expect(await readFile(join(app.directory, entry), "utf8")).not.toMatch(classNames);
      const answers = run === undefined ? only(await app.answers("import", [entry], flags)) : await run(app);
      expect(answers).toEqual(expected);
      // As text too, since a model writes keys in the order of the schema.
      expect(JSON.stringify(answers.definitions)).toBe(JSON.stringify(expected.definitions));
    },
  );

  it("are the same when they are required, whatever compiled them", async () => {
    expect(compiled.size).toBeGreaterThan(3);
    const answers = await app.answers("require", [...compiled.values()]);
    [...compiled.keys()].forEach((name, index) => expect(answers[index], name).toEqual(expected));
    expect(await app.answers("require", ["src/main.ts"], ["--import", "tsx"])).toEqual([expected]);
  });
});

function only([answers]: readonly Answers[]): Answers {
  if (answers === undefined) throw new Error("The app gave no answers.");
  return answers;
}
