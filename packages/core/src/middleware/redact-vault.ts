import type { Mutable } from "../contracts/middleware.js";

/** What a run has handed out, as it is kept in its state: by kind, the values in the order of their numbers. */
export type VaultState = {
  readonly values: { readonly [kind: string]: readonly string[] };
  /** Set where a server keeps the history: letters that tell this run's placeholders from those of others in there. */
  readonly tag: string;
};

export const emptyVault = (): VaultState => ({ values: {}, tag: "" });

const alphabet = "abcdefghijklmnopqrstuvwxyz";
const newTag = (): string => [...crypto.getRandomValues(new Uint32Array(5))].map((value) => alphabet[value % alphabet.length]).join("");

const placeholders = /<([A-Z][A-Z\d]*(?:_[A-Z\d]+)*)_(\d{1,9})(?:_([a-z]{5}))?>/g;

/** The placeholders of one run: the same value has the same one for as long as the run lasts, pauses included. */
export class Vault {
  readonly #state: Mutable<VaultState>;
  readonly #kinds: ReadonlySet<string>;
  readonly #byValue = new Map<string, string>();
  readonly #byPlaceholder = new Map<string, string>();

  constructor(state: Mutable<VaultState>, kinds: readonly string[]) {
    this.#state = state;
    this.#kinds = new Set(kinds);
    for (const [kind, values] of Object.entries(state.values))
      for (const [index, value] of values.entries()) this.#know(kind, value, index + 1);
  }

  /** A server that keeps the history has placeholders of earlier runs in it, which must not be taken for this run's. */
  tellApart(): void {
    if (this.#state.tag === "") this.#state.tag = newTag();
  }

  /** The placeholder of a value, e.g. `<EMAIL_1>`. */
  placeholder(kind: string, value: string): string {
    const known = this.#byValue.get(`${kind} ${value}`);
    if (known !== undefined) return known;
    const values = [...(this.#state.values[kind] ?? []), value];
    this.#state.values = { ...this.#state.values, [kind]: values };
    return this.#know(kind, value, values.length);
  }

  /** Where a text holds what could be taken for a placeholder. */
  lookAlikes(text: string): (readonly [start: number, end: number])[] {
    if (!text.includes("<")) return [];
    return [...text.matchAll(placeholders)].flatMap(({ 0: match, 1: kind, index }) =>
      this.#kinds.has(kind as string) ? [[index, index + match.length] as const] : [],
    );
  }

  /** The text with its values back. What was never handed out stays. */
  restore(text: string): string {
    return text.includes("<") ? text.replace(placeholders, (match) => this.#byPlaceholder.get(match) ?? match) : text;
  }

  #know(kind: string, value: string, number: number): string {
    const placeholder = `<${kind}_${number}${this.#state.tag === "" ? "" : `_${this.#state.tag}`}>`;
    this.#byValue.set(`${kind} ${value}`, placeholder);
    this.#byPlaceholder.set(placeholder, value);
    return placeholder;
  }
}
