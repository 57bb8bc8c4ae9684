import type { JsonValue } from "../contracts/json.js";
import type { DecodePlan, SchemaNode } from "../contracts/schema.js";
import { listed } from "./issue-text.js";
import { expectedOf, isPlainObject, received } from "./json-type.js";
import { Report } from "./report.js";
import type { NodeCheck, SchemaScope, Union } from "./schema-scope.js";
import { bitOf, OBJECT } from "./type-bits.js";
import { type Branch, type Discriminator, discriminatorOf, ownValue, shapeOf } from "./union-branch.js";

/** Compiles `anyOf`, once for each node and plan: the decoder asks for the same branch that the check took. */
export function compileUnion(scope: SchemaScope, node: SchemaNode, plan: DecodePlan | undefined): Union {
  scope.unions ??= new Map();
  const known = scope.unions.get(node) ?? new Map<DecodePlan | undefined, Union>();
  scope.unions.set(node, known);
  let union = known.get(plan);
  if (union === undefined) {
    union = makeUnion(scope, node, plan);
    known.set(plan, union);
  }
  return union;
}

function makeUnion(scope: SchemaScope, node: SchemaNode, plan: DecodePlan | undefined): Union {
  const nodes = node.anyOf ?? [];
  if (nodes.length === 0) throw scope.broken(node, '"anyOf" is empty');
  if (plan !== undefined && plan.anyOf === undefined) throw scope.broken(node, 'its decode plan has no "anyOf"');
  if ((plan?.anyOf?.length ?? 0) > nodes.length) throw scope.broken(node, 'its decode plan has more branches than "anyOf"');
  const branches = nodes.map((branch, index): Branch => {
    const bits = scope.bits(branch);
    const check = scope.compile(scope, branch, plan?.anyOf?.[index] ?? undefined);
    return { index, node: branch, bits, check, fits: shapeOf(scope, branch) };
  });
  return new UnionCheck(scope, node, branches);
}

class UnionCheck implements Union {
  private readonly discriminator: Discriminator | undefined;
  private readonly byBit = new Map<number, readonly Branch[]>();

  constructor(
    private readonly scope: SchemaScope,
    private readonly node: SchemaNode,
    private readonly branches: readonly Branch[],
  ) {
    this.discriminator = discriminatorOf(scope, this.taking(OBJECT));
  }

  check(value: unknown, report: Report): JsonValue {
    const possible = this.candidates(value);
    if (possible.length === 1) return (possible[0] as Branch).check.check(value, report);
    const { discriminator } = this;
    if (possible.length > 1) return checkEach(possible, value, report, this.expected());
    if (discriminator === undefined || !isPlainObject(value)) return report.add(this.expected(), received(value));
    const found = ownValue(value, discriminator.name);
    const rule = `one of ${listed([...discriminator.branches.keys()])}`;
    return report.add(rule, found === undefined ? "nothing" : `another ${received(found)}`, discriminator.name);
  }

  branch(value: unknown): number {
    const possible = this.candidates(value);
    // Of a value that passed the check, the only branch in question is the one.
    if (possible.length === 1) return (possible[0] as Branch).index;
    return possible.find(({ check }) => accepts(check, value))?.index ?? -1;
  }

  /** The branches that may take the value: by its JSON type, then by its discriminator, or else by its keys. */
  private candidates(value: unknown): readonly Branch[] {
    const bit = bitOf(value);
    if (bit === OBJECT && this.discriminator !== undefined) {
      const branch = this.discriminator.branches.get(ownValue(value, this.discriminator.name));
      return branch === undefined ? [] : [branch];
    }
    const typed = this.taking(bit);
    if (bit !== OBJECT || typed.length < 2) return typed;
    const fitting = typed.filter(({ fits }) => fits(value as Record<string, unknown>));
    return fitting.length > 0 ? fitting : typed;
  }

  private taking(bit: number): readonly Branch[] {
    let taking = this.byBit.get(bit);
    if (taking === undefined) {
      taking = this.branches.filter(({ bits }) => (bits & bit) !== 0);
      this.byBit.set(bit, taking);
    }
    return taking;
  }

  private expected(): string {
    return expectedOf(this.node, (ref) => this.scope.resolve(ref));
  }
}

function checkEach(possible: readonly Branch[], value: unknown, report: Report, expected: string): JsonValue {
  let closest: Report | undefined;
  for (const { check } of possible) {
    const trial = report.trial();
    const copy = check.check(value, trial);
    if (trial.count === 0) return copy;
    // Unions inside unions multiply: the model hears of it, and nothing hangs.
    if (trial.exhausted) return report.add("a value that is less deeply nested in choices", "more ways to read it than are tried");
    if (closest === undefined || trial.count < closest.count) closest = trial;
  }
  // Of containers, the branch with the least wrong is what was meant; of scalars, every rule is one to choose from.
  if (typeof value === "object" && closest !== undefined) report.take(closest);
  else report.add(expected, `another ${received(value)}`);
  return null;
}

function accepts(check: NodeCheck, value: unknown): boolean {
  const trial = new Report().trial();
  check.check(value, trial);
  return trial.count === 0;
}
