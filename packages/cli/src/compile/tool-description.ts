import { docText } from "./doc-comments.js";
import type { FoundTool } from "./find-tools.js";
import type { Project } from "./project.js";
import { snakeCase } from "./tool-name.js";
import type { ReadToolOptions } from "./tool-options.js";

/** The description of a tool: from `@Tool`, or else from the doc comment. A tool without one is an error. */
export function toolDescription(tool: FoundTool, options: ReadToolOptions, subject: string, project: Project): string {
  const documented = tool.known === undefined ? docText(tool.declaration) : undefined;
  const own = options.description?.trim();
  const place = tool.place;
  if (own !== undefined && documented !== undefined && own !== documented) {
    project.warn(options.places.get("description") ?? place, subject, {
      reason: "@Tool and the doc comment describe the tool differently; the model reads @Tool.",
      fix: "Keep one of them.",
    });
  }
  const description = own ?? documented;
  if (description === undefined) {
    project.error(place, subject, {
      reason: "The tool has no description, so the model cannot know when to use it.",
      fix: 'Write a doc comment above the method, or `@Tool("…")`: what it does, and when to use it.',
    });
  } else if (isVague(description, tool.method)) {
    project.warn(place, subject, {
      reason: `The description "${description}" says hardly more than the name.`,
      fix: "Say what the tool does, when to use it, and what it gives back.",
    });
  }
  return description ?? "";
}

const fillers = new Set(["the", "a", "an", "this", "that", "it", "of", "to", "for", "tool", "method", "function"]);

/** Two words or fewer, or no word that is not in the name. */
function isVague(description: string, method: string): boolean {
  // Words of other scripts are not always parted by spaces.
  if (/[^\p{Script=Latin}]/u.test(description.replaceAll(/\P{L}/gu, ""))) return false;
  const words = description.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const ofName = new Set(snakeCase(method).split("_").map(stem));
  const telling = words.filter((word) => !fillers.has(word));
  return words.length <= 2 || telling.every((word) => ofName.has(stem(word)));
}

const stem = (word: string): string => word.replace(/s$/, "");
