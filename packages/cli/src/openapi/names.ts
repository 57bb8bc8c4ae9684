/** Every object has these; a property that may be missing would be found all the same. */
export const inherited = [
  "constructor",
  "toString",
  "toLocaleString",
  "valueOf",
  "hasOwnProperty",
  "isPrototypeOf",
  "propertyIsEnumerable",
];

/** Words of a name in any style: `getHTTPStatus`, `get-http-status`, `filter[name]`; `ö` becomes `o`. */
function wordsOf(text: string): readonly string[] {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
const plain = (text: string): string => text.replaceAll(/[^A-Za-z0-9]/g, "");
// An identifier begins with a letter.
const identifier = (text: string, prefix: string): string => (/^[A-Za-z]/.test(text) ? text : `${prefix}${text}`);

/** `StatusCode`; `fallback` when there is no letter or digit in it. */
export const pascalName = (text: string, fallback: string): string =>
  identifier(plain(wordsOf(text).map(capital).join("")) || fallback, fallback);

/** `statusCode` */
export function camelName(text: string, fallback: string): string {
  const pascal = pascalName(text, pascalName(fallback, "Value"));
  return pascal.charAt(0).toLowerCase() + pascal.slice(1);
}

/** `status-code` */
export const kebabName = (text: string, fallback: string): string =>
  wordsOf(text)
    .map((word) => plain(word).toLowerCase())
    .filter((word) => word !== "")
    .join("-") || fallback;

/** `STATUS_CODE` */
export const upperName = (text: string, fallback: string): string => kebabName(text, fallback).replaceAll("-", "_").toUpperCase();

/** Gives each name once: another with the same letters gets a number. */
export class UniqueNames {
  readonly #taken: Set<string>;

  constructor(reserved: Iterable<string> = []) {
    this.#taken = new Set([...reserved].map(key));
  }

  take(wanted: string): string {
    let name = wanted;
    for (let count = 2; this.#taken.has(key(name)); count += 1) name = `${wanted}${count}`;
    this.#taken.add(key(name));
    return name;
  }
}

// For the model `getPet` and `get_pet` are one name, and on some disks two files that differ in capitals are one.
const key = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
