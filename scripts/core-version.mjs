// Writes the version of packages/core/package.json into the constant that a bundle knows it by.
import { readFile, writeFile } from "node:fs/promises";

const inCore = (path) => new URL(`../packages/core/${path}`, import.meta.url);
const { version } = JSON.parse(await readFile(inCore("package.json"), "utf8"));
const source = await readFile(inCore("src/registry/core-version.ts"), "utf8");
await writeFile(inCore("src/registry/core-version.ts"), source.replace(/coreVersion = ".*"/, `coreVersion = ${JSON.stringify(version)}`));
