import { ToolwrightError } from "../errors/toolwright-error.js";
import type { JsonValue } from "../contracts/json.js";
import type { DecodePlan, ObjectSchema, SchemaNode } from "../contracts/schema.js";
import { declaredTypes } from "./json-type.js";
import type { Report } from "./report.js";
import { placeOf } from "./schema-place.js";
import { bitsNamed } from "./type-bits.js";

/** Checks the values of one node. */
export interface NodeCheck {
  /** Gives back the normalised copy of a value; what is wrong goes to the report, and then the copy does not count. */
  check(value: unknown, report: Report): JsonValue;
}

/** A compiled `anyOf`. */
export interface Union extends NodeCheck {
  /** Index of the branch that takes the value; -1 if none does. */
  branch(value: unknown): number;
}

/** Compiles one node. Passed along, so that the files of the parts need not import each other. */
export type CompileNode = (scope: SchemaScope, node: SchemaNode, plan: DecodePlan | undefined) => NodeCheck;

const NONE: readonly SchemaNode[] = [];

/** What the nodes of one schema share: its definitions, its plan's, and the checks made of them. */
export class SchemaScope {
  /** Made when there is a choice: most schemas have none. */
  unions: Map<SchemaNode, Map<DecodePlan | undefined, Union>> | undefined;
  private refs: Map<string, NodeCheck> | undefined;

  constructor(
    readonly schema: ObjectSchema,
    readonly plan: DecodePlan | undefined,
    readonly owner: string,
    readonly compile: CompileNode,
  ) {}

  /** The node that `#` or `#/$defs/Name` means. */
  resolve(ref: string): SchemaNode | undefined {
    if (ref === "#") return this.schema;
    const name = defName(ref);
    return name !== undefined && this.schema.$defs !== undefined && Object.hasOwn(this.schema.$defs, name)
      ? this.schema.$defs[name]
      : undefined;
  }

  /** The plan that a node's plan stands for: `ref` names an entry of `defs`. */
  follow(plan: DecodePlan | undefined): DecodePlan | undefined {
    if (plan?.ref === undefined) return plan;
    if (plan.ref === "#") return this.plan;
    const defs = this.plan?.defs;
    return defs !== undefined && Object.hasOwn(defs, plan.ref) ? defs[plan.ref] : undefined;
  }

  /** A check that is compiled when it is first needed: definitions may be recursive. */
  reference(from: SchemaNode, ref: string, plan: DecodePlan | undefined): NodeCheck {
    const node = this.resolve(ref);
    if (node === undefined) throw this.broken(from, `"${ref}" is not defined in "$defs"`);
    if (plan !== undefined && plan.ref === undefined) throw this.broken(from, 'its decode plan has no "ref" for the "$ref"');
    const target = this.follow(plan);
    if (plan !== undefined && target === undefined) throw this.broken(from, `the decode plan's "defs" have no "${plan.ref}"`);
    const key = `${target === undefined ? "" : "+"}${ref}`;
    return {
      check: (value, report) => {
        this.refs ??= new Map();
        let found = this.refs.get(key);
        if (found === undefined) {
          found = this.compile(this, node, target);
          this.refs.set(key, found);
        }
        return found.check(value, report);
      },
    };
  }

  /** JSON types that a node can take, as bits. */
  bits(node: SchemaNode, open: readonly SchemaNode[] = NONE): number {
    if (node.$ref === undefined && node.anyOf === undefined) {
      // Unknown names are refused when the node itself is compiled.
      return declaredTypes(node).reduce((bits, type) => bits | (bitsNamed(type) ?? 0), 0);
    }
    if (open.includes(node)) throw this.broken(node, "it refers to itself without anything in between");
    const inner = [...open, node];
    if (node.$ref === undefined) return (node.anyOf ?? []).reduce((bits, branch) => bits | this.bits(branch, inner), 0);
    const target = this.resolve(node.$ref);
    if (target === undefined) throw this.broken(node, `"${node.$ref}" is not defined in "$defs"`);
    return this.bits(target, inner);
  }

  /** The error for a node of the schema, which it names by its place. */
  broken(node: SchemaNode, reason: string): ToolwrightError<"TOOL_DEFINITION"> {
    const path = placeOf(node, this.schema);
    return new ToolwrightError("TOOL_DEFINITION", `The parameters of ${this.owner} can not be checked: at "${path}", ${reason}.`, {
      fix: "Run `npx toolwright build` again with this version of Toolwright, or correct the schema.",
    });
  }
}

function defName(ref: string): string | undefined {
  const prefix = "#/$defs/";
  if (!ref.startsWith(prefix)) return undefined;
  return ref.slice(prefix.length).replaceAll("~1", "/").replaceAll("~0", "~");
}
