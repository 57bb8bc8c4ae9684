import { docComment } from "./doc-comment.js";

/** A type as it is written, with what its property's comment should say. */
export interface TypeText {
  /** May have several lines, the first without indentation. */
  readonly text: string;
  readonly tags: readonly string[];
  readonly words: readonly string[];
  /** Levels of objects and arrays. */
  readonly depth: number;
}

/** A property of an interface to write. */
export interface PropertyText {
  readonly name: string;
  readonly type: TypeText;
  readonly optional: boolean;
  readonly description: string;
}

export const scalar = (text: string, tags: readonly string[] = [], words: readonly string[] = []): TypeText => ({
  text,
  tags,
  words,
  depth: 0,
});

const indented = (text: string, indent: string): string => text.replaceAll("\n", `\n${indent}`);

/** `{ … }` with a line for each property and its comment. */
export function objectText(properties: readonly PropertyText[]): string {
  const lines = properties.flatMap(({ name, type, optional, description }) => {
    const comment = [description, ...type.words].filter((part) => part !== "").join(" ");
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return [...docComment(comment, type.tags, "  "), `  ${key}${optional ? "?" : ""}: ${indented(type.text, "  ")};`];
  });
  return `{\n${lines.join("\n")}\n}`;
}

/** A list of a type. What the rules of its items are can only be told in words: tags stand at properties. */
export function arrayOf({ text, tags, words, depth }: TypeText, own: Pick<TypeText, "tags" | "words">): TypeText {
  const simple = /^[\w$]+$/.test(text);
  const ofItems = [...tags.filter((tag) => tag !== "@multipleOf 1").map(inWords), ...words];
  return {
    text: simple ? `${text}[]` : `(${text})[]`,
    tags: own.tags,
    words: [
      ...own.words,
      ...(tags.includes("@multipleOf 1") ? ["Whole numbers."] : []),
      ...(ofItems.length > 0 ? [`Each item: ${ofItems.join(" ")}`] : []),
    ],
    depth: depth + 1,
  };
}

/** `@minimum 1` as `minimum 1.` */
const inWords = (tag: string): string => `${tag.slice(1)}.`;

/** One type or another. */
export function unionOf(types: readonly TypeText[]): TypeText {
  const texts = [...new Set(types.map(({ text }) => text))];
  // Rules hold for a property as a whole: those of one kind only, beside null.
  const ruled = types.filter(({ text }) => text !== "null");
  const [only] = ruled;
  const rules =
    ruled.length === 1 && only !== undefined
      ? only
      : { tags: [], words: ruled.flatMap(({ tags, words }) => [...tags.map(inWords), ...words]) };
  return {
    text: texts.join(" | "),
    tags: rules.tags,
    words: [...new Set(rules.words)],
    depth: Math.max(...types.map(({ depth }) => depth)),
  };
}
