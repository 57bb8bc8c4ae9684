import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { Command } from "commander";
import type { ImportedApi } from "../openapi/import-openapi.js";
import { counted, type Output } from "./output.js";

interface ImportFlags {
  readonly out?: string;
  readonly name?: string;
  readonly json?: boolean;
}

/** Adds `toolwright import openapi` to the program. */
export function addImport(program: Command, output: Output, exit: (code: number) => void): void {
  program
    .command("import")
    .description("Writes tool classes from a description of an API.")
    .command("openapi")
    .description("Writes tool classes from an OpenAPI 3 document, ready to edit. Fetches nothing, overwrites nothing.")
    .argument("<file>", "the document, JSON or YAML")
    .option("-o, --out <folder>", "where the files go (default: src if it is there, else this folder)")
    .option("-n, --name <name>", "what the API is called in names of files and classes (default: its title)")
    .option("--json", "what was done as one JSON object on one line")
    .action(async (file: string, { out = existsSync("src") ? "src" : ".", name, json = false }: ImportFlags) => {
      const [{ readDocument }, { importOpenApi }, { inTheWay, writeProject }] = await Promise.all([
        import("../openapi/read-document.js"),
        import("../openapi/import-openapi.js"),
        import("../scaffold/write-project.js"),
      ]);
      const { document, warnings } = await readDocument(file);
      const imported = importOpenApi(document, name);
      const target = resolve(out);
      const obstacles = inTheWay(target, imported.files);
      const isWritten = imported.files.length > 0 && obstacles.length === 0;
      if (isWritten) writeProject(target, imported.files);
      exit(isWritten ? 0 : 1);
      const files = imported.files.map(({ path }) => relative(process.cwd(), join(target, path)).replaceAll("\\", "/"));
      if (json)
        return output.out(
          JSON.stringify({
            version: 1,
            ok: isWritten,
            files: isWritten ? files : [],
            toolkits: imported.toolkits,
            inTheWay: obstacles,
            notes: imported.notes,
            warnings,
            declaration: imported.declaration,
          }),
        );
      for (const warning of warnings) output.error(`${file}  warning: ${warning}`);
      report(imported, isWritten ? files : [], output);
      if (obstacles.length > 0)
        output.error(
          `In ${out} there is already: ${obstacles.join(", ")}\nNothing was written.\nFix: name another folder by --out, or another name by --name.`,
        );
    });
}

function report({ toolkits, declaration, notes }: ImportedApi, files: readonly string[], output: Output): void {
  for (const { kind, where, reason } of notes) output.error(`${kind}  ${where}: ${reason}`);
  const tools = toolkits.flatMap(({ methods }) => methods).length;
  if (tools === 0) return output.error("No operation of the document can be a tool; nothing was written.");
  if (files.length === 0) return;
  output.out(`${counted(tools, "tool")} in ${toolkits.map(({ className }) => className).join(", ")}: wrote ${files.join(", ")}`);
  output.out("Next: read the classes and shorten what you do not need, then run `npx toolwright build`.");
  output.out(`A tool package of them is declared by\n  ${declaration}`);
}
