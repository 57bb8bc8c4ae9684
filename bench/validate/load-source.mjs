// The parts are internal, so they are bundled from source; beside the bench, so that optional peers resolve.
import { mkdtemp, rm } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

/** The URL of a module with the parts that read arguments. Removed at the end of the scope. */
export async function bundledSource() {
  const folder = await mkdtemp(fileURLToPath(new URL("../node_modules/.validate-", import.meta.url)));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const outfile = `${folder}/schema.mjs`;
    await build({
      stdin: {
        contents: 'export { parseArguments } from "./parse-arguments.js"; export { argumentChecker } from "./argument-checker.js";',
        resolveDir: fileURLToPath(new URL("../../packages/core/src/schema/", import.meta.url)),
      },
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      external: ["class-validator", "class-transformer"],
    });
    return { url: pathToFileURL(outfile).href, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
