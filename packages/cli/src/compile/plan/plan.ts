import type { ts } from "typescript-json-schema";
import type { DocumentedRules } from "../rules/doc-rules.js";
import type { Literal, Rules } from "../rules/rules.js";

/**
 * What a type means for a schema, read from the checker: the sound half of the compiler. Everything that a strict schema
 * can not say was refused before a plan exists. The other half, the schema that typescript-json-schema makes of the same
 * type, is held against it node by node.
 */
export type PlanNode = LeafPlan | LiteralsPlan | DatePlan | ArrayPlan | ObjectPlan | UnionPlan;

export interface LeafPlan {
  readonly kind: "leaf";
  readonly type: "string" | "number" | "boolean" | "null";
  /** Of a template literal type. */
  readonly pattern?: string | undefined;
  /** A brand or a template literal, which typescript-json-schema reads as something else. */
  readonly ownReading?: true | undefined;
}

/** One or several literals, in the order in which they were declared. */
export interface LiteralsPlan {
  readonly kind: "literals";
  readonly values: readonly Literal[];
  /** What members of enums call their numbers. */
  readonly names?: ReadonlyMap<Literal, readonly string[]> | undefined;
  /** Literals with a brand, and enums in several parts. */
  readonly ownReading?: true | undefined;
}

export interface DatePlan {
  readonly kind: "date";
}

/** What can be a definition of its own: named, when it refers to itself or is used more than once. */
interface Definable {
  /** Unique among the definitions of a tool. */
  readonly name: string;
  uses: number;
  recursive: boolean;
}

export interface ArrayPlan extends Definable {
  readonly kind: "array";
  items: PlanNode;
  /** Of a tuple whose elements are all of one type. */
  readonly length: number | undefined;
}

export interface ObjectPlan extends Definable {
  readonly kind: "object";
  readonly type: ts.Type;
  readonly description: string | undefined;
  /** The class that arguments become instances of. */
  readonly dtoClass: ts.ClassDeclaration | undefined;
  properties: readonly PropertyPlan[];
}

export interface UnionPlan extends Definable {
  readonly kind: "union";
  /** In a canonical order, `null` last. */
  members: readonly UnionMember[];
}

export interface UnionMember {
  readonly node: PlanNode;
  /** Where the checker has it in the union, which is where typescript-json-schema comes upon it. */
  readonly sourceIndex: number;
}

/** A property of an object, or a parameter of a tool. */
export interface PropertyPlan {
  readonly name: string;
  readonly node: PlanNode;
  /** Null from the model means absent for the method. */
  readonly optional: boolean;
  readonly description: string | undefined;
  /** What doc tags, class-validator's decorators and the default value say. */
  readonly rules: Rules;
  readonly documented: DocumentedRules;
  /** Where problems of it are shown. */
  readonly place: ts.Node;
  readonly subject: string;
}

export type DefinablePlan = ArrayPlan | ObjectPlan | UnionPlan;

export const nullLeaf: LeafPlan = { kind: "leaf", type: "null" };

export const isNull = (node: PlanNode): boolean => node.kind === "leaf" && node.type === "null";
