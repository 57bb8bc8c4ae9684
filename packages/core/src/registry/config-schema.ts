import type { PackageManifest } from "../contracts/manifest.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { compileArguments } from "../schema/compile-schema.js";
import { strictFromJsonSchema } from "../schema/strict-from-json-schema.js";
import { configInput, type Environment, kindsOf } from "./config-input.js";
import { wayToGive, wrongConfig } from "./wrong-config.js";

/** Why a configuration could not be checked against the schema of a manifest; undefined when it can be, or there is none. */
export function configSchemaProblem({ config }: PackageManifest): string | undefined {
  if (config?.schema === undefined) return undefined;
  try {
    strictFromJsonSchema(config.schema, "config");
    return undefined;
  } catch (error) {
    return `its \`config.schema\` cannot be checked${ToolwrightError.is(error) ? "" : ": it has values of the wrong kind"}`;
  }
}

/**
 * Checks what is given for a package's configuration against its manifest, before any of its code is imported. What the
 * types do not tell, the package's own class checks when it is.
 *
 * @throws ToolwrightError `REGISTRY_CONFIG` naming the keys, never their values.
 */
export function assertConfig(
  { package: name, config, ...manifest }: PackageManifest,
  given: object | undefined,
  environment: Environment,
): void {
  if (config === undefined) {
    // A manifest without `engines` was built before it told of configurations.
    if (given !== undefined && manifest.engines !== undefined)
      throw wrongConfig(name, "it takes no configuration, and one was given", `Remove \`config\` from \`allow["${name}"]\`.`);
    return;
  }
  const { schema, environment: names } = config;
  if (schema === undefined) return;
  const input = configInput(given, names, environment, kindsOf(schema));
  const { schema: strict, plan } = strictFromJsonSchema(schema, "config");
  const checked = compileArguments(strict, plan).check(plain(input.given ?? {}));
  if (checked.ok) return;
  // A key that may be absent takes null in a strict schema, and in no other way.
  const list = checked.issues.map(
    ({ path, expected, received }) => `${shown(path, input.variables)} (expected ${expected.replace(/ or null$/, "")}, got ${received})`,
  );
  const what = input.given === undefined ? "there is none, and it does not hold without" : "it does not hold";
  const keys = checked.issues.map(({ path }) => path);
  throw wrongConfig(name, `${what}: ${list.join(", ")}`, wayToGive(name, keys, input, names));
}

const shown = (path: string, variables: Readonly<Record<string, string>>): string => {
  const key = path.split(".")[0] as string;
  return Object.hasOwn(variables, key) ? `${path} from ${variables[key]}` : path;
};

// As the schema sees it: a Date is a text, and what is no data is not there.
function plain(value: object): unknown {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    return value;
  }
}
