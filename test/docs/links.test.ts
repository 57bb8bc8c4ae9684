import { access, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

async function pages(): Promise<readonly string[]> {
  const docs = await readdir(join(root, "docs"), { recursive: true });
  const packages = await readdir(join(root, "packages"));
  const readmes = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "examples/README.md",
    ...packages.map((name) => `packages/${name}/README.md`),
  ];
  return [...readmes, ...docs.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`)];
}

const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");

/** The links of a page that lead to files of this repository, with the heading they point to. */
function linksOf(text: string): readonly (readonly [file: string, heading: string])[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, "").replaceAll(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => target.split("#") as [string, string?])
    .map(([file, heading = ""]) => [file, heading] as const);
}

it("every link between the pages leads somewhere", async () => {
  const dead: string[] = [];
  for (const page of await pages()) {
    const text = await readFile(join(root, page), "utf8").catch(() => "");
    for (const [file, heading] of linksOf(text)) {
      const target = file === "" ? page : join(dirname(page), file);
      const found = await access(join(root, target)).then(
        () => true,
        () => false,
      );
      const headings =
        heading === "" || !found
          ? [heading]
          : (await readFile(join(root, target), "utf8")).split("\n").filter((line) => line.startsWith("#"));
      const there = heading === "" || headings.some((line) => slug(line.replace(/^#+ /, "")) === heading);
      if (!found || !there) dead.push(`${page}: ${file}${heading === "" ? "" : `#${heading}`}`);
    }
  }
  expect(dead).toEqual([]);
});
