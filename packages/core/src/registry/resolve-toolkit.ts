import type { ToolPackage } from "./tool-package.js";

/** A class that is constructed. Containers take classes whose constructors have parameters of any types. */
// oxlint-disable-next-line typescript/no-explicit-any -- what containers ask for; `never` and `unknown` are not assignable to it
export type ConstructedClass<Instance extends object = object> = new (...parameters: any[]) => Instance;

/**
 * Gives an instance of a tool class: usually the app's container does, `(Class) => container.get(Class)`.
 *
 * @param Class - the class as the generated module exports it.
 * @param owner - the package and its checked configuration; in an app's own toolkits, `"app"` and `{}`.
 */
export type ResolveToolkit = <Instance extends object>(
  Class: ConstructedClass<Instance>,
  owner: { readonly package: string; readonly config: object },
) => Instance | Promise<Instance>;

/** The toolkits of a package: by its own `create`, or of its classes by the app's container, or by their constructors. */
export async function madeBy(resolve: ResolveToolkit | undefined, loaded: ToolPackage, name: string, config: object): Promise<unknown> {
  const { toolkits } = loaded;
  if (resolve === undefined || toolkits === undefined) return loaded.create(config);
  const made: object[] = [];
  // One after the other: a container may not like to be asked for two at once.
  for (const Class of toolkits) made.push(await resolve(Class as ConstructedClass, { package: name, config }));
  return made;
}
