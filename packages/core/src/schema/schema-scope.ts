import { ToolwrightError } from "../errors/toolwright-error.js";
import type { JsonValue } from "../contracts/json.js";
import type { DecodePlan, ObjectSchema, SchemaNode } from "../contracts/schema.js";
import type { Report } from "./report.js";
import type { JsonType } from "./json-type.js";
import { declaredTypes } from "./json-type.js";

/** Checks a value and gives back its normalised copy; what is wrong goes to the report, and then the copy does not count. */
export type Check = (value: unknown, report: Report) => JsonValue;

/** A compiled `anyOf`. */
export interface Union {
  readonly check: Check;
  /** Index of the branch that takes the value; -1 if none does. */
  branch(value: unknown): number;
}

/** Compiles one node. Passed along, so that the files of the parts need not import each other. */
export type CompileNode = (scope: SchemaScope, node: SchemaNode, plan: DecodePlan | undefined, path: string) => Check;

/** What the nodes of one schema share: its definitions, its plan's, and the checks made of them. */
export class SchemaScope {
  readonly unions = new Map<SchemaNode, Map<DecodePlan | undefined, Union>>();
  private readonly refs = new Map<string, Check>();

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
  reference(ref: string, plan: DecodePlan | undefined, path: string): Check {
    const node = this.resolve(ref);
    if (node === undefined) throw this.broken(path, `"${ref}" is not defined in "$defs"`);
    if (plan !== undefined && plan.ref === undefined) throw this.broken(path, 'its decode plan has no "ref" for the "$ref"');
    const target = this.follow(plan);
    if (plan !== undefined && target === undefined) throw this.broken(path, `the decode plan's "defs" have no "${plan.ref}"`);
    const key = `${target === undefined ? "" : "+"}${ref}`;
    return (value, report) => {
      let check = this.refs.get(key);
      if (check === undefined) {
        check = this.compile(this, node, target, ref);
        this.refs.set(key, check);
      }
      return check(value, report);
    };
  }

  /** JSON types that a node can take. */
  types(node: SchemaNode, path: string, open: readonly SchemaNode[] = []): ReadonlySet<JsonType> {
    if (open.includes(node)) throw this.broken(path, "it refers to itself without anything in between");
    const inner = [...open, node];
    if (node.$ref !== undefined) {
      const target = this.resolve(node.$ref);
      if (target === undefined) throw this.broken(path, `"${node.$ref}" is not defined in "$defs"`);
      return this.types(target, path, inner);
    }
    if (node.anyOf !== undefined) return new Set(node.anyOf.flatMap((branch) => [...this.types(branch, path, inner)]));
    // Unknown names are refused when the node itself is compiled.
    const types = new Set(declaredTypes(node) as readonly JsonType[]);
    if (types.has("number")) types.add("integer");
    return types;
  }

  broken(path: string, reason: string): ToolwrightError<"TOOL_DEFINITION"> {
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
