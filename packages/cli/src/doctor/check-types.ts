import type { Problem } from "@arethetypeswrong/core";
import type { Finding } from "./finding.js";
import type { Patient } from "./patient.js";

/**
 * Ways of importing that matter for a package of ES modules: by Node (`import`), and by a bundler. `require()` of ES modules
 * works on the Node versions that Toolwright runs on.
 */
const ways = ["node16-esm", "bundler"] as const;

/** What "are the types wrong" says: whether types are found, and fit the code, for every entry with code. */
export async function checkTypes(patient: Patient): Promise<readonly Finding[]> {
  const { checkPackage, createPackageFromTarballData } = await import("@arethetypeswrong/core");
  const { problemAffectsResolutionKind, problemKindInfo } = await import("@arethetypeswrong/core/problems");
  const { tarball } = await patient.packed();
  const result = await checkPackage(createPackageFromTarballData(tarball));
  if (result.types === false) return [untyped()];
  const found = result.problems.filter((problem) => ways.some((way) => problemAffectsResolutionKind(problem, way, result)));
  return found.filter((problem) => !isOfJson(problem)).map((problem) => asFinding(problem, problemKindInfo[problem.kind]));
}

// The manifest is an entry without types, and needs none.
const isOfJson = (problem: Problem): boolean => "entrypoint" in problem && problem.entrypoint.endsWith(".json");

function asFinding(
  problem: Problem,
  info: { readonly title: string; readonly shortDescription: string; readonly docsUrl: string },
): Finding {
  const code = problem.kind.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
  const place = "entrypoint" in problem ? `"${problem.entrypoint}": ` : "typesFileName" in problem ? `${problem.typesFileName}: ` : "";
  return {
    code: `ATTW_${code}`,
    severity: "error",
    file: "package.json",
    message: `${place}${info.title} (${info.shortDescription}).`,
    fix: `Let "types" of the entry name the .d.ts beside its .js; more is at ${info.docsUrl}`,
  };
}

const untyped = (): Finding => ({
  code: "DOCTOR_NO_TYPES",
  severity: "warning",
  file: "package.json",
  message: "No types would be published.",
  fix: 'Compile with "declaration": true, and name them in "exports": { ".": { "types": "./dist/index.d.ts", … } }.',
});
