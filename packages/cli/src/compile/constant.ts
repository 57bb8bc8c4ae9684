import { ts } from "typescript-json-schema";
import type { Project } from "./project.js";

/** A regular expression as a constant. */
export class ConstantPattern {
  constructor(
    readonly source: string,
    readonly flags: string,
  ) {}
}

/** A value that is known without running the author's code. */
export type Constant =
  | string
  | number
  | boolean
  | null
  | undefined
  | ConstantPattern
  | readonly Constant[]
  | { readonly [key: string]: Constant };

const { EPSILON, MAX_SAFE_INTEGER, MAX_VALUE, MIN_SAFE_INTEGER, MIN_VALUE, NEGATIVE_INFINITY, POSITIVE_INFINITY } = Number;

/** Constants that the language itself has. */
const globals: Readonly<Record<string, Constant>> = {
  ...{ undefined, Infinity, NaN },
  Number: { EPSILON, MAX_SAFE_INTEGER, MAX_VALUE, MIN_SAFE_INTEGER, MIN_VALUE, NEGATIVE_INFINITY, POSITIVE_INFINITY },
};

/** Thrown inside only: an expression that can not be known at build time. */
class NotConstant extends Error {}

/**
 * The value of an expression, when it is known at build time: literals, arithmetic on them, `const` variables, enums,
 * arrays and objects of such. Nothing is run.
 */
export function constantOf(node: ts.Expression, project: Project): { readonly value: Constant } | undefined {
  try {
    return { value: evaluate(node, project, 0) };
  } catch (error) {
    if (error instanceof NotConstant) return undefined;
    throw error;
  }
}

function evaluate(node: ts.Expression, project: Project, depth: number): Constant {
  // A constant that names itself, directly or through others, would never end.
  if (depth > 64) throw new NotConstant();
  const inner = (expression: ts.Expression): Constant => evaluate(expression, project, depth + 1);
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (node.kind === ts.SyntaxKind.TrueKeyword) return true;
  if (node.kind === ts.SyntaxKind.FalseKeyword) return false;
  if (node.kind === ts.SyntaxKind.NullKeyword) return null;
  if (ts.isRegularExpressionLiteral(node)) return patternOf(node.text);
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) return inner(node.expression);
  if (ts.isTypeAssertionExpression(node) || ts.isNonNullExpression(node)) return inner(node.expression);
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce((text, span) => text + textOf(inner(span.expression)) + span.literal.text, node.head.text);
  if (ts.isPrefixUnaryExpression(node)) return unary(node.operator, inner(node.operand));
  if (ts.isBinaryExpression(node)) return binary(node.operatorToken.kind, inner(node.left), inner(node.right));
  if (ts.isArrayLiteralExpression(node))
    return node.elements.flatMap((element) => (ts.isSpreadElement(element) ? list(inner(element.expression)) : [inner(element)]));
  if (ts.isObjectLiteralExpression(node)) return objectOf(node, inner, project);
  if (ts.isIdentifier(node)) return Object.hasOwn(globals, node.text) ? globals[node.text] : named(node, project, depth);
  if (ts.isPropertyAccessExpression(node)) return member(node, node.name.text, inner, project, depth);
  if (ts.isElementAccessExpression(node)) return member(node, textOf(inner(node.argumentExpression)), inner, project, depth);
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) return called(node, inner);
  throw new NotConstant();
}

function patternOf(text: string): ConstantPattern {
  const end = text.lastIndexOf("/");
  return new ConstantPattern(text.slice(1, end), text.slice(end + 1));
}

function textOf(value: Constant): string {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value);
  throw new NotConstant();
}

function list(value: Constant): readonly Constant[] {
  if (Array.isArray(value)) return value as readonly Constant[];
  throw new NotConstant();
}

function unary(operator: ts.PrefixUnaryOperator, value: Constant): Constant {
  if (operator === ts.SyntaxKind.ExclamationToken) return !value;
  if (typeof value !== "number") throw new NotConstant();
  if (operator === ts.SyntaxKind.MinusToken) return -value;
  if (operator === ts.SyntaxKind.PlusToken) return value;
  throw new NotConstant();
}

