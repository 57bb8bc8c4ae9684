// Writes the picture of docs/middleware/order.md, from what `explain()` says of the pipeline that the page shows.
//   --check  compares the picture, and the pipeline that the page shows, instead
import { readFile, writeFile } from "node:fs/promises";
import { onionSvg } from "./lib/onion.mjs";
import { shownPipeline } from "./lib/shown-pipeline.mjs";

const file = (name) => new URL(`../docs/middleware/${name}`, import.meta.url);
const explained = (await shownPipeline()).explain();
const picture = onionSvg(explained);

if (!process.argv.includes("--check")) {
  await writeFile(file("onion.svg"), picture);
} else {
  const problems = [];
  if ((await readFile(file("onion.svg"), "utf8")) !== picture)
    problems.push("docs/middleware/onion.svg is not what explain() says: run `node scripts/onion.mjs`.");
  const written = /middleware: \[\n([\s\S]*?)\n {2}\]/.exec(await readFile(file("order.md"), "utf8"))?.[1] ?? "";
  const names = [...written.matchAll(/(?:\.\.\.)?(\w+)\(/g)].map(([, name]) => name);
  const shown = names.flatMap((name) => (name === "standard" ? ["toolErrors", "modelRetry", "toolRetry"] : [name]));
  const given = explained.middleware.toSorted((left, right) => left.given - right.given).map(({ kind }) => kind);
  if (shown.join() !== given.join())
    problems.push(`docs/middleware/order.md shows ${shown.join(", ")}; the picture is of ${given.join(", ")}.`);
  console.log(problems.join("\n") || "The picture is what explain() says.");
  process.exitCode = problems.length > 0 ? 1 : 0;
}
