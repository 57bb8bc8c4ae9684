import type { Item } from "../contracts/item.js";
import type { ModelRequest } from "../contracts/model.js";
import { safely } from "../errors/safely.js";
import { wireText } from "../run/history-wire.js";

/** Characters of a token in most languages' usual text. */
const charactersPerToken = 4;
/** What an image or a file that is sent inline counts as, in tokens: its length in base64 says little about them. */
const tokensOfInlineData = 1_000;

/**
 * What a request will read, roughly, in tokens: a quarter of the characters of its instructions, tools and items, and
 * 1,000 for each image or file that is sent inline.
 */
export function estimateInputTokens({ instructions = "", tools, input }: ModelRequest): number {
  let tokens = instructions.length / charactersPerToken + toolTokens(tools);
  for (const item of input) tokens += itemTokens(item);
  return Math.ceil(tokens);
}

// Items and the list of tools are the same objects for every step of a run, so that each is measured once.
const measured = new WeakMap<object, number>();

function itemTokens(item: Item): number {
  return once(item, () => {
    const text = wireText(item);
    if (!text.includes('"data:')) return text.length / charactersPerToken;
    let inline = 0;
    const rest = text.replace(/"data:[^"]*"/g, () => ((inline += 1), ""));
    return rest.length / charactersPerToken + inline * tokensOfInlineData;
  });
}

function toolTokens(tools: ModelRequest["tools"]): number {
  return once(tools, () => (tools.length === 0 ? 0 : JSON.stringify(tools).length / charactersPerToken));
}

function once(thing: object, measure: () => number): number {
  let tokens = measured.get(thing);
  // What cannot be written as JSON is refused when it is sent, with an error that says so.
  if (tokens === undefined) measured.set(thing, (tokens = safely(measure, 0)));
  return tokens;
}
