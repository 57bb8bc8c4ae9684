// pnpm check [name …]: everything but the tests, a line each, with what is wrong below it. All run even if one fails.
import { ensureInstalled } from "./lib/install.mjs";
import { run } from "./lib/run.mjs";

const checks = {
  build: ["node", "scripts/build.mjs", "--frozen"],
  format: ["oxfmt", "--check", "."],
  lint: ["oxlint", "--deny-warnings"],
  types: ["tsc", "-b"],
  imports: ["node", "scripts/checks/imports.mjs"],
  generated: ["node", "scripts/checks/generated.mjs"],
  errors: ["node", "scripts/errors-page.mjs", "--check"],
  unused: ["knip", "--no-progress"],
  length: ["node", "scripts/checks/length.mjs"],
  text: ["node", "scripts/checks/text.mjs"],
};

const unknown = process.argv.slice(2).filter((name) => !Object.hasOwn(checks, name));
if (unknown.length > 0) {
  console.error(`There is no check ${unknown.join(", ")}. There are: ${Object.keys(checks).join(", ")}.`);
  process.exit(2);
}
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(checks);

await ensureInstalled();
let failed = 0;
for (const name of wanted) {
  const [command, ...parameters] = checks[name];
  const start = performance.now();
  const { code, output } = await run(command, parameters, { quiet: true });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${code === 0 ? "ok    " : "failed"}  ${name} (${seconds} s)`);
  if (code === 0) continue;
  failed += 1;
  console.log(output.trimEnd().replace(/^/gm, "    "));
}
console.log(`${wanted.length - failed} ok, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
