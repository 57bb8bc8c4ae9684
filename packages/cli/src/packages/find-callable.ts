import { existsSync, readFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type AgentTool,
  type Allowances,
  listToolPackages,
  type PackageAllowance,
  type ToolManifest,
  ToolRegistry,
  ToolwrightError,
} from "@toolwright/core";
import { nearestNames } from "../nearest-names.js";
import { appPackages, type AppPackages } from "./app-packages.js";

/** A tool that can be called, with everything an agent needs for it. */
export interface Callable {
  readonly tools: readonly AgentTool<never>[];
  /** As the agent would offer it. */
  readonly name: string;
  dispose(): Promise<void>;
}

/** How it is looked for. */
export interface SearchOptions {
  readonly folder: string;
  /** For the package's configuration, beside what the environment has. */
  readonly config: object | undefined;
}

/** One tool that there is. */
interface Candidate {
  readonly name: string;
  /** Whose it is, e.g. `@acme/tools-stock#StockTools.getStock`. */
  readonly identity: string;
  open(): Promise<Pick<Callable, "tools" | "dispose">>;
}

/**
 * Finds a tool among those that the app's allow-lists offer (or, where none can be found, among all of its tool packages), and
 * among the app's own. Only the code of the package, or of the app's module, that has it is run, and only when it is called.
 *
 * @throws ToolwrightError `RUN_OPTIONS` when there is no such tool, or it means several; what the registry throws.
 */
export async function findCallable(name: string, options: SearchOptions): Promise<Callable> {
  const app = await appPackages(options.folder);
  const candidates = [...packageCandidates(app, options), ...(await ownCandidates(app.folder))];
  const found = candidates.filter((candidate) => candidate.name === name);
  const [only, other] = found;
  if (only === undefined) throw notOffered(name, app) ?? unknown(name, [...new Set(candidates.map((candidate) => candidate.name))]);
  if (other !== undefined && other.identity !== only.identity) {
    throw new ToolwrightError("RUN_OPTIONS", `"${name}" can mean ${only.identity} or ${other.identity}.`, {
      fix: "Give the tools of one of them a prefix, as an agent with both would need.",
    });
  }
  return { name, ...(await only.open()) };
}

/** Why a tool that a package has is not among those that can be called. */
function notOffered(name: string, { packages, allowances }: AppPackages): ToolwrightError | undefined {
  for (const { place, allow } of allowances) {
    for (const { package: owner, tools } of listToolPackages(packages, allow).packages) {
      const found = tools.find((tool) => tool.name === name);
      if (found === undefined) continue;
      const what = found.offeredAs === undefined ? `it is not offered: ${found.reason}` : `it is offered as ${found.offeredAs}`;
      return new ToolwrightError("RUN_OPTIONS", `${owner} has the tool ${name}, but by ${place} ${what}.`, {
        fix: found.offeredAs === undefined ? "Allow it there." : `Write \`toolwright call ${found.offeredAs}\`.`,
      });
    }
  }
  return undefined;
}

function packageCandidates({ folder, packages, allowances }: AppPackages, { config }: SearchOptions): readonly Candidate[] {
  const all: Allowances = Object.fromEntries(packages.map((each) => [each.package, {}]));
  const lists = allowances.length === 0 ? [all] : allowances.map(({ allow }) => allow);
  return lists.flatMap((allow) =>
    listToolPackages(packages, allow).packages.flatMap(({ package: owner, tools }) =>
      tools.flatMap(({ name, offeredAs }): Candidate[] => {
        if (offeredAs === undefined) return [];
        const allowance: PackageAllowance = { ...allow[owner], ...(config !== undefined && { config }) };
        const open = async () => {
          const registry = await ToolRegistry.discover({ from: folder, allow: { [owner]: allowance } });
          return { tools: [registry], dispose: async () => registry[Symbol.asyncDispose]() };
        };
        return [{ name: offeredAs, identity: identityOf(packages, owner, name), open }];
      }),
    ),
  );
}

