/** An object of a document. Its author may have written anything, also where the specification says otherwise. */
export type JsonObject = { readonly [key: string]: unknown };

export const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

export const objectAt = (value: unknown, key: string): JsonObject => {
  const found = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isObject(found) ? found : {};
};

export const listAt = (value: unknown, key: string): readonly unknown[] => {
  const found = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
};

export const textAt = (value: unknown, key: string): string | undefined => {
  const found = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof found === "string" ? found : undefined;
};
