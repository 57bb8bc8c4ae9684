import type { Middleware, Mutable } from "../contracts/middleware.js";
import type { ModelSettings } from "../contracts/model.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { boolean, checkOptions, type OptionCheck, textList } from "./options.js";
import { type Detection, detections, detectors, literalKind, type RedactPattern } from "./redact-detect.js";
import { ItemRedactor } from "./redact-items.js";
import { TextRedactor } from "./redact-text.js";
import { emptyVault, Vault, type VaultState } from "./redact-vault.js";

/** Options of {@link redact}. */
export interface RedactOptions {
  /**
   * What is found by itself: `"email"`, `"phone"`, `"credit-card"` (Luhn), `"iban"` (check digits) and `"secret"` (keys and
   * tokens by their shape, private keys, JWTs). Default: all of them.
   */
  readonly detect?: readonly Detection[] | undefined;
  /** Patterns of the application's own. Default none. */
  readonly patterns?: readonly RedactPattern[] | undefined;
  /** Words of the application's own, such as names: whole words, in any case. They become `<WORD_1>`. Default none. */
  readonly words?: readonly string[] | undefined;
  /** Whether tools and the application get the values back. Default true. */
  readonly restore?: boolean | undefined;
}

/**
 * Keeps personal data and secrets from the model. A request has placeholders such as `<EMAIL_1>` in their place, in
 * instructions, messages, arguments and tool outputs; what comes back has the values again, so that tools and the application
 * never see a placeholder. The same value has the same placeholder for the whole run, pauses included.
 *
 * Put it last, nearest to the model: layers outside of it see the values, layers inside of it do not. Deltas of a stream show
 * placeholders, since they are told as they come.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option, or a pattern that could take too long.
 */
export function redact(options: RedactOptions = {}): Middleware {
  checkOptions("redact", options, { detect: aDetection, patterns: aPatternList, words: textList, restore: boolean });
  const { detect = detections, patterns = [], words = [], restore = true } = options;
  const finders = detectors(detect, patterns, words);
  if (finders.length === 0) {
    throw new ToolwrightError("RUN_OPTIONS", "redact() has nothing to look for.", {
      fix: "Name something in `detect`, `patterns` or `words`.",
    });
  }
  const kinds = [...new Set([literalKind, ...finders.map(({ kind }) => kind)])];
  const runs = new WeakMap<object, { readonly vault: Vault; readonly items: ItemRedactor }>();
  const ofRun = (state: Mutable<VaultState>) => {
    let known = runs.get(state);
    if (known === undefined) {
      const vault = new Vault(state, kinds);
      known = { vault, items: new ItemRedactor(new TextRedactor(vault, finders, restore)) };
      runs.set(state, known);
    }
    return known;
  };
  return {
    name: "redact",
    kind: "redact",
    options: { detect: [...detect], patterns: patterns.map(({ name }) => name), words: words.length, restore },
    state: emptyVault,
    async wrapModelCall(call, next, { state }) {
      const { vault, items } = ofRun(state);
      if (call.request.state.kind !== "local") vault.tellApart();
      const request = items.request(call.request);
      const response = await next(request === call.request ? call : { ...call, request });
      return restore ? items.response(response, asksForJson(call.request.settings)) : response;
    },
  } satisfies Middleware<VaultState>;
}

function asksForJson({ text }: ModelSettings): boolean {
  const { type } = (text?.format ?? {}) as { readonly type?: unknown };
  return type === "json_schema" || type === "json_object";
}

const aDetection: OptionCheck = (value) =>
  Array.isArray(value) && value.every((entry) => detections.includes(entry as Detection))
    ? undefined
    : `a list of ${detections.map((name) => JSON.stringify(name)).join(", ")}`;

const aPatternList: OptionCheck = (value) =>
  Array.isArray(value) && value.every(isPattern)
    ? undefined
    : "a list of `{ name, pattern }`, the name in letters, digits and dashes, the pattern a text or an expression";

function isPattern(value: unknown): boolean {
  const { name, pattern } = (value ?? {}) as { readonly name?: unknown; readonly pattern?: unknown };
  return (
    typeof name === "string" && /^[a-z][a-z\d]*(?:-[a-z\d]+)*$/i.test(name) && (typeof pattern === "string" || pattern instanceof RegExp)
  );
}
