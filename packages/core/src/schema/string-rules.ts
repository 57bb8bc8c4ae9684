import type { SchemaNode } from "../contracts/schema.js";
import { compilePattern, type CompiledPattern } from "./compile-pattern.js";
import { type Format, formats } from "./formats.js";
import { bounded } from "./issue-text.js";
import { PatternRefused } from "./pattern-syntax.js";
import type { Report } from "./report.js";
import type { SchemaScope } from "./schema-scope.js";

/** What a node says of strings beside their type. */
export class StringRules {
  private constructor(
    private readonly format: Format | undefined,
    private readonly pattern: CompiledPattern | undefined,
    private readonly source: string,
  ) {}

  /** The rules of a node; undefined when it has none. */
  static of(scope: SchemaScope, node: SchemaNode): StringRules | undefined {
    if (node.format === undefined && node.pattern === undefined) return undefined;
    const format = node.format === undefined ? undefined : formats.get(node.format);
    if (node.format !== undefined && format === undefined) throw scope.broken(node, `the format "${node.format}" is not supported`);
    const pattern = node.pattern === undefined ? undefined : patternOf(scope, node, node.pattern);
    return new StringRules(format, pattern, node.pattern ?? "");
  }

  check(text: string, report: Report): void {
    const { format, pattern } = this;
    if (format !== undefined && !format.test(text)) report.add(format.expected, "a string that is none");
    else if (pattern === undefined) return;
    else if (text.length > pattern.maxLength) report.add(`at most ${pattern.maxLength} characters`, "a longer string");
    else if (!report.spend(pattern.cost(text))) report.add("fewer or shorter strings to match with patterns", "more than are tried");
    else if (!pattern.test(text)) report.add(`a string that matches ${bounded(this.source)}`, "a string that does not");
  }
}

/** Tools share patterns, such as that of an order's number. */
const compiled = new Map<string, CompiledPattern>();
const MAX_COMPILED = 1000;

function patternOf(scope: SchemaScope, node: SchemaNode, source: string): CompiledPattern {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  try {
    const pattern = compilePattern(source);
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    compiled.set(source, pattern);
    return pattern;
  } catch (error) {
    if (error instanceof PatternRefused) throw scope.broken(node, `the pattern can not be used: ${error.message}`);
    throw error;
  }
}
