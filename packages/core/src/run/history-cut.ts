import type { ToolOutput } from "../contracts/outcome.js";

/**
 * Cuts an output that is too long, never through a character, and says so at its end.
 *
 * @param maxChars - UTF-16 units of text that are kept; images and files do not count.
 * @param hint - how the model may get the rest.
 */
export function cutOutput(output: ToolOutput, maxChars: number, hint: string): ToolOutput {
  if (typeof output === "string") return cutText(output, maxChars, hint);
  const total = output.reduce((sum, part) => sum + (part.type === "input_text" ? part.text.length : 0), 0);
  if (total <= maxChars) return output;
  let room = maxChars;
  return output.map((part) => {
    if (part.type !== "input_text") return part;
    const text = cutText(part.text, room, hint);
    room = Math.max(0, room - part.text.length);
    return { ...part, text };
  });
}

/** The same for a text. */
export function cutText(text: string, maxChars: number, hint: string): string {
  if (text.length <= maxChars) return text;
  const kept = text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, "");
  return `${kept}\n[Cut here: the first ${kept.length} of ${text.length} characters. ${hint}]`;
}

/** How the model may get the rest of an output, when nobody has said it better. */
export const narrowerCall = "For the rest, call the tool again for a smaller part.";
