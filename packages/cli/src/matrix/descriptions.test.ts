import { expect, test } from "vitest";
import { compileCases } from "../../test-support/compile-cases.js";
import { closed, numberOrNull } from "../../test-support/schema-forms.js";

const compiled = await compileCases({
  "every place": {
    types: "interface OneLine { /** First. */ a: string; /** Second. */ b: string }",
    method: `/**
   * Does it, and says so in
   * two lines.
   *
   * @param first The first of both.
   */
  @Tool({ effect: "read" })
  run(first: string, @Param("The second.") second: string, @Param({ description: "The third." }) third: OneLine, /** The fourth. */ fourth?: number): void {}`,
  },
  "a default that is told already": {
    method: 'run(@Param("How many days. Default 3.") days = 3): void {}',
  },
});

const overloaded = await compileCases({
  overloads: {
    method: `run(a: string): void;
      run(a: number): void;
      /** Does one of two things. */ @Tool({ effect: "read" }) run(a: string | number): void {}`,
  },
  "one overload": {
    method: 'run(a: string): void;\n /** Does one of two things. */ @Tool({ effect: "read" }) run(a: string | number): void {}',
  },
});

test("descriptions come from doc comments, their @param tags and decorators", () => {
  expect(compiled["every place"].problems).toEqual([]);
  expect(compiled["every place"].tool?.description).toBe("Does it, and says so in two lines.");
  expect(compiled["every place"].tool?.parameters).toEqual(
    closed({
      first: { type: "string", description: "The first of both." },
      second: { type: "string", description: "The second." },
      third: closed(
        { a: { type: "string", description: "First." }, b: { type: "string", description: "Second." } },
        { description: "The third." },
      ),
      fourth: { ...numberOrNull, description: "The fourth." },
    }),
  );
});

test("a default that the author tells is not told again", () => {
  const { days } = compiled["a default that is told already"].tool?.parameters.properties ?? {};
  expect(days).toEqual({ ...numberOrNull, description: "How many days. Default 3." });
});

test.each(["overloads", "one overload"] as const)("a method with %s is refused", (title) => {
  expect(overloaded[title].problems.map(({ reason }) => reason)).toEqual(["The method has overloads, and a tool has one schema."]);
});
