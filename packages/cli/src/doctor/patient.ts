import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type PackageManifest, ToolwrightError } from "@toolwright/core";
import { type PackageJson, textsOf } from "./finding.js";
import { pack, type PackedPackage } from "./pack.js";

/** What a check looks at: a package on disk, and what of it would be published. */
export class Patient {
  /** Absolute. */
  readonly folder: string;
  readonly packageJson: PackageJson;
  readonly #pack: (folder: string) => Promise<PackedPackage>;
  #packed: Promise<PackedPackage> | undefined;

  /** @throws ToolwrightError `BUILD_CONFIG` when there is no package.json, or it is no JSON. */
  constructor(folder: string, packing = pack) {
    this.folder = folder;
    this.#pack = packing;
    const text = this.read("package.json");
    if (text === undefined)
      throw new ToolwrightError("BUILD_CONFIG", "There is no package.json here.", {
        fix: "Run `toolwright doctor` in the folder of a tool package.",
      });
    const parsed = parse(text);
    if (parsed === undefined)
      throw new ToolwrightError("BUILD_CONFIG", "package.json is no JSON object.", { fix: "Correct the package.json." });
    this.packageJson = parsed;
    if (!this.#looksLikeTools())
      throw new ToolwrightError(
        "BUILD_CONFIG",
        `${String(parsed["name"])} is no tool package: it has no manifest, no generated module and no keyword.`,
        {
          fix: 'Run `toolwright doctor` in the folder of a tool package; "toolwright-tools" in "keywords" makes it one.',
        },
      );
  }

  #looksLikeTools(): boolean {
    const made = ["toolwright.manifest.json", "src/toolwright.generated.ts", "toolwright.generated.ts"];
    return textsOf(this.packageJson, "keywords").includes("toolwright-tools") || made.some((path) => existsSync(join(this.folder, path)));
  }

  /** A file's text; undefined when it is not there. */
  read(path: string): string | undefined {
    const place = join(this.folder, path);
    return existsSync(place) ? readFileSync(place, "utf8") : undefined;
  }

  /** The manifest; undefined when it is not there or is no JSON object. Only its form is known: the build wrote it. */
  manifest(): Partial<PackageManifest> | undefined {
    return parse(this.read("toolwright.manifest.json") ?? "");
  }

  /** What npm would publish, made once. */
  packed(): Promise<PackedPackage> {
    this.#packed ??= this.#pack(this.folder);
    return this.#packed;
  }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
