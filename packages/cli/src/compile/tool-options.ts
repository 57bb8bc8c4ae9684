import type { ToolEffect } from "@toolwright/core";
import { ts } from "typescript-json-schema";
import { type Constant, constantOf } from "./constant.js";
import type { FoundDecorator } from "./decorators.js";
import type { Project } from "./project.js";

/** The options of `@Tool`, read and of the right types. */
export interface ReadToolOptions {
  name?: string;
  description?: string;
  effect?: ToolEffect;
  resource?: readonly string[];
  timeoutMs?: number;
  idempotent?: boolean;
  approval?: true | string;
  query?: string;
  compensate?: string;
  maxCalls?: number;
  echo?: readonly string[];
  tags?: readonly string[];
  /** Where each option is written. */
  readonly places: ReadonlyMap<string, ts.Node>;
}

type Check = (value: Constant) => unknown;

const isText = (value: Constant): value is string => typeof value === "string" && value.trim() !== "";
const text: Check = (value) => (isText(value) ? value : undefined);
const texts: Check = (value) => (Array.isArray(value) && value.every(isText) ? value : undefined);
const flag: Check = (value) => (typeof value === "boolean" ? value : undefined);
const positiveInteger: Check = (value) => (typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined);

/** For each option how it is read, and what it must be. */
const readers: Readonly<Record<string, readonly [Check, string]>> = {
  name: [text, "a text"],
  description: [text, "a text"],
  effect: [
    (value) => (value === "read" || value === "write" || value === "destructive" ? value : undefined),
    '"read", "write" or "destructive"',
  ],
  resource: [(value) => (isText(value) ? [value] : texts(value)), 'a template such as "order:{orderId}", or several'],
  timeoutMs: [positiveInteger, "a whole number of milliseconds above 0"],
  idempotent: [flag, "true or false"],
  approval: [(value) => (value === true || isText(value) ? value : undefined), "true, or the name of a method"],
  query: [text, "the name of a method"],
  compensate: [text, "the name of a method"],
  maxCalls: [positiveInteger, "a whole number above 0"],
  echo: [texts, "a list of argument names"],
  tags: [texts, "a list of words"],
};

/** Reads the options of `@Tool`; what is wrong with them is reported. */
export function readToolOptions(decorator: FoundDecorator, subject: string, project: Project): ReadToolOptions {
  const places = new Map<string, ts.Node>();
  const options: Record<string, unknown> = {};
  if (decorator.arguments === undefined) {
    project.error(decorator.node, subject, {
      reason: "@Tool is written without parentheses, so it gets the method in place of its options.",
      fix: "Write `@Tool()`.",
    });
    return { places };
  }
  const [given] = decorator.arguments;
  if (given === undefined) return { places };
  const whole = constantOf(given, project);
  if (typeof whole?.value === "string") {
    if (isText(whole.value)) return { description: whole.value, places: new Map([["description", given]]) };
    project.error(given, subject, wrong("description", "a text"));
    return { places };
  }
  for (const [name, value, node] of entriesOf(given, whole?.value, project, subject)) {
    places.set(name, node);
    const reader = readers[name];
    if (reader === undefined) {
      project.error(node, subject, {
        reason: `@Tool has no option \`${name}\`.`,
        fix: `Its options are ${Object.keys(readers).join(", ")}.`,
      });
    } else if (value !== undefined) {
      options[name] = reader[0](value);
      if (options[name] === undefined) project.error(node, subject, wrong(name, reader[1]));
    }
  }
  return { ...options, places };
}

const wrong = (name: string, expected: string): { reason: string; fix: string } => ({
  reason: `\`${name}\` must be ${expected}.`,
  fix: `Write ${expected}, or leave \`${name}\` out.`,
});

/** Options one by one, so that the one that is not constant can be named. */
function entriesOf(
  written: ts.Expression,
  whole: Constant,
  project: Project,
  subject: string,
): readonly (readonly [string, Constant, ts.Node])[] {
  const given = plainExpression(written);
  if (ts.isObjectLiteralExpression(given) && given.properties.every((property) => !ts.isSpreadAssignment(property))) {
    return given.properties.flatMap((property) => {
      const name = property.name?.getText().replaceAll(/^["']|["']$/g, "") ?? "";
      const value = ts.isPropertyAssignment(property)
        ? constantOf(property.initializer, project)
        : ts.isShorthandPropertyAssignment(property)
          ? constantOf(property.name, project)
          : undefined;
      const node = ts.isPropertyAssignment(property) ? property.initializer : property;
      if (value !== undefined) return [[name, value.value, node] as const];
      project.error(node, subject, notConstant(`The option \`${name}\` is`));
      return [];
    });
  }
  if (typeof whole === "object" && whole !== null)
    return Object.entries(whole).map(([name, value]) => [name, value as Constant, given] as const);
  project.error(given, subject, notConstant("The options are"));
  return [];
}

export const notConstant = (what: string): { reason: string; fix: string } => ({
  reason: `${what} not known at build time.`,
  fix: "Write a literal, or a `const` made of literals: options are kept in the generated module.",
});

/** Without what only the type checker sees. */
function plainExpression(node: ts.Expression): ts.Expression {
  const wraps =
    ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node) || ts.isTypeAssertionExpression(node);
  return wraps ? plainExpression(node.expression) : node;
}
