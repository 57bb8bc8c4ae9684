import { checkCode } from "./check-code.js";
import { checkBuild, checkContents, checkManifest } from "./check-manifest.js";
import { checkPackageJson } from "./check-package-json.js";
import { checkPublint } from "./check-publint.js";
import { checkReadme } from "./check-readme.js";
import { checkTypes } from "./check-types.js";
import type { Finding } from "./finding.js";
import type { Patient } from "./patient.js";

/** Looks at one side of a package. Runs nothing of its code. */
export type Check = (patient: Patient) => readonly Finding[] | Promise<readonly Finding[]>;

const checks: readonly Check[] = [checkPackageJson, checkBuild, checkManifest, checkContents, checkCode, checkReadme, checkPublint];

/**
 * All that would go wrong after publishing a package, errors first.
 *
 * @throws ToolwrightError `BUILD_CONFIG` when npm cannot pack it.
 */
export async function diagnose(patient: Patient, some: readonly Check[] = checks): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const check of some) found.push(...(await check(patient)));
  // Types of files that are not there would be said a second time, in other words.
  const isWhole = !found.some(({ code, severity }) => severity === "error" && /^(PUBLINT|DOCTOR_NO_(ROOT_)?EXPORT)/.test(code));
  if (some === checks && isWhole) found.push(...(await checkTypes(patient)));
  const isError = ({ severity }: Finding): number => (severity === "error" ? 0 : 1);
  return distinct(found).sort((one, other) => isError(one) - isError(other));
}

function distinct(findings: readonly Finding[]): Finding[] {
  const key = ({ code, file, line, column, message }: Finding): string => JSON.stringify([code, file, line, column, message]);
  return [...new Map(findings.map((finding) => [key(finding), finding])).values()];
}