function identityOf(packages: AppPackages["packages"], owner: string, tool: string): string {
  const toolkits = packages.find((each) => each.package === owner)?.manifest?.toolkits ?? [];
  const toolkit = toolkits.find(({ tools }) => tools.some(({ name }) => name === tool));
  const method = toolkit?.tools.find(({ name }) => name === tool)?.method;
  return `${owner}#${toolkit?.className}.${method}`;
}

/** The tools of the app's generated modules. Those are read, and not run, until one is called. */
async function ownCandidates(folder: string): Promise<readonly Candidate[]> {
  if (!existsSync(`${folder}/tsconfig.json`) && !existsSync(`${folder}/toolwright.config.json`)) return [];
  const [{ projectsToBuild }, { readConfig }, { manifestsIn }] = await Promise.all([
    import("../settings.js"),
    import("../compile/config.js"),
    import("../emit/generated-module.js"),
  ]);
  const modules = attempt(() =>
    projectsToBuild(undefined, folder).map(({ configPath, out }) => ({
      configPath,
      generatedFile: readConfig(configPath, out).generatedFile,
    })),
  );
  return (modules ?? []).flatMap(({ configPath, generatedFile }) => {
    if (!existsSync(generatedFile)) return [];
    return manifestsIn(readFileSync(generatedFile, "utf8"))
      .filter(({ package: owner }) => owner === undefined)
      .flatMap(({ className, tools }) => tools.map((tool) => ownCandidate(className, tool, configPath, generatedFile)));
  });
}

/** A tsconfig that cannot be built has no tools; those of packages are there all the same. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (ToolwrightError.is(error, "BUILD_CONFIG")) return undefined;
    throw error;
  }
}

function ownCandidate(className: string, { name, method }: ToolManifest, configPath: string, generatedFile: string): Candidate {
  const open = async () => {
    const module = (await import(pathToFileURL(await compiledModule(configPath, generatedFile)).href)) as Readonly<Record<string, unknown>>;
    const instance = instanceOf(module[className], className);
    return { tools: [instance as AgentTool<never>], dispose: () => disposeOne(instance) };
  };
  return { name, identity: `app#${className}.${method}`, open };
}

async function compiledModule(configPath: string, generatedFile: string): Promise<string> {
  const { compiledFile } = await import("../audit/compiled-file.js");
  const source = relative(dirname(configPath), generatedFile);
  try {
    return compiledFile(configPath, source);
  } catch (cause) {
    if (!ToolwrightError.is(cause, "BUILD_CONFIG")) throw cause;
    throw new ToolwrightError("BUILD_CONFIG", `There is no compiled file of ${source}, or it is older.`, {
      cause,
      fix: "Compile first, e.g. `npx tsc`; or name a module with your tools: `--tools dist/tools.js`.",
    });
  }
}

function instanceOf(found: unknown, className: string): object {
  // As the generated module exports it.
  const Class = found as new () => object;
  if (typeof Class === "function" && Class.length === 0) {
    try {
      return new Class();
    } catch {
      // Said below: what it threw may hold a secret, and it was meant to be called with something.
    }
  }
  throw new ToolwrightError("RUN_OPTIONS", `${className} cannot be made without what its constructor takes.`, {
    fix: "Name a module whose default export is the list of tools that your agent has: `toolwright call --tools dist/tools.js …`.",
  });
}

async function disposeOne(instance: object): Promise<void> {
  const { [Symbol.asyncDispose]: later, [Symbol.dispose]: now } = instance as Partial<AsyncDisposable & Disposable>;
  if (later !== undefined) await later.call(instance);
  else now?.call(instance);
}

function unknown(name: string, names: readonly string[]): ToolwrightError {
  const near = nearestNames(name, names);
  const there =
    names.length === 0
      ? "There are none: install a tool package, or build tools of your own."
      : `There are ${names.join(", ")}; \`toolwright list\` tells why others are not.`;
  return new ToolwrightError("RUN_OPTIONS", `There is no tool "${name}" here.`, {
    fix: near.length > 0 ? `Did you mean ${near.join(" or ")}?` : there,
  });
}
