import { ToolwrightError } from "../errors/toolwright-error.js";
import { nodeModule } from "./node-modules.js";

type Class = abstract new (...parameters: never[]) => object;

/** What class-transformer's decorators recorded, by class, as its releases of `^0.5.1` keep it. */
interface Recorded {
  readonly _transformMetadatas?: ReadonlyMap<unknown, unknown> | undefined;
  readonly _exposeMetadatas?: ReadonlyMap<unknown, unknown> | undefined;
  readonly _excludeMetadatas?: ReadonlyMap<unknown, unknown> | undefined;
  readonly _typeMetadatas?: ReadonlyMap<unknown, unknown> | undefined;
}

const storageFile = /[\\/]class-transformer[\\/]cjs[\\/]storage\.js$/;

/**
 * Refuses classes whose decorators another copy of class-transformer recorded than the one that makes their instances:
 * `@Transform` and `@Expose` would be passed over in silence. (Copies of class-validator share their records.)
 *
 * @param owner - whose classes they are, for a sentence.
 * @param usesType - whether `@Type` is needed too. What a tool takes is made by its decode plan, which knows the classes of parts.
 * @throws ToolwrightError `REGISTRY_DUPLICATE` naming the class and both copies.
 */
export function assertOneTransformer(classes: Iterable<Class>, owner: string, usesType = false): void {
  const all = [...classes].flatMap(withBases);
  if (all.length === 0) return;
  // Undefined in a bundle of CommonJS, which has its one copy inside.
  const here: string | undefined = import.meta.url;
  if (here === undefined) return;
  const require = nodeModule().createRequire(here);
  const own = ownStorage(require);
  if (own === undefined && !/[\\/]@toolwright[\\/]core[\\/]/.test(here)) return;
  for (const path of Object.keys(require.cache)) {
    if (path === own || !storageFile.test(path)) continue;
    const recorded = (require.cache[path]?.exports as { defaultMetadataStorage?: Recorded } | undefined)?.defaultMetadataStorage;
    const found = all.find((each) => isRecorded(recorded, each, usesType));
    if (found === undefined) continue;
    const seen = own === undefined ? "finds none" : `has the one in ${folderOf(own)}`;
    throw new ToolwrightError(
      "REGISTRY_DUPLICATE",
      `The class ${found.name} of ${owner} has decorators of the class-transformer in ${folderOf(path)}, while @toolwright/core ${seen}: it would not see them.`,
      { details: { package: owner, copies: [own, path].flatMap((each) => (each === undefined ? [] : folderOf(each))) } },
    );
  }
}

function ownStorage(require: NodeJS.Require): string | undefined {
  try {
    return require.resolve("class-transformer/cjs/storage.js");
  } catch {
    return undefined;
  }
}

const folderOf = (path: string): string => path.replace(/[\\/]cjs[\\/]storage\.js$/, "");

function withBases(one: Class): readonly Class[] {
  const chain: Class[] = [];
  for (let level: unknown = one; typeof level === "function" && level !== Function.prototype; level = Object.getPrototypeOf(level)) {
    chain.push(level as Class);
  }
  return chain;
}

function isRecorded(recorded: Recorded | undefined, one: Class, usesType: boolean): boolean {
  if (recorded === undefined) return false;
  const { _transformMetadatas, _exposeMetadatas, _excludeMetadatas, _typeMetadatas } = recorded;
  const kinds = [_transformMetadatas, _exposeMetadatas, _excludeMetadatas, ...(usesType ? [_typeMetadatas] : [])];
  return kinds.some((kind) => kind?.has(one) === true);
}
