import { ts } from "typescript-json-schema";

/** Many tools take the same types, whose comments are the same each time. */
const texts = new WeakMap<ts.Node, { readonly text: string | undefined }>();

/** The text of a doc comment without its tags; undefined when there is none. */
export function docText(node: ts.Node): string | undefined {
  const known = texts.get(node) ?? { text: readDocText(node) };
  texts.set(node, known);
  return known.text;
}

function readDocText(node: ts.Node): string | undefined {
  const comments = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const last = comments.at(-1);
  if (last !== undefined) return plainText(last.comment);
  return commentOnSameLine(node);
}

/** The text of `@param name …` of a method. */
export function docParameterText(parameter: ts.ParameterDeclaration): string | undefined {
  const [tag] = ts.getJSDocParameterTags(parameter);
  return (tag === undefined ? undefined : plainText(tag.comment)) ?? docText(parameter);
}

/** The text of a tag such as `@default`, when a doc comment has it. */
export function docTagText(node: ts.Node, name: string): string | undefined {
  const tag = ts.getJSDocTags(node).find(({ tagName }) => tagName.text === name);
  return tag === undefined ? undefined : plainText(tag.comment);
}

function plainText(comment: string | ts.NodeArray<ts.JSDocComment> | undefined): string | undefined {
  if (comment === undefined) return undefined;
  const text = typeof comment === "string" ? comment : comment.map(partText).join("");
  return unwrap(text);
}

/** `{@link Order the order}` reads "the order", `{@link Order}` reads "Order". */
function partText(part: ts.JSDocComment): string {
  if (!ts.isJSDocLink(part) && !ts.isJSDocLinkCode(part) && !ts.isJSDocLinkPlain(part)) return part.text;
  const label = part.text.replace(/^\s*\|?\s*/, "");
  return label !== "" && !label.startsWith("://") ? label : `${part.name?.getText() ?? ""}${label}`;
}

/** Lines that were only wrapped become one; paragraphs and list items stay. */
function unwrap(text: string): string | undefined {
  const blocks: string[] = [];
  for (const line of text.split(/\r?\n/).map((each) => each.trim())) {
    const previous = blocks.at(-1);
    const startsBlock = previous === undefined || previous === "" || line === "" || /^([-*+]|\d+[.)])\s/.test(line);
    if (startsBlock) blocks.push(line);
    else blocks[blocks.length - 1] = `${previous} ${line}`;
  }
  const joined = blocks
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
  return joined === "" ? undefined : joined;
}

/** TypeScript takes a comment on the line of the opening brace for one that trails the brace; its author meant the member. */
function commentOnSameLine(node: ts.Node): string | undefined {
  const found = rawCommentOnSameLine(node);
  return found === undefined ? undefined : unwrap(found.replace(/(^|\n)\s*@[\s\S]*$/, ""));
}

/** Whether a comment that only we attach to its member has tags, which nobody reads then. */
export function hasLostTags(node: ts.Node): boolean {
  return ts.getJSDocCommentsAndTags(node).length === 0 && /(^|\n)\s*@\w/.test(rawCommentOnSameLine(node) ?? "");
}

function rawCommentOnSameLine(node: ts.Node): string | undefined {
  if (!ts.isTypeElement(node) && !ts.isClassElement(node)) return undefined;
  const trivia = node.getSourceFile().text.slice(node.pos, node.getStart());
  return [...trivia.matchAll(/\/\*\*([\s\S]*?)\*\//g)].at(-1)?.[1]?.replaceAll(/^[ \t]*\*[ \t]?/gm, "");
}
