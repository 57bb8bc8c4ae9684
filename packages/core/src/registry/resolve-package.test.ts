import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { resolverOf } from "./resolve-package.js";

/** A folder with these files; a text that begins with `->` is a link to another place in it. */
function tree(files: Readonly<Record<string, string | object>>): Disposable & { readonly folder: string } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolwright resolve ")));
  for (const [path, content] of Object.entries(files)) {
    const place = join(folder, path);
    mkdirSync(dirname(place), { recursive: true });
    if (typeof content === "string" && content.startsWith("->")) symlinkSync(join(folder, content.slice(2)), place, "dir");
    else writeFileSync(place, typeof content === "string" ? content : JSON.stringify(content));
  }
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

const manifest = "toolwright.manifest.json";
const at = (folder: string, json: object, file = manifest): Readonly<Record<string, string | object>> => ({
  [`${folder}/package.json`]: json,
  [`${folder}/${file}`]: "{}",
});
const exportsTo = (target: unknown): object => ({ name: "p", exports: { ".": "./index.js", [`./${manifest}`]: target } });

describe("a manifest is found where Node would find it", () => {
  const cases: readonly (readonly [title: string, files: Readonly<Record<string, string | object>>, name?: string])[] = [
    ["exported by its path", at("node_modules/p", exportsTo(`./${manifest}`))],
    ["exported from a folder", at("node_modules/p", exportsTo(`./dist/${manifest}`), `dist/${manifest}`)],
    ["without exports", at("node_modules/p", { name: "p" })],
    ["with exports that are null", at("node_modules/p", { name: "p", exports: null })],
    ["with exports that are a path", at("node_modules/p", { name: "p", exports: "./index.js" })],
    ["not exported", at("node_modules/p", { name: "p", exports: { ".": "./index.js" } })],
    ["exported by conditions", at("node_modules/p", exportsTo({ browser: "./no.json", default: `./${manifest}` }))],
    ["exported by conditions that do not hold", at("node_modules/p", exportsTo({ browser: `./${manifest}` }))],
    ["exported by a list", at("node_modules/p", exportsTo([`./${manifest}`]))],
    ["blocked", at("node_modules/p", exportsTo(null))],
    ["exported by a pattern", at("node_modules/p", { name: "p", exports: { "./*": "./*" } })],
    ["exported by a pattern of another ending", at("node_modules/p", { name: "p", exports: { "./*.js": "./*.js" } })],
    ["exported, and not there", { "node_modules/p/package.json": exportsTo(`./${manifest}`) }],
    ["exported to a place outside", { ...at("node_modules/p", exportsTo(`./../${manifest}`)), [`node_modules/${manifest}`]: "{}" }],
    ["exported without a leading dot", at("node_modules/p", exportsTo(manifest))],
    ["exported into another package", at("node_modules/p", exportsTo(`./node_modules/q/${manifest}`), `node_modules/q/${manifest}`)],
    ["in a folder above", at("../node_modules/p", { name: "p" })],
    [
      "in a folder above, hidden by one without",
      { ...at("../node_modules/p", { name: "p" }), "node_modules/p/package.json": { name: "p" } },
    ],
    ["in a folder above, beside an empty folder", { ...at("../node_modules/p", { name: "p" }), "node_modules/p/x": "" }],
    ["by a link", { ...at("store/p", exportsTo(`./${manifest}`)), "node_modules/p": "->app/store/p" }],
    ["nowhere", { "package.json": {} }],
    ["with a package.json that has a wrong form", { "node_modules/p/package.json": "[]", [`node_modules/p/${manifest}`]: "{}" }],
    ["of a scope", at("node_modules/@acme/p", { name: "@acme/p" }), "@acme/p"],
    ["of the app itself", at(".", { ...exportsTo(`./${manifest}`), name: "app" }), "app"],
  ];
  it.each(cases.map(([title, files, name = "p"]) => [title, files, name] as const))("%s", (_, files, asked) => {
    using folder = tree(Object.fromEntries(Object.entries(files).map(([path, content]) => [join("app", path), content])));
    const file = join(folder.folder, "app/main.js");
    let expected: string | undefined;
    try {
      expected = createRequire(file).resolve(`${asked}/${manifest}`);
    } catch {
      expected = undefined;
    }
    expect(resolverOf(file, "app")(asked)).toBe(expected);
  });
});
