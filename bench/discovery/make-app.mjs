// An app with many tool packages installed, as npm would put them: manifests as `toolwright build` writes them, and code that
// must not be imported before it is called.
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { toolHash } from "@toolwright/core";

/** Makes the app in a folder of its own; `codeBytes` is how much code each package has. */
export function makeApp(packages, toolsEach, codeBytes) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolwright-discovery-")));
  const write = (path, content) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === "string" ? content : `${JSON.stringify(content, undefined, 2)}\n`);
  };
  const names = Array.from({ length: packages }, (_, index) => `@acme/tools-p${index}`);
  write("package.json", { name: "app", type: "module", dependencies: Object.fromEntries(names.map((name) => [name, "^1.0.0"])) });
  for (const [index, name] of names.entries()) {
    const at = `node_modules/${name}`;
    const exports = { ".": "./dist/index.js", "./toolwright.manifest.json": "./toolwright.manifest.json" };
    write(`${at}/package.json`, { name, version: "1.0.0", type: "module", exports });
    const manifest = manifestOf(name, index, toolsEach);
    write(`${at}/toolwright.manifest.json`, manifest);
    write(`${at}/dist/index.js`, codeOf(manifest, codeBytes));
  }
  mkdirSync(join(folder, "node_modules/@toolwright"), { recursive: true });
  symlinkSync(
    fileURLToPath(new URL("../node_modules/@toolwright/core", import.meta.url)),
    join(folder, "node_modules/@toolwright/core"),
    "dir",
  );
  return { folder, names };
}

function manifestOf(name, index, count) {
  const tools = Array.from({ length: count }, (_, tool) => toolOf(index, tool));
  return {
    format: 1,
    package: name,
    version: "1.0.0",
    engines: { "@toolwright/core": ">=0.1.0", node: ">=22.13" },
    needs: { hosts: ["api.acme.com"] },
    hashes: Object.fromEntries(tools.map((tool) => [tool.name, toolHash(tool)])),
    toolkits: [{ format: 1, className: "Tools", package: name, tools }],
  };
}

/** Tools of four usual forms. */
function toolOf(index, tool) {
  const name = `p${index}_tool_${tool}`;
  const properties = {
    id: { type: "string", description: "Number of the thing, e.g. A-1" },
    limit: { type: ["integer", "null"], minimum: 1, maximum: 100, description: "How many at most. Default 10." },
    ...(tool % 2 === 0 && { order: { type: "string", enum: ["price", "stock", "place"], description: "By what the answer is sorted" } }),
    ...(tool % 4 === 1 && { filter: { anyOf: [filter, { type: "null" }] } }),
    ...(tool % 4 === 3 && { pattern: { type: "string", pattern: "^[A-Z]{2}-[0-9]{1,6}$", description: "Number of an order" } }),
  };
  return {
    name,
    method: `tool${tool}`,
    description: `Looks up thing number ${tool} of package ${index} and tells its price, stock and place. Use it when such a thing is asked for.`,
    effect: "read",
    parameters: { type: "object", properties, required: Object.keys(properties), additionalProperties: false },
    decode: {
      optional: ["limit", ...(tool % 4 === 1 ? ["filter"] : [])],
      ...(tool % 4 === 1 && { properties: { filter: { anyOf: [{ properties: { from: { date: true } } }, null] } } }),
    },
    call: [{ arguments: true }, { context: true }],
  };
}

const filter = {
  type: "object",
  description: "Narrows the answer",
  properties: {
    from: { type: "string", format: "date-time", description: "Earliest time" },
    tags: { type: "array", items: { type: "string" }, description: "Any of these" },
  },
  required: ["from", "tags"],
  additionalProperties: false,
};

const codeOf = ({ package: name, toolkits: [toolkit] }, bytes) => `
import { defineToolPackage, Tool } from "@toolwright/core";
import { registerToolkit } from "@toolwright/core/generated";
(globalThis.imported ??= []).push(${JSON.stringify(name)});
class Tools { ${toolkit.tools.map(({ method }) => `${method}({ id }) { return id; }`).join(" ")} }
${toolkit.tools.map(({ method }) => `Tool({ effect: "read" })(Tools.prototype, "${method}");`).join("\n")}
const Registered = registerToolkit(Tools, ${JSON.stringify(toolkit)}, { methods: [] });
export const text = "${"x".repeat(bytes)}";
export default defineToolPackage({ needs: { hosts: ["api.acme.com"] }, create: () => [new Registered()] });
`;
