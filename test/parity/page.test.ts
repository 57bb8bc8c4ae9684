import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string): string => readFileSync(root + path, "utf8");

interface Row {
  readonly place: string;
  readonly behaviour: string;
  readonly testedBy: string;
  readonly verdict: string;
  /** What stands after the verdict: a reason, citations, or both. */
  readonly rest: string;
}

const verdicts = ["covered", "not applicable", "different"] as const;
const header = ["behaviour", "tested by", "here"];

/** The rows of a page's tables. Cells hold no bar. */
function rowsOf(page: string): Row[] {
  const lines = read(page).split("\n");
  return lines.flatMap((line, index): Row[] => {
    if (!line.startsWith("|") || line.startsWith("| ---")) return [];
    const place = `${page}:${index + 1}`;
    const cells = line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim());
    if (cells.length !== 3) throw new Error(`${place} has ${cells.length} cells.`);
    if (cells.join() === header.join()) return [];
    const [behaviour, testedBy, here] = cells as [string, string, string];
    const [, verdict, rest] = /^\*\*(.+?)\*\* (.+)$/.exec(here) ?? [];
    return [{ place, behaviour, testedBy, verdict: String(verdict), rest: String(rest) }];
  });
}

interface Citation {
  readonly path: string;
  readonly hint: string;
}

const citations = ({ rest }: Row): Citation[] =>
  [...rest.matchAll(/`((?:test|packages)\/[^`]+)`: "([^"]+)"/g)].map(([, path, hint]) => ({ path: String(path), hint: String(hint) }));

/** Texts that begin what they stand in: a title after `it(`, `describe.each(table)(` or `])(`, a row of a table, a row's name. */
const title =
  /^\s*(?:(?:it|test|describe)\b[\w.]*(?:\(.*\))?\(|\](?: as const)?\)\(|\[+|\{? ?name: )?(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\\n]|\\.)*)`)/gm;

const titles = new Map<string, readonly string[]>();
function titlesOf(path: string): readonly string[] {
  const known = titles.get(path);
  if (known !== undefined) return known;
  const found = [...read(path).matchAll(title)].map((match) => String(match[1] ?? match[2] ?? match[3]).replaceAll(/\\(["'`])/g, "$1"));
  titles.set(path, found);
  return found;
}

const pages = readdirSync(`${root}docs/parity`).map((name) => `docs/parity/${name}`);
const rows = pages.flatMap(rowsOf);

describe("docs/parity.md and its pages", () => {
  it("every row has a behaviour, who tests it, and one of three verdicts", () => {
    const wrong = rows.filter(
      ({ behaviour, testedBy, verdict }) =>
        behaviour.length < 15 ||
        !["both", "openai-agents-js", "vercel/ai"].includes(testedBy) ||
        !(verdicts as readonly string[]).includes(verdict),
    );
    expect(wrong).toEqual([]);
    expect(rows.length).toBeGreaterThanOrEqual(150);
  });

  it("no behaviour stands there twice", () => {
    const seen = rows.map(({ behaviour }) => behaviour);
    expect(seen.filter((behaviour, index) => seen.indexOf(behaviour) !== index)).toEqual([]);
  });

  it("what is covered says by which test; what is not gives a reason", () => {
    const withoutTest = rows.filter((row) => row.verdict === "covered" && citations(row).length === 0);
    expect(withoutTest).toEqual([]);
    const withoutReason = rows.filter((row) => row.verdict !== "covered" && !/^[A-Z`].{15,}/.test(row.rest));
    expect(withoutReason).toEqual([]);
  });

  it("every test that is named is there", () => {
    const cited = rows.flatMap((row) => citations(row).map((citation) => ({ place: row.place, ...citation })));
    expect(cited.length).toBeGreaterThan(150);
    const missing = cited.filter(
      ({ path, hint }) =>
        hint.length < 8 || !path.endsWith(".test.ts") || !existsSync(root + path) || !titlesOf(path).some((text) => text.includes(hint)),
    );
    expect(missing).toEqual([]);
  });

  it("the counts on the first page are those of the tables, page by page", () => {
    const count = (page: string, verdict: string) =>
      rows.filter((row) => row.place.startsWith(`${page}:`) && row.verdict === verdict).length;
    const lines = pages.map((page) => {
      const name = page.slice("docs/parity/".length, -".md".length);
      return `| [${name.replaceAll("-", " ")}](parity/${name}.md) | ${verdicts.map((verdict) => count(page, verdict)).join(" | ")} |`;
    });
    const total = verdicts.map((verdict) => rows.filter((row) => row.verdict === verdict).length);
    const told = read("docs/parity.md").split("\n");
    expect([...lines, `| all | ${total.join(" | ")} |`].filter((line) => !told.includes(line))).toEqual([]);
  });
});
