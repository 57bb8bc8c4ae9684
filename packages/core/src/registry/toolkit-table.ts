import type { ToolkitManifest } from "../contracts/manifest.js";
import type { ToolContext, ToolkitFromGeneratedModule } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { staleness } from "./staleness.js";

/** Any class. Its constructor's parameters are its own affair. */
export type AnyClass = abstract new (...parameters: never[]) => object;

/** What is known of a class that a generated module registered. */
export interface ToolkitRecord {
  readonly manifest: ToolkitManifest;
  /** DTO classes by the names that decode plans use. */
  readonly classes: Readonly<Record<string, AnyClass>>;
}

// One table per process and version of its form, so that two copies of this package see the same classes.
const tablePrefix = "toolwright.toolkits.";
const tableName = `${tablePrefix}0`;
const holder = globalThis as { [name: symbol]: WeakMap<object, ToolkitRecord> | undefined };
const table = (holder[Symbol.for(tableName)] ??= new WeakMap());

type AppOfParameter<Parameter> = Parameter extends ToolContext<infer App> ? (app: App) => void : never;
type AppsOf<Method> = Method extends (...parameters: infer P) => unknown ? AppOfParameter<P[number]> : never;
/** What all the contexts of these methods need, at once. `unknown` when none has a context. */
type AppOf<Instance, Methods extends keyof Instance> = [AppsOf<Instance[Methods]>] extends [never]
  ? unknown
  : AppsOf<Instance[Methods]> extends (app: infer App) => void
    ? App
    : unknown;

/** A tool class as the generated module exports it: the same class, whose instances an Agent takes. */
export type RegisteredToolkit<Class extends AnyClass, Methods> = { [K in keyof Class]: Class[K] } & (new (
  ...parameters: ConstructorParameters<Class>
) => InstanceType<Class> & ToolkitFromGeneratedModule<AppOf<InstanceType<Class>, Methods & keyof InstanceType<Class>>>);

/**
 * Registers a tool class with what `toolwright build` found out about it. Called by generated modules only.
 *
 * @throws ToolwrightError `BUILD_STALE` when the class no longer fits: a tool was added, removed or changed since the build.
 */
export function registerToolkit<Class extends AnyClass, const Methods extends readonly string[]>(
  toolkit: Class,
  manifest: ToolkitManifest,
  references: { readonly methods: Methods; readonly classes?: Readonly<Record<string, AnyClass>> | undefined },
): RegisteredToolkit<Class, Methods[number]> {
  const stale = staleness(toolkit, manifest);
  if (stale !== undefined) {
    throw new ToolwrightError("BUILD_STALE", `The generated module does not fit the class ${manifest.className}: ${stale}.`, {
      details: { className: manifest.className },
    });
  }
  table.set(toolkit, { manifest, classes: references.classes ?? {} });
  // The value is the class itself; only its type gains the mark that an Agent asks for.
  return toolkit as unknown as RegisteredToolkit<Class, Methods[number]>;
}

/** The record of an object's own class, or undefined when that class was never built. */
export function toolkitRecord(instance: object): ToolkitRecord | undefined {
  return table.get(instance.constructor);
}

/** The record of a class itself. */
export function toolkitRecordOf(toolkit: object): ToolkitRecord | undefined {
  return table.get(toolkit);
}

/** Whether a copy of this package that keeps another form of the table registered an object's class. */
export function isRegisteredElsewhere(instance: object): boolean {
  return Object.getOwnPropertySymbols(globalThis).some((symbol) => {
    const name = symbol.description ?? "";
    return name.startsWith(tablePrefix) && name !== tableName && holder[symbol]?.has(instance.constructor) === true;
  });
}

/** The nearest registered base class of an object whose own class is not: for a helpful error. */
export function registeredBase(instance: object): ToolkitManifest | undefined {
  let level = Object.getPrototypeOf(instance) as object | null;
  while (level !== null) {
    const record = table.get(level.constructor);
    if (record !== undefined) return record.manifest;
    level = Object.getPrototypeOf(level) as object | null;
  }
  return undefined;
}
