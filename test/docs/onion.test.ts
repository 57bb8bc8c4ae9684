import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { onionSvg } from "../../scripts/lib/onion.mjs";
import { shownPipeline } from "../../scripts/lib/shown-pipeline.mjs";

const page = (name: string): Promise<string> => readFile(new URL(`../../docs/middleware/${name}`, import.meta.url), "utf8");

describe("docs/middleware/order.md", () => {
  it("has the picture of the pipeline that it shows, as explain() tells it", async () => {
    const explained = (await shownPipeline()).explain();
    expect(await page("onion.svg")).toBe(onionSvg(explained));
    const written = /middleware: \[\n([\s\S]*?)\n {2}\]/.exec(await page("order.md"))?.[1] ?? "";
    const names = [...written.matchAll(/(?:\.\.\.)?(\w+)\(/g)].map(([, name]) => name);
    const given = explained.middleware.toSorted((left, right) => left.given - right.given).map(({ kind }) => kind);
    expect(names.flatMap((name) => (name === "standard" ? ["toolErrors", "modelRetry", "toolRetry"] : [name]))).toEqual(given);
  });
});
