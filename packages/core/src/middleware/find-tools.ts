import type { ToolInfo } from "../contracts/tool.js";

/** Tools by what they are about. */
export type ToolIndex = (query: string, limit: number) => readonly ToolInfo[];

const indices = new WeakMap<readonly ToolInfo[], ToolIndex>();

/** Looks for tools by words: those that fit best first. A list of tools is read once. */
export function findTools(tools: readonly ToolInfo[], query: string, limit: number): readonly ToolInfo[] {
  let index = indices.get(tools);
  if (index === undefined) indices.set(tools, (index = indexOf(tools)));
  return index(query, limit);
}

/** Words that are longer stand for their beginnings too, so that "orders" finds "order". */
const shortestStem = 4;
/** More words than that say no more. */
const mostWords = 32;

interface Words {
  readonly tool: ToolInfo;
  /** Weight of each word: a word of the name says more than one of the description. */
  readonly weights: ReadonlyMap<string, number>;
}

function indexOf(tools: readonly ToolInfo[]): ToolIndex {
  const all = tools.map(wordsOf);
  return (query, limit) => {
    const words = [...new Set(split(query))].slice(0, mostWords);
    const scores = all.map(() => 0);
    for (const word of words) {
      const hits = all.map(({ weights }) => weightOf(weights, word));
      const count = hits.filter((hit) => hit > 0).length;
      // A word that is everywhere tells nothing apart.
      hits.forEach((hit, place) => (scores[place] = (scores[place] as number) + hit * Math.log(1 + all.length / (count || 1))));
    }
    return all
      .map(({ tool }, place) => ({ tool, score: scores[place] as number }))
      .filter(({ score }) => score > 0)
      .sort((left, right) => right.score - left.score)
      .slice(0, limit)
      .map(({ tool }) => tool);
  };
}

function wordsOf(tool: ToolInfo): Words {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number): void => {
    for (const word of split(text)) weights.set(word, Math.max(weights.get(word) ?? 0, weight));
  };
  add(tool.name, 5);
  for (const tag of tool.tags) add(tag, 4);
  add(tool.description, 2);
  for (const [name, node] of Object.entries(tool.parameters.properties)) add(`${name} ${node.description ?? ""}`, 1);
  return { tool, weights };
}

function weightOf(weights: ReadonlyMap<string, number>, word: string): number {
  const exact = weights.get(word);
  if (exact !== undefined) return exact;
  let best = 0;
  for (const [other, weight] of weights) {
    const shorter = Math.min(word.length, other.length);
    if (shorter >= shortestStem && (word.startsWith(other) || other.startsWith(word))) best = Math.max(best, weight / 2);
  }
  return best;
}

/** Words in lower case; `getOrder` and `get_order` are two each. */
function split(text: string): readonly string[] {
  const apart = text.normalize("NFKC").replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2");
  return apart.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
