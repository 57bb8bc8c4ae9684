import { docText } from "./doc-comments.js";
import type { FoundTool } from "./find-tools.js";
import type { Project } from "./project.js";
import { apiLimits } from "./schema/limits.js";
import type { ReadToolOptions } from "./tool-options.js";
import { repeatsName, wordsOf } from "./vague.js";

/** The description of a tool: from `@Tool`, or else from the doc comment. A tool without one is an error. */
export function toolDescription(tool: FoundTool, options: ReadToolOptions, subject: string, project: Project): string {
  const documented = tool.known === undefined ? docText(tool.declaration) : undefined;
  const own = options.description?.trim();
  const place = tool.place;
  if (own !== undefined && documented !== undefined && own !== documented) {
    project.warn(options.places.get("description") ?? place, subject, {
      code: "BUILD_TWO_DESCRIPTIONS",
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
  } else if (repeatsName(description, tool.method) || isShort(description)) {
    project.warn(place, subject, {
      code: "BUILD_VAGUE_DESCRIPTION",
      reason: `The description "${description}" says hardly more than the name.`,
      fix: 'Say what the tool does, when to use it, and what it gives back, e.g. "Finds the orders of one customer, newest first. Use it before you change an order."',
    });
  } else if (description.length > apiLimits.description) {
    project.warn(place, subject, {
      code: "BUILD_LONG_DESCRIPTION",
      reason: `The description has ${description.length} characters, and some servers refuse more than ${apiLimits.description}.`,
      fix: "Say what the model needs to choose the tool; what it needs to fill a parameter goes to that parameter.",
    });
  }
  return description ?? "";
}

/** Two words can hardly say what and when. Words of other scripts are not always parted by spaces. */
const isShort = (description: string): boolean => /^[\p{Script=Latin}\P{L}]*$/u.test(description) && wordsOf(description).length <= 2;
