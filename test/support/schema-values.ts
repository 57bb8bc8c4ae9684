import type { ObjectSchema, SchemaNode } from "@toolwright/core";
import fc from "fast-check";

type Values = fc.Arbitrary<unknown>;

/** References that are followed one inside the other; deeper, the shortest way out is taken. */
const maxDepth = 4;

/** Values that a schema of the strict subset allows. JSON, not decoded: an absent optional is null. */
export function fittingValues(schema: ObjectSchema): Values {
  return new Fitting(schema).values(schema, 0);
}

/** Values that a schema allows, and values that something is wrong with: up to three changes at random places. */
export function nearValues(schema: ObjectSchema): Values {
  const names = [...namesIn(schema), "__proto__", "constructor", "toString", "extra"];
  const change = fc.record({
    kind: fc.constantFrom<Change["kind"]>("replace", "replace", "delete", "add", "copy", "text", "wrap", "unwrap"),
    at: fc.nat(),
    from: fc.nat(),
    name: fc.constantFrom(...names),
    junk,
  });
  const changes = fc.oneof(fc.constant([]), fc.array(change, { minLength: 1, maxLength: 3 }));
  // Through text, as arguments come: `__proto__` is a key like any other, and what JSON lacks is not there.
  return fc
    .tuple(fittingValues(schema), changes)
    .map(([value, list]) => JSON.parse(JSON.stringify(list.reduce(changed, { root: value }).root ?? null)));
}

const shortText = fc.oneof(
  fc.constantFrom("", "a", "ab", "1", "true", "null", "é", "😀", "2024-05-01", "a b"),
  fc.string({ maxLength: 6 }),
);
const nearlyFormats = fc.constantFrom(
  ...["2024-02-30", "2023-02-29T10:00:00Z", "2024-05-01T10:00:00", "2024-05-01T24:00:00Z", "10:00:00", "25:00:00Z", "P", "P1H", "PT1.5H"],
  ...["256.1.1.1", "1.2.3", "1::2::3", "::ffff:1.2.3.4", "-a.example.com", "a_b.example.com", "a@b", "a@", "@b.example", "a b@c.example"],
  ...["AB", "ABCD", "id-", "a/b.ts", "a/b.tsx", "00000000-0000-0000-0000-00000000000g"],
);
const junk: Values = fc.oneof(
  shortText,
  nearlyFormats,
  fc.constantFrom(0, 1, -1, 2, 0.5, 7, 1_000_000_001, 1e21, -1e-7, Number.MAX_SAFE_INTEGER),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom([], {}, [null], [""], { a: "x" }, [[]], { "": 0 }),
);

class Fitting {
  private readonly made = new Map<SchemaNode, (Values | undefined)[]>();

  constructor(private readonly root: ObjectSchema) {}

  values(node: SchemaNode, depth: number): Values {
    const known = this.made.get(node) ?? [];
    this.made.set(node, known);
    return (known[depth] ??= this.make(node, depth));
  }

  private make(node: SchemaNode, depth: number): Values {
    if (node.$ref !== undefined) return this.values(this.target(node.$ref), depth + 1);
    if (node.anyOf !== undefined) {
      const branches = depth < maxDepth ? node.anyOf : this.shortest(node.anyOf);
      return fc.oneof(...branches.map((branch) => this.values(branch, depth)));
    }
    const types = typeof node.type === "string" ? [node.type] : (node.type ?? []);
    if (node.enum !== undefined) return fc.constantFrom<unknown>(...node.enum);
    if (depth >= maxDepth && types.includes("null")) return fc.constant(null);
    return fc.oneof(...types.map((type) => this.ofType(type, node, depth)));
  }

  private ofType(type: string, node: SchemaNode, depth: number): Values {
    switch (type) {
      case "string":
        return textValues(node);
      case "number":
      case "integer":
        return numberValues(node, type === "integer");
      case "boolean":
        return fc.boolean();
      case "null":
        return fc.constant(null);
      case "array": {
        const least = node.minItems ?? 0;
        const most = Math.max(least, depth >= maxDepth ? 0 : Math.min(node.maxItems ?? 3, 3));
        // Items are not even looked at where there can be none: a list of itself would never end.
        return most === 0 ? fc.constant([]) : fc.array(this.values(node.items ?? {}, depth), { minLength: least, maxLength: most });
      }
      case "object":
        return fc.record(
          Object.fromEntries(Object.entries(node.properties ?? {}).map(([name, child]) => [name, this.values(child, depth)])),
        );
      default:
        throw new Error(`The type ${type} is no JSON type.`);
    }
  }

  private shortest(branches: readonly SchemaNode[]): readonly SchemaNode[] {
    const heights = branches.map((branch) => this.height(branch, []));
    return branches.filter((_, index) => heights[index] === Math.min(...heights));
  }

  /** References that a value needs at least, one inside the other. */
  private height(node: SchemaNode, open: readonly SchemaNode[]): number {
    if (open.includes(node)) return Infinity;
    const inner = [...open, node];
    if (node.$ref !== undefined) return 1 + this.height(this.target(node.$ref), inner);
    if (node.anyOf !== undefined) return Math.min(...node.anyOf.map((branch) => this.height(branch, inner)));
    const types = typeof node.type === "string" ? [node.type] : (node.type ?? []);
    if (types.some((type) => type !== "array" && type !== "object")) return 0;
    if (types.includes("array")) return (node.minItems ?? 0) === 0 ? 0 : this.height(node.items ?? {}, inner);
    return Math.max(0, ...Object.values(node.properties ?? {}).map((child) => this.height(child, inner)));
  }

