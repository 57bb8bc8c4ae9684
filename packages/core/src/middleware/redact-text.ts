import { type Detector, literalKind } from "./redact-detect.js";
import type { Vault } from "./redact-vault.js";

/** Puts placeholders into texts, and the values back. */
export class TextRedactor {
  readonly #vault: Vault;
  readonly #detectors: readonly Detector[];

  /** @param restores - whether values come back: what only looks like a placeholder then has to become one. */
  constructor(vault: Vault, detectors: readonly Detector[], restores: boolean) {
    this.#vault = vault;
    this.#detectors = restores ? [{ kind: literalKind, find: (text) => vault.lookAlikes(text) }, ...detectors] : detectors;
  }

  /** A text with placeholders; the same one when there is nothing to hide. In JSON, inside its texts, so that it stays JSON. */
  redact(text: string): string {
    return isJson(text) ? mapJson(text, (inner) => this.#redactPlain(inner)) : this.#redactPlain(text);
  }

  /** A text with the values back. */
  restore(text: string): string {
    return this.#vault.restore(text);
  }

  /** JSON with the values back in its texts. What is no JSON stays as it is. */
  restoreJson(text: string): string {
    return isJson(text) ? mapJson(text, (inner) => this.#vault.restore(inner)) : text;
  }

  /** The same for a text that may be JSON or not. */
  restoreAny(text: string): string {
    return isJson(text) ? this.restoreJson(text) : this.restore(text);
  }

  /** Whether a text of the model holds a placeholder that was never handed out. */
  holdsUnknown(text: string): boolean {
    return this.#vault.lookAlikes(this.#vault.restore(text)).length > 0;
  }

  #redactPlain(text: string): string {
    const claimed: (readonly [start: number, end: number, kind: string])[] = [];
    let taken: Uint8Array | undefined;
    for (const { kind, find } of this.#detectors) {
      for (const [start, end] of find(text)) {
        taken ??= new Uint8Array(text.length);
        // Who comes first has a place to itself.
        if (taken.subarray(start, end).includes(1)) continue;
        taken.fill(1, start, end);
        claimed.push([start, end, kind]);
      }
    }
    if (claimed.length === 0) return text;
    claimed.sort((one, other) => one[0] - other[0]);
    let redacted = "";
    let from = 0;
    for (const [start, end, kind] of claimed) {
      redacted += text.slice(from, start) + this.#vault.placeholder(kind, text.slice(start, end));
      from = end;
    }
    return redacted + text.slice(from);
  }
}

/** Whether a text is a JSON object or list: texts in there are written with escapes. */
function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const texts = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs;

// What is around its texts stays as it was written. A number that has to be hidden becomes a text.
function mapJson(json: string, map: (text: string) => string): string {
  return json.replace(texts, (written) => {
    if (!written.startsWith('"')) {
      const mapped = written.length < 7 ? written : map(written);
      return mapped === written ? written : JSON.stringify(mapped);
    }
    const inner = written.includes("\\") ? (JSON.parse(written) as string) : written.slice(1, -1);
    const mapped = map(inner);
    return mapped === inner ? written : JSON.stringify(mapped);
  });
}
