// A list of names follows one of these words; what else may follow them is sorted out below.
const anchor = /\b(?:in|for|at|of|between|than)\s+/giu;
const separator = /\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|than)\s+|\s*&\s*/iu;
// A point after one or two letters is an abbreviation's: St. Petersburg.
const sentenceEnd = /[?!;:]|\.\s*$|(?<=\p{L}{3})\.\s/u;
/** Words that come after a name without being part of it. */
const tail = /\s+(?:for|over|during|in|on|at|today|tomorrow|now|right|this|next|currently|please|like|and)\b.*$/iu;
/** Words with which no name begins, but other parts of a question do. */
const notName =
  /^(?:in|for|at|of|on|what|what's|how|is|are|was|will|should|could|can|do|does|which|when|give|tell|show|convert|please|the|this|that|these|next|a|an|my|it|me|us|you|also|then|today|tomorrow|now|fahrenheit|celsius|degrees?|f|c|weather|temperature|forecast|both|orders?|stock)\b/iu;

/** Names of cities in a question about weather, in order, each once. */
export function readCities(text: string): string[] {
  const found = new Map<string, string>();
  const lists = [...text.matchAll(anchor)].map((match) => text.slice(match.index + match[0].length));
  for (const name of lists.flatMap(namesOf)) found.set(name.toLowerCase(), name);
  if (found.size > 0) return [...found.values()];
  // `Kazan weather`, `weather Kazan`
  const bare =
    /^(.+?)\s+(?:weather|forecast|temperature)\b/iu.exec(text)?.[1] ?? /^(?:weather|forecast|temperature):?\s+(.+)$/iu.exec(text)?.[1];
  return bare === undefined ? [] : namesOf(bare);
}

/** The names at the beginning of a text, up to the first thing that is none. */
function namesOf(text: string): string[] {
  const names: string[] = [];
  const sentence = text.split(sentenceEnd, 1)[0] ?? "";
  for (const part of sentence.split(separator)) {
    const name = part
      .trim()
      .replace(/^the (?:city|town) of /iu, "")
      .replace(tail, "")
      .trim();
    if (notName.test(name) || !/^\p{L}[\p{L}\p{M}.'’ -]{1,60}$/u.test(name)) break;
    names.push(name);
  }
  return names;
}