  private target(ref: string): SchemaNode {
    const node = ref === "#" ? this.root : this.root.$defs?.[ref.slice("#/$defs/".length)];
    if (node === undefined) throw new Error(`${ref} is not defined.`);
    return node;
  }
}

function numberValues(node: SchemaNode, whole: boolean): Values {
  const { minimum = -1000, maximum = 1000, exclusiveMinimum, exclusiveMaximum, multipleOf } = node;
  const least = Math.max(minimum, exclusiveMinimum ?? -Infinity);
  const most = Math.min(maximum, exclusiveMaximum ?? Infinity);
  const isInside = (value: number): boolean => value !== exclusiveMinimum && value !== exclusiveMaximum;
  const step = multipleOf ?? 1;
  // Written with few digits, as people and models write multiples of a tenth.
  const steps = fc
    .integer({ min: Math.ceil(least / step), max: Math.floor(most / step) })
    .map((count) => Number((count * step).toFixed(6)))
    .filter(isInside);
  if (whole || multipleOf !== undefined) return steps;
  const unbounded = minimum === -1000 && maximum === 1000 && exclusiveMinimum === undefined && exclusiveMaximum === undefined;
  const fractions = fc.double({ min: least, max: most, noNaN: true }).filter(isInside);
  return unbounded ? fc.oneof(steps, fractions, fc.constantFrom(0, -0.5, 1e21, 5e-324, -1.7e308)) : fc.oneof(steps, fractions);
}

function textValues({ format, pattern }: SchemaNode): Values {
  if (format !== undefined) return (formatValues[format] as (() => Values) | undefined)?.() ?? shortText;
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, "u"), { size: "-1" });
  return shortText;
}

const moments = fc
  .date({ noInvalidDate: true, min: new Date("1000-01-01"), max: new Date("9000-01-01") })
  .map((date) => date.toISOString());
const offsets = fc.constantFrom("Z", "z", "+01:00", "-23:59", "+05:30");

const formatValues: Readonly<Record<string, () => Values>> = {
  "date-time": () =>
    fc.oneof(
      moments,
      fc.tuple(moments, offsets).map(([text, offset]) => text.slice(0, 19) + offset),
    ),
  date: () => moments.map((text) => text.slice(0, 10)),
  time: () => fc.tuple(moments, fc.oneof(offsets, fc.constant(""))).map(([text, offset]) => text.slice(11, 19) + offset),
  duration: () => fc.constantFrom("P1D", "PT1H30M", "P2W", "P1Y2M3DT4H5M6S", "PT0S"),
  email: () =>
    fc.tuple(fc.stringMatching(/^[a-z0-9]{1,8}$/), fc.constantFrom("example.com", "a.b.example.org")).map((parts) => parts.join("@")),
  hostname: () => fc.constantFrom("example.com", "a-b.example.org", "x1.example.net"),
  ipv4: () => fc.ipV4(),
  ipv6: () => fc.ipV6(),
  uuid: () => fc.uuid(),
};

interface Change {
  readonly kind: "replace" | "delete" | "add" | "copy" | "text" | "wrap" | "unwrap";
  /** Place of the change, and of what is copied to it; counted round. */
  readonly at: number;
  readonly from: number;
  readonly name: string;
  readonly junk: unknown;
}

type Container = Record<string | number, unknown>;

/** A copy with one change. */
function changed(before: { readonly root: unknown }, change: Change): { readonly root: unknown } {
  const holder = structuredClone(before);
  const places: { readonly parent: Container; readonly key: string | number }[] = [];
  const collect = (parent: object): void => {
    for (const key of Array.isArray(parent) ? parent.keys() : Object.keys(parent)) {
      const child = (parent as Container)[key];
      places.push({ parent: parent as Container, key });
      if (typeof child === "object" && child !== null) collect(child);
    }
  };
  collect(holder);
  // The root is always a place.
  const { parent, key } = places[change.at % places.length] as (typeof places)[number];
  const other = places[change.from % places.length] as (typeof places)[number];
  const value = parent[key];
  if (change.kind === "delete" && parent !== (holder as Container)) {
    if (Array.isArray(parent)) parent.splice(key as number, 1);
    else delete parent[key];
  } else if (change.kind === "add" && typeof value === "object" && value !== null) {
    if (Array.isArray(value)) value.push(value.length > 0 ? structuredClone(value[0]) : change.junk);
    else Object.defineProperty(value, change.name, { value: change.junk, enumerable: true, configurable: true, writable: true });
  } else if (change.kind === "copy") parent[key] = structuredClone(other.parent[other.key]);
  else if (change.kind === "text") parent[key] = typeof value === "string" ? Number(value) : JSON.stringify(value);
  else if (change.kind === "wrap") parent[key] = [value];
  else if (change.kind === "unwrap") parent[key] = typeof value === "object" && value !== null ? Object.values(value)[0] : change.junk;
  else parent[key] = change.junk;
  return holder;
}

/** Names of properties anywhere in a schema. */
function namesIn(node: SchemaNode): readonly string[] {
  const children = [
    ...Object.values(node.properties ?? {}),
    ...Object.values(node.$defs ?? {}),
    ...(node.anyOf ?? []),
    ...(node.items ? [node.items] : []),
  ];
  return [...new Set([...Object.keys(node.properties ?? {}), ...children.flatMap(namesIn)])];
}
