import { ToolwrightError } from "../errors/toolwright-error.js";
import { validateConfig } from "../schema/validate-config.js";
import type { ConfigClass } from "./tool-package.js";

/**
 * Makes a package's configuration from what the app gives: known keys only, on top of the class's defaults, then checked
 * by class-validator where the class has its decorators.
 *
 * @throws ToolwrightError `REGISTRY_CONFIG` naming the keys, never their values: they may be secrets.
 */
export async function makeConfig(name: string, Config: ConfigClass<object> | undefined, given: object | undefined): Promise<object> {
  if (Config === undefined) {
    if (given !== undefined) throw wrong(name, "it takes no configuration, and one was given", `Remove \`config\` from \`allow["${name}"]\`.`);
    return {};
  }
  const config = Object.assign(new Config(), given);
  const problems = await validateConfig(config);
  if (problems.length > 0) {
    const list = problems.map(({ path, expected }) => `${path}: ${expected}`).join("; ");
    throw wrong(name, list, `Correct \`allow["${name}"].config\`.`);
  }
  return config;
}

function wrong(name: string, what: string, fix: string): ToolwrightError {
  return new ToolwrightError("REGISTRY_CONFIG", `The configuration of ${name} is wrong: ${what}.`, { fix, details: { package: name } });
}
