import { registerToolkit } from "../src/generated.js";
import {
  defineToolPackage,
  type PackageManifest,
  type RunnableTool,
  Tool,
  type ToolContext,
  type ToolManifest,
  type ToolPackageOptions,
  type ToolRegistry,
  ToolwrightError,
} from "../src/index.js";

const noParameters = { type: "object", properties: {}, required: [], additionalProperties: false } as const;

/** A tool as a manifest has it, without parameters. */
export function toolOf(name: string, more: Partial<ToolManifest> = {}): ToolManifest {
  return { name, method: name, description: `Does ${name}.`, effect: "read", parameters: noParameters, call: [], ...more };
}

/** A manifest of one class, `Tools`. */
export function manifestOf(name: string, tools: readonly ToolManifest[], more: Partial<PackageManifest> = {}): PackageManifest {
  return { format: 1, package: name, version: "1.2.3", ...more, toolkits: [{ format: 1, className: "Tools", package: name, tools }] };
}

/** A package whose class `Tools` has one tool, `look`, which gives what `say` does of the configuration. */
export function packageOf<Config extends object>(
  name: string,
  say: (config: Config) => unknown,
  options: ToolPackageOptions<Config> = {},
  more: Partial<PackageManifest> = {},
) {
  const manifest = manifestOf(name, [toolOf("look")], more);
  class Tools {
    constructor(readonly config: Config) {}
    look(): unknown {
      return say(this.config);
    }
  }
  // As a legacy decorator does it: this folder is in no tsconfig that says how decorators are to be read.
  (Tool({ effect: "read" }) as unknown as (prototype: object, method: string) => void)(Tools.prototype, "look");
  const Registered = registerToolkit(Tools, manifest.toolkits[0] as PackageManifest["toolkits"][number], { methods: ["look"] });
  let loads = 0;
  const load = async (): Promise<unknown> => {
    loads += 1;
    return { default: defineToolPackage<Config>({ ...options, create: (config) => [new Registered(config)] }) };
  };
  return { manifest, load, Registered, loads: () => loads };
}

/** What a call of a tool without parameters gives. */
export async function call(tools: { readonly "~toolwright.tools": { tools(): readonly RunnableTool[] } }, name = "look"): Promise<unknown> {
  const found = tools["~toolwright.tools"].tools().find(({ info }) => info.name === name);
  const prepared = await found?.prepare({});
  if (prepared?.ok !== true) throw new Error("not prepared");
  // The tools of these tests look at nothing of it.
  return prepared.invoke({} as ToolContext);
}

/** The error of something that must fail. */
export async function errorOf(action: () => unknown): Promise<ToolwrightError> {
  try {
    await action();
  } catch (error) {
    if (ToolwrightError.is(error)) return error;
    throw error;
  }
  throw new Error("It did not fail.");
}

/** A loader of a package whose code must not run. */
export const unused = (): Promise<never> => Promise.reject(new Error("must not be loaded"));

/** Names of the tools that a registry offers. */
export const offered = (registry: ToolRegistry): readonly string[] => registry["~toolwright.tools"].tools().map(({ info }) => info.name);
