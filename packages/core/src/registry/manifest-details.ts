import type { PackageConfigManifest, PackageManifest, PackageNeeds } from "../contracts/manifest.js";
import { satisfies } from "./version-range.js";

const needsKeys = ["hosts", "files", "environment"];

/** What is wrong with what a manifest says of the package as a whole, as a phrase; undefined when nothing is. */
export function detailsProblem({ version, engines, needs, config, hashes }: Partial<PackageManifest>): string | undefined {
  if (!/^[\w.+-]{1,128}$/.test(version ?? "")) return "it has no version";
  if (engines !== undefined) {
    if (!isTextRecord(engines)) return "its `engines` are not ranges by name";
    const unreadable = Object.entries(engines).find(([, range]) => satisfies("0.0.0", range) === undefined);
    if (unreadable !== undefined) return `the range ${JSON.stringify(unreadable[1])} of its engine ${unreadable[0]} cannot be read`;
  }
  if (hashes !== undefined && !isTextRecord(hashes)) return "its `hashes` are not texts by tool";
  return needsProblem(needs) ?? configProblem(config);
}

function needsProblem(needs: PackageNeeds | undefined): string | undefined {
  if (needs === undefined) return undefined;
  if (!isObject(needs)) return "its `needs` are no object";
  for (const [key, list] of Object.entries(needs)) {
    // What is not known here could not be shown to the one who approves it.
    if (!needsKeys.includes(key)) return `it needs ${JSON.stringify(key)}, which this release does not know`;
    if (!isTexts(list)) return `its \`needs.${key}\` is no list of texts`;
  }
  return undefined;
}

function configProblem(config: PackageConfigManifest | undefined): string | undefined {
  if (config === undefined) return undefined;
  if (!isObject(config)) return "its `config` is no object";
  const { schema, environment, secrets } = config;
  if (schema !== undefined && !isObject(schema)) return "its `config.schema` is no schema";
  if (secrets !== undefined && !isTexts(secrets)) return "its `config.secrets` is no list of keys";
  if (environment === undefined) return undefined;
  if (!isTextRecord(environment)) return "its `config.environment` has no names by key";
  const wrong = Object.values(environment).find((name) => !isVariableName(name));
  return wrong === undefined ? undefined : `${JSON.stringify(wrong)} is no name of an environment variable`;
}

/** Whether a text can be the name of an environment variable everywhere. */
export const isVariableName = (name: unknown): boolean => typeof name === "string" && /^[A-Za-z_]\w{0,127}$/.test(name);

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null && !Array.isArray(value);

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= 100 && value.every((entry) => typeof entry === "string" && entry !== "" && entry.length <= 512);

const isTextRecord = (value: unknown): boolean => isObject(value) && Object.values(value).every((entry) => typeof entry === "string");
