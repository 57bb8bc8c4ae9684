import type { CallSlot, DecodePlan, ObjectSchema, SchemaNode } from "@toolwright/core";
import fc from "fast-check";

interface Scope {
  readonly root: ObjectSchema;
  readonly defs: DecodePlan["defs"];
  readonly depth: number;
}

/** The parameters of a call as a TypeScript tuple. */
export function callExpressions(slots: readonly CallSlot[], root: ObjectSchema, plan: DecodePlan | undefined): fc.Arbitrary<string> {
  const scope = { root, defs: plan?.defs, depth: 0 };
  const slot = (each: CallSlot): fc.Arbitrary<string> => {
    if ("context" in each) return fc.constant("null!");
    if (!("argument" in each)) return expressions(root, plan, scope);
    const value = expressions(root.properties[each.argument] ?? {}, plan?.properties?.[each.argument], scope);
    return value.map((text) => (text === "null" && plan?.optional?.includes(each.argument) === true ? "undefined" : text));
  };
  return fc.tuple(...slots.map(slot)).map((parts) => `[${parts.join(", ")}]`);
}

/** TypeScript expressions for values that a schema allows, decoded as the plan says: undefined for null, a Date for its text. */
function expressions(node: SchemaNode, plan: DecodePlan | undefined, scope: Scope): fc.Arbitrary<string> {
  const { root, defs, depth } = scope;
  const below = { ...scope, depth: depth + 1 };
  if (node.$ref !== undefined) {
    const name = node.$ref.slice("#/$defs/".length);
    return expressions(root.$defs?.[name] ?? {}, defs?.[name], below);
  }
  if (node.anyOf !== undefined) {
    const branches = node.anyOf.map((branch, index) => [branch, plan?.anyOf?.[index] ?? undefined] as const);
    // Deep down only what ends: recursion must not go on for ever.
    const isEnd = ([{ $ref, type }]: (typeof branches)[number]): boolean => $ref === undefined && type !== "array" && type !== "object";
    const ending = depth > 6 ? branches.filter(isEnd) : [];
    return fc.oneof(...(ending.length > 0 ? ending : branches).map(([branch, branchPlan]) => expressions(branch, branchPlan, below)));
  }
  if (node.enum !== undefined) return fc.constantFrom(...node.enum.map((value) => JSON.stringify(value)));
  const types = typeof node.type === "string" ? [node.type] : (node.type ?? []);
  return fc.oneof(...types.map((type) => typed(type, node, plan, below)));
}

function typed(type: string, node: SchemaNode, plan: DecodePlan | undefined, scope: Scope): fc.Arbitrary<string> {
  switch (type) {
    case "null":
      return fc.constant("null");
    case "boolean":
      return fc.constantFrom("true", "false");
    case "number":
    case "integer":
      return fc.constantFrom("0", "-1.5", "7");
    case "string":
      if (plan?.date === true) return fc.constant('new Date("2024-05-31T12:00:00Z")');
      return texts(node.pattern).map((text) => JSON.stringify(text));
    case "array": {
      const least = node.minItems ?? 0;
      const most = Math.max(least, Math.min(node.maxItems ?? 2, scope.depth > 6 ? 0 : 2));
      if (most === 0) return fc.constant("[]");
      return fc
        .array(expressions(node.items ?? {}, plan?.items, scope), { minLength: least, maxLength: most })
        .map((items) => `[${items.join(", ")}]`);
    }
    default:
      return objects(node, plan, scope);
  }
}

function objects(node: SchemaNode, plan: DecodePlan | undefined, scope: Scope): fc.Arbitrary<string> {
  const properties = Object.entries(node.properties ?? {}).map(([name, child]) =>
    expressions(child, plan?.properties?.[name], scope).map((text) => [name, text] as const),
  );
  const isAbsent = ([name, text]: readonly [string, string]): boolean => text === "null" && plan?.optional?.includes(name) === true;
  return fc.tuple(...properties).map((parts) => {
    const written = parts.filter((part) => !isAbsent(part) || plan?.dto === undefined);
    // An absent key and an undefined one are the same to whoever reads a plain object.
    const text = `{ ${written.map((part) => `${JSON.stringify(part[0])}: ${isAbsent(part) ? "undefined" : part[1]}`).join(", ")} }`;
    return plan?.dto === undefined ? text : `made(${text})`;
  });
}

/** Texts that the pattern of a template literal type allows; other patterns say nothing that a type could. */
function texts(pattern: string | undefined): fc.Arbitrary<string> {
  const anything = fc.constantFrom("", "x", "a\nb", "[.]");
  const parts = pattern?.replaceAll(/^\^|\$$/g, "").split(String.raw`[\s\S]*`);
  if (parts === undefined || parts.length === 1) return anything;
  const plain = parts.map((part) => part.replaceAll(/\\(.)/g, "$1"));
  return fc
    .tuple(...plain.map(() => anything))
    .map((fillings) => plain.map((part, index) => (index === 0 ? part : `${fillings[index]}${part}`)).join(""));
}
