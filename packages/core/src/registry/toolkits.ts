import type { RunnableTool, ToolkitFromGeneratedModule, ToolSource } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import type { AppOfTools } from "./app-of-tools.js";
import { lazyTool, type LazySource } from "./package-tools.js";
import type { ConstructedClass, ResolveToolkit } from "./resolve-toolkit.js";
import { toolkitRecord, toolkitRecordOf, type ToolkitRecord } from "./toolkit-table.js";
import { toolkitTools } from "./toolkit-tools.js";
import { within } from "./within.js";

/** A tool class that was imported from `./toolwright.generated.js`. */
export type ToolkitClass = ConstructedClass<ToolkitFromGeneratedModule<never>>;

type Instances<Classes extends readonly ToolkitClass[]> = { readonly [Index in keyof Classes]: InstanceType<Classes[Index]> };

/**
 * Tools of classes whose instances someone else makes: a container for dependency injection, or a function. What the model
 * sees is there at once; a class is asked for at the first call of one of its tools, once.
 *
 * @example
 * const tools = toolkits([StockTools, OrderTools], { resolve: (Class) => container.get(Class) });
 * const agent = new Agent({ model, tools: [tools] });
 * @param classes - imported from `./toolwright.generated.js`.
 * @throws ToolwrightError `TOOL_UNREGISTERED` for a class that was not built, `RUN_OPTIONS` for a wrong option.
 */
export function toolkits<const Classes extends readonly ToolkitClass[]>(
  classes: Classes,
  options: { readonly resolve: ResolveToolkit },
): ToolSource<AppOfTools<Instances<Classes>>> {
  if (!Array.isArray(classes) || classes.length === 0)
    throw wrong("`toolkits` was given no list of classes.", "Write `toolkits([StockTools], { resolve })`.");
  const resolve: unknown = (options as { readonly resolve?: unknown } | undefined)?.resolve;
  if (typeof resolve !== "function")
    throw wrong("`toolkits` was given no `resolve` function.", "Write `toolkits([…], { resolve: (Class) => container.get(Class) })`.");
  const tools = (classes as readonly ToolkitClass[]).flatMap((Class, index) => classTools(Class, `classes[${index}]`, options.resolve));
  return { "~toolwright.tools": { tools: () => tools } };
}

function classTools(Class: ToolkitClass, place: string, resolve: ResolveToolkit): readonly RunnableTool[] {
  const record = typeof Class === "function" ? toolkitRecordOf(Class) : undefined;
  if (record === undefined) {
    const [what, fix] =
      typeof Class === "function"
        ? [
            `the class ${Class.name}, which is not registered`,
            `Run \`npx toolwright build\`, and import ${Class.name} from "./toolwright.generated.js".`,
          ]
        : [`a value of type ${typeof Class}`, "Pass the classes themselves, not instances: those go into `tools` as they are."];
    throw new ToolwrightError("TOOL_UNREGISTERED", `${place} of \`toolkits\` is ${what}.`, { fix });
  }
  const source = new ResolvedToolkit(Class, record, resolve);
  const { manifest } = record;
  const owner = `${manifest.package ?? "app"}#${manifest.className}`;
  return manifest.tools.map((tool) => {
    const { name, description } = tool;
    return lazyTool(
      source,
      { tool, name, description, identity: `${owner}.${tool.method}` },
      `Look what \`resolve\` waits for with ${manifest.className}.`,
    );
  });
}

/** One class, and its instance once it was asked for. A failure is not kept: the next call asks again. */
class ResolvedToolkit implements LazySource {
  tools: ReadonlyMap<string, RunnableTool> | undefined;
  #opened: Promise<ReadonlyMap<string, RunnableTool>> | undefined;

  constructor(
    private readonly Class: ToolkitClass,
    private readonly record: ToolkitRecord,
    private readonly resolve: ResolveToolkit,
  ) {}

  openWithin(timeoutMs: number, fix: string): Promise<ReadonlyMap<string, RunnableTool>> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    const { className } = this.record.manifest;
    return within(
      timeoutMs,
      this.#opened,
      () => new ToolwrightError("REGISTRY_LOAD", `\`resolve\` gave no ${className} within ${timeoutMs} ms.`, { fix }),
    );
  }

  async #open(): Promise<ReadonlyMap<string, RunnableTool>> {
    const { manifest } = this.record;
    const instance: unknown = await this.#resolved(manifest.className);
    if (typeof instance !== "object" || instance === null || toolkitRecord(instance) !== this.record) {
      const what = typeof instance === "object" && instance !== null ? `an instance of ${instance.constructor.name}` : String(instance);
      throw new ToolwrightError("REGISTRY_LOAD", `\`resolve\` gave ${what} for ${manifest.className}.`, {
        fix: `Let it give an instance of the very class that it is called with; in a container, provide ${manifest.className} from "./toolwright.generated.js".`,
      });
    }
    this.tools = new Map(toolkitTools(instance, this.record).map((tool) => [tool.info.name, tool]));
    return this.tools;
  }

  async #resolved(className: string): Promise<unknown> {
    try {
      return await this.resolve(this.Class as ConstructedClass, { package: this.record.manifest.package ?? "app", config: {} });
    } catch (cause) {
      const name = cause instanceof Error ? cause.name : typeof cause;
      throw new ToolwrightError("REGISTRY_LOAD", `\`resolve\` could not give a ${className}: ${name}.`, {
        cause,
        fix: `Provide ${className} in the container that \`resolve\` asks, with everything that its constructor takes.`,
      });
    }
  }
}

const wrong = (message: string, fix: string): ToolwrightError => new ToolwrightError("RUN_OPTIONS", message, { fix });