function binary(operator: ts.BinaryOperator, left: Constant, right: Constant): Constant {
  if (operator === ts.SyntaxKind.PlusToken && (typeof left === "string" || typeof right === "string")) return textOf(left) + textOf(right);
  if (typeof left !== "number" || typeof right !== "number") throw new NotConstant();
  switch (operator) {
    case ts.SyntaxKind.PlusToken:
      return left + right;
    case ts.SyntaxKind.MinusToken:
      return left - right;
    case ts.SyntaxKind.AsteriskToken:
      return left * right;
    case ts.SyntaxKind.SlashToken:
      return left / right;
    case ts.SyntaxKind.AsteriskAsteriskToken:
      return left ** right;
    default:
      throw new NotConstant();
  }
}

function objectOf(node: ts.ObjectLiteralExpression, inner: (expression: ts.Expression) => Constant, project: Project): Constant {
  const entries = node.properties.flatMap((property): [string, Constant][] => {
    if (ts.isSpreadAssignment(property)) return Object.entries(inner(property.expression) as object);
    if (ts.isShorthandPropertyAssignment(property)) {
      const symbol = project.checker.getShorthandAssignmentValueSymbol(property);
      return [[property.name.text, valueOfSymbol(symbol, project, 0)]];
    }
    if (!ts.isPropertyAssignment(property) || ts.isComputedPropertyName(property.name)) throw new NotConstant();
    return [[property.name.text, inner(property.initializer)]];
  });
  return Object.fromEntries(entries);
}

function named(node: ts.Identifier, project: Project, depth: number): Constant {
  return valueOfSymbol(project.symbolOf(node), project, depth);
}

function valueOfSymbol(symbol: ts.Symbol | undefined, project: Project, depth: number): Constant {
  const resolved = symbol === undefined ? undefined : project.resolve(symbol);
  const declaration = resolved?.valueDeclaration;
  if (declaration === undefined) throw new NotConstant();
  if (ts.isEnumDeclaration(declaration)) return enumOf(declaration, project);
  if (ts.isEnumMember(declaration)) return enumMember(declaration, project);
  const isConstant = ts.isVariableDeclaration(declaration) && (ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const) !== 0;
  if (!isConstant) throw new NotConstant();
  if (declaration.initializer !== undefined) return evaluate(declaration.initializer, project, depth + 1);
  // A declaration file keeps the type of a constant, and a literal type is its value.
  const type = project.checker.getTypeOfSymbol(resolved as ts.Symbol);
  if (type.isStringLiteral() || type.isNumberLiteral()) return type.value;
  throw new NotConstant();
}

function enumOf(declaration: ts.EnumDeclaration, project: Project): Constant {
  return Object.fromEntries(declaration.members.map((entry) => [memberText(entry.name), enumMember(entry, project)]));
}

const memberText = (name: ts.PropertyName): string => (ts.isIdentifier(name) || ts.isStringLiteralLike(name) ? name.text : name.getText());

function enumMember(declaration: ts.EnumMember, project: Project): Constant {
  const value = project.checker.getConstantValue(declaration);
  if (value === undefined) throw new NotConstant();
  return value;
}

function member(
  node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
  name: string,
  inner: (expression: ts.Expression) => Constant,
  project: Project,
  depth: number,
): Constant {
  const declaration = project.symbolOf(ts.isPropertyAccessExpression(node) ? node.name : node)?.valueDeclaration;
  if (declaration !== undefined && ts.isEnumMember(declaration)) return enumMember(declaration, project);
  // `constants.limit` of `import * as constants`.
  if (declaration !== undefined && ts.isVariableDeclaration(declaration)) {
    return valueOfSymbol(project.symbolOf(ts.isPropertyAccessExpression(node) ? node.name : node), project, depth);
  }
  const owner = inner(node.expression);
  if (typeof owner !== "object" || owner === null || !Object.hasOwn(owner, name)) throw new NotConstant();
  return (owner as { readonly [key: string]: Constant })[name];
}

/** The few calls that make constants of constants. */
function called(node: ts.CallExpression | ts.NewExpression, inner: (expression: ts.Expression) => Constant): Constant {
  const callee = node.expression.getText();
  const [first, second] = node.arguments ?? [];
  if (first === undefined) throw new NotConstant();
  if (callee === "Object.freeze") return inner(first);
  if (callee === "Object.values" || callee === "Object.keys") {
    const owner = inner(first);
    if (typeof owner !== "object" || owner === null) throw new NotConstant();
    return callee === "Object.keys" ? Object.keys(owner) : Object.values(owner);
  }
  if (callee === "RegExp") {
    const source = inner(first);
    if (source instanceof ConstantPattern) return source;
    return new ConstantPattern(textOf(source), second === undefined ? "" : textOf(inner(second)));
  }
  throw new NotConstant();
}
