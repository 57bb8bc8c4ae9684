import { existsSync, readFileSync } from "node:fs";
import type { PackageManifest, ToolkitManifest } from "@toolwright/core";
import type { ts } from "typescript-json-schema";
import { heritageOf } from "./class-chain.js";
import { corePackage } from "./decorators.js";
import { publicNameOf } from "./exports.js";
import type { Project } from "./project.js";

/**
 * What a tool package says about a class of which only declarations are installed: those have no decorators, so its
 * tools are known by the package's manifest. Undefined for classes whose source is there.
 */
export function inheritedManifest(
  base: ts.ClassLikeDeclaration,
  heir: ts.ClassLikeDeclaration,
  project: Project,
): ToolkitManifest | undefined {
  const file = base.getSourceFile();
  if (!file.isDeclarationFile || project.isLibrary(file)) return undefined;
  const { folder } = project.packageOfFile(file);
  const name = publicNameOf(base, project);
  const path = `${folder}/toolwright.manifest.json`;
  project.inputs.add(path);
  // Of another form, or broken, it brings no tools.
  const found = (readJson(path) as Partial<PackageManifest> | undefined)?.toolkits?.find(({ className }) => className === name);
  if (found === undefined && usesCore(folder)) {
    project.warn(heritageOf(heir) ?? heir.name ?? heir, `${heir.name?.text ?? "(class without a name)"}`, {
      code: "BUILD_UNKNOWN_BASE",
      reason: `${name ?? "The base class"} is known by its declarations only, which do not tell what of it is a tool.`,
      fix: `Declare each tool of it again: \`@Tool(…) method(…) { return super.method(…); }\`; or let its package export the class and list it in toolwright.manifest.json.`,
    });
  }
  return found;
}

function usesCore(folder: string): boolean {
  const { dependencies, peerDependencies } = (readJson(`${folder}/package.json`) ?? {}) as Record<string, object | undefined>;
  return Object.hasOwn(dependencies ?? {}, corePackage) || Object.hasOwn(peerDependencies ?? {}, corePackage);
}

function readJson(path: string): unknown {
  try {
    return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
  } catch {
    return undefined;
  }
}
