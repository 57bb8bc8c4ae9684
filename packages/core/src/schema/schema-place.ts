import type { ObjectSchema, SchemaNode } from "../contracts/schema.js";

/**
 * The path of a node within a schema, e.g. `lines[].qty`, `to|1` for a branch, `#/$defs/Node` for a definition; "" for the
 * root. Looked for only when something is wrong, so that a schema in order costs no paths.
 */
export function placeOf(wanted: SchemaNode, schema: ObjectSchema): string {
  const pending: (readonly [node: SchemaNode, path: string])[] = [[schema, ""]];
  const seen = new Set<SchemaNode>();
  for (const [node, path] of pending) {
    if (node === wanted) return path;
    // What is wrong with a schema may be that it has something else where a node belongs.
    if (typeof node !== "object" || node === null || seen.has(node)) continue;
    seen.add(node);
    const { properties = {}, items, anyOf = [], $defs = {} } = node;
    for (const [name, child] of Object.entries(properties)) pending.push([child, path === "" ? name : `${path}.${name}`]);
    if (items !== undefined) pending.push([items, `${path}[]`]);
    for (const [index, branch] of anyOf.entries()) pending.push([branch, `${path}|${index}`]);
    for (const [name, child] of Object.entries($defs)) pending.push([child, `#/$defs/${name}`]);
  }
  return "";
}
