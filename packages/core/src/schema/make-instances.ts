import { ToolwrightError } from "../errors/toolwright-error.js";
import type { DtoSite } from "./copy-decoded.js";
import { isPlainObject } from "./json-type.js";
import type { ClassTransformer } from "./optional-package.js";

/** A DTO class. Its constructor is called without arguments; the compiler refuses abstract ones. */
export type DtoClass = abstract new (...parameters: never[]) => object;

/** An instance that was put in its place. */
export interface BuiltDto {
  readonly instance: object;
  readonly site: DtoSite;
}

/**
 * Turns the plain objects at the sites into instances, outer ones first, and gives back the new root.
 *
 * Outer first, because class-transformer goes down through what `@Type` names: an object that it has already made an
 * instance of is left alone, so that no `@Transform` is applied twice; one that it did not know (no `@Type`, or a second
 * copy of the package that holds the metadata) is made here.
 */
export function makeInstances(
  root: unknown,
  sites: readonly DtoSite[],
  classes: Readonly<Record<string, DtoClass>>,
  transformer: ClassTransformer | undefined,
): { readonly root: unknown; readonly built: readonly BuiltDto[] } {
  const holder: Record<string | number, unknown> = { root };
  const built: BuiltDto[] = [];
  for (const site of sites) {
    const place = placeOf(holder, ["root", ...site.path]);
    // createDecoder made sure that every class is there.
    const Class = classes[site.dto] as DtoClass;
    if (place === undefined) continue;
    let instance = place.parent[place.key];
    if (!(instance instanceof Class)) {
      // Not plain any more: a @Transform of the outer class made something else of it.
      if (!isPlainObject(instance)) continue;
      instance = create(Class, instance, transformer);
      place.parent[place.key] = instance;
    }
    dropUnset(instance as Record<string, unknown>, site);
    built.push({ instance: instance as object, site });
  }
  return { root: holder["root"], built };
}

function placeOf(holder: Record<string | number, unknown>, path: readonly (string | number)[]) {
  let parent: Record<string | number, unknown> = holder;
  for (const key of path.slice(0, -1)) {
    const next = parent[key];
    if (typeof next !== "object" || next === null) return undefined;
    parent = next as Record<string | number, unknown>;
  }
  const key = path.at(-1) as string | number;
  return { parent, key };
}

function create(dto: DtoClass, plain: object, transformer: ClassTransformer | undefined): object {
  // An abstract class or one with parameters fails here, with a sentence.
  const Class = dto as new () => object;
  try {
    if (transformer === undefined) return Object.assign(new Class(), plain);
    // Without exposeUnsetFields false, an absent property with @Expose() would overwrite its initialiser with undefined.
    return transformer.plainToInstance(Class, plain, { enableImplicitConversion: false, exposeUnsetFields: false });
  } catch (cause) {
    throw new ToolwrightError("TOOL_DEFINITION", `The class ${Class.name} could not be made from checked arguments.`, {
      cause,
      fix: "Let its constructor work without arguments, and its @Transform functions take every value of the declared types.",
    });
  }
}

/** `page?: number` is an own undefined key under ES2022 class fields and no key before: the tool sees no key under both. */
function dropUnset(instance: Record<string, unknown>, { optional, json }: DtoSite): void {
  for (const name of optional) {
    if (!Object.hasOwn(json, name) && Object.hasOwn(instance, name) && instance[name] === undefined) delete instance[name];
  }
}
