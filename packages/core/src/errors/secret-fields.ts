import { inspectCustom } from "./inspect-custom.js";
import { ToolwrightError } from "./toolwright-error.js";
import { hiddenSecret } from "./without-secrets.js";

const boxKey: unique symbol = Symbol.for("toolwright.secrets") as never;

type Path = readonly (string | number)[];

/** The secrets of an object, by where they belong in it. Printed, it is one word; written as JSON, it is not there. */
class SecretBox {
  readonly #secrets: readonly (readonly [path: Path, text: string])[];

  constructor(secrets: readonly (readonly [path: Path, text: string])[]) {
    this.#secrets = secrets;
  }

  get secrets(): readonly (readonly [path: Path, text: string])[] {
    return this.#secrets;
  }

  [inspectCustom](): string {
    return hiddenSecret;
  }
}

/**
 * A frozen copy in which secrets are hidden, or the very object when it holds none. The copy, and what is made of it by a
 * spread, may be printed, logged and recorded; `revealed` gives back what it stands for.
 */
export function withHiddenSecrets<T extends object>(value: T): T {
  const secrets: (readonly [Path, string])[] = [];
  const copy = hidden(value, [], secrets) as T;
  // A symbol, since a spread takes it along and JSON does not.
  return secrets.length === 0 ? value : Object.freeze(Object.assign(copy, { [boxKey]: new SecretBox(secrets) }));
}

/**
 * What objects with hidden secrets stand for: the very list when there are none. A field that has been given another text since
 * they were hidden keeps it.
 *
 * @throws ToolwrightError `RUN_MIDDLEWARE` for a copy that has lost its secrets.
 */
export function revealed(values: readonly { readonly type: string }[]): readonly object[] {
  const hosted = values.filter(({ type }) => type !== "function");
  if (hosted.some((value) => boxOf(value) === undefined && JSON.stringify(value).includes(`"${hiddenSecret}"`))) throw lost();
  return hosted.some((value) => boxOf(value) !== undefined) ? values.map(reveal) : values;
}

function reveal(value: object): object {
  const box = boxOf(value);
  if (box === undefined) return value;
  return box.secrets.reduce<object>((whole, [path, text]) => replaced(whole, path, text) as object, value);
}

/** The secrets that are hidden in some objects. */
export function secretsIn(values: readonly object[]): ReadonlySet<string> {
  return new Set(values.flatMap((value) => boxOf(value)?.secrets.map(([, text]) => text) ?? []));
}

const boxOf = (value: object): SecretBox | undefined => (value as { readonly [boxKey]?: SecretBox })[boxKey];

const secretName = /^(?:authorization|api[-_]?key|password|(?:.*[-_])?(?:token|secret))$/i;
// What a model reads or calls: whatever its fields are called, nothing in it is meant to be secret.
const open: ReadonlySet<string> = new Set(["parameters", "tools", "filters", "format", "output_schema"]);

function hidden(value: unknown, path: Path, secrets: (readonly [Path, string])[]): unknown {
  if (typeof value === "string") {
    if (value === "" || !isSecret(value, path)) return value;
    secrets.push([path, value]);
    return hiddenSecret;
  }
  if (typeof value !== "object" || value === null || open.has(String(path.at(-1)))) return value;
  if (Array.isArray(value)) return value.map((entry, index) => hidden(entry, [...path, index], secrets));
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, hidden(field, [...path, key], secrets)]));
}

function isSecret(text: string, path: Path): boolean {
  const name = String(path.at(-1));
  if (secretName.test(name) || path.at(-2) === "headers") return true;
  if (name === "value" && path.at(-3) === "domain_secrets") return true;
  // A key may stand in an address: as its user, or in its query.
  return /url$/i.test(name) && /^[a-z][a-z\d+.-]*:\/\/(?:[^/]*@|[^?]*\?)/i.test(text);
}

function replaced(value: unknown, [key, ...rest]: Path, text: string): unknown {
  if (key === undefined) return value === hiddenSecret ? text : value;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return value;
  const inner = replaced((value as Record<string | number, unknown>)[key], rest, text);
  return Array.isArray(value) ? value.with(Number(key), inner) : { ...value, [key]: inner };
}

function lost(): ToolwrightError {
  return new ToolwrightError("RUN_MIDDLEWARE", "A middleware passed on a hosted tool without its secrets.", {
    fix: "Copy a tool by spread, `{ ...tool, … }`: a structured clone, or one that went through JSON, has lost them.",
  });
}
