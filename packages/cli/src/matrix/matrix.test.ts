import { describe, expect, test } from "vitest";
import { expectStrict } from "../../test-support/expect-strict.js";
import { accepted } from "../../test-support/matrix/accepted.js";
import { compileMatrix } from "../../test-support/matrix/compile-matrix.js";
import { refused } from "../../test-support/matrix/refused.js";
import { renderGroup, slug } from "../../test-support/matrix/render.js";
import { typeErrors } from "../../test-support/matrix/type-errors.js";
import { typesPage } from "../../test-support/matrix/types-page.js";

// The goldens beside this file are written by `vitest -u`, and read by people before they are committed.
const good = await compileMatrix(accepted);
const bad = await compileMatrix(refused);

describe("types that become strict schemas", () => {
  test.each(good)("$title", async (group) => {
    expect(group.cases.flatMap(({ problems }) => problems)).toEqual([]);
    await expect(renderGroup(group)).toMatchFileSnapshot(`goldens/accepted/${slug(group.title)}.md`);
  });

  test.each(good.flatMap(({ title, cases }) => cases.map((each) => [title, each.title, each.tool?.parameters] as const)))(
    "%s: %s is accepted by three independent judges",
    (_, __, parameters) => {
      expect(parameters).toBeDefined();
      if (parameters !== undefined) expectStrict(parameters);
    },
  );
});

describe("whatever a schema allows, the type of the method allows", () => {
  const cases = good.flatMap((group) => group.cases);
  const sound = cases.filter(({ unsound }) => unsound === undefined);

  test("40 samples of each", async () => {
    expect(sound.length).toBeGreaterThan(150);
    expect(await typeErrors(sound, 40)).toBe("");
  }, 120_000);

  test("a type that the schema is too wide for would be found", async () => {
    const [one] = sound.filter(({ title }) => title === "a string");
    const narrower = sound.filter(({ title }) => title === "one text").map((each) => ({ ...each, tool: one?.tool }));
    expect(await typeErrors(narrower, 3)).toContain("is not assignable to");
  }, 120_000);

  test("only brands and enums of texts are left out, whose values cannot be written as such", () => {
    const reasons = new Set(cases.flatMap(({ unsound }) => unsound ?? []));
    expect([...reasons].sort()).toEqual([expect.stringContaining("brand"), expect.stringContaining("enum")]);
  });
});

describe("types that are refused", () => {
  test.each(bad)("$title", async (group) => {
    expect(group.cases.filter(({ problems }) => problems.length === 0).map(({ title }) => title)).toEqual([]);
    await expect(renderGroup(group)).toMatchFileSnapshot(`goldens/refused/${slug(group.title)}.md`);
  });

  test.each(bad.flatMap(({ title, cases }) => cases.map((each) => [title, each.title, each] as const)))(
    "%s: %s is shown in the source, with a way out",
    (_, __, { problems, tool }) => {
      expect(tool).toBeUndefined();
      for (const { line, column, excerpt, reason, fix } of problems) {
        expect(line).toBeGreaterThan(0);
        expect(column).toBe((excerpt?.start ?? -1) + 1);
        expect(excerpt?.text.slice(excerpt.start, excerpt.start + excerpt.length).trim()).not.toBe("");
        expect(`${reason} ${fix}`).not.toMatch(/undefined`|\[object|NaN|\/tmp|node_modules/);
      }
    },
  );
});

test("the page of types says what the compiler does", async () => {
  await expect(typesPage(good, bad)).toMatchFileSnapshot("../../../../docs/types.md");
});

test("the matrix has at least 150 cases", () => {
  expect([...accepted, ...refused].flatMap(({ cases }) => cases).length).toBeGreaterThanOrEqual(150);
});
