import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PackageManifest } from "@toolwright/core";
import { describe, expect, it } from "vitest";
import { root } from "../packaging/packed.js";

describe("X06: no tool that is shipped takes a path or an address from the model, which it would have to keep within bounds", () => {
  it.each(["tools-weather", "tools-orders"])("%s", async (folder) => {
    const manifest = JSON.parse(await readFile(join(root, "packages", folder, "toolwright.manifest.json"), "utf8")) as PackageManifest;
    const names = manifest.toolkits.flatMap(({ tools }) => tools.flatMap(({ parameters }) => namesIn(parameters)));
    expect(names.length).toBeGreaterThan(1);
    expect(names.filter((name) => /path|file|folder|directory|url|uri|host|endpoint/i.test(name))).toEqual([]);
  });
});

function namesIn(node: object): readonly string[] {
  const {
    properties = {},
    $defs = {},
    items,
    anyOf = [],
  } = node as { properties?: object; $defs?: object; items?: object; anyOf?: object[] };
  const inner = [...Object.values(properties), ...Object.values($defs), ...anyOf, ...(items === undefined ? [] : [items])] as object[];
  return [...Object.keys(properties), ...inner.flatMap(namesIn)];
}
