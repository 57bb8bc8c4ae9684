import type { DecodePlan } from "@toolwright/core";
import type { Definition, ts } from "typescript-json-schema";
import { describe } from "../describe.js";
import { memberWords } from "../plan/literals.js";
import type { ArrayPlan, DefinablePlan, LiteralsPlan, ObjectPlan, PlanNode, PropertyPlan, UnionPlan } from "../plan/plan.js";
import { isNull } from "../plan/plan.js";
import { type At, Unsupported } from "../plan/unsupported.js";
import type { Walker } from "../plan/walker.js";
import type { WarningText } from "../project.js";
import { applyRules } from "./apply-rules.js";
import { type BuiltSchema, decodeOf, type MutableSchema, nullable } from "./mutable-schema.js";
import { alignBranches, dereference, isDefinition } from "./raw-branches.js";
import type { RawSchema } from "./raw-schema.js";
import { unenforcedTags } from "./unenforced-tags.js";

/** What the walk through one plan and its raw schema carries along. */
interface Place {
  readonly at: At;
  /** Undefined below a node that the two halves read differently on purpose, e.g. a brand. */
  readonly raw: RawSchema | undefined;
}

/**
 * Makes the strict schema of one tool: walks a plan and the raw schema of the same type in step, takes from the raw one
 * only keywords of the API's list, and refuses the type where the two disagree.
 */
export class Strictifier {
  readonly definitions = new Map<DefinablePlan, BuiltSchema | "open">();

  constructor(
    private readonly walker: Walker,
    /** Gives a class the key under which the generated module registers it. */
    private readonly classKey: (declaration: ts.ClassDeclaration) => string,
  ) {}

  /** A parameter's or property's schema, with its rules and description; nullable when it may be absent. */
  property(property: PropertyPlan, node: Definition | undefined, raw: RawSchema | undefined): BuiltSchema {
    const place: Place = { at: property, raw };
    const built = this.#node(property.node, node, place);
    const words: string[] = [];
    const problem = applyRules(built.schema, property.rules, words);
    if (problem !== undefined) throw new Unsupported(property, { reason: problem, fix: "Correct the decorators or doc tags." });
    const names = memberSentence(property, built.schema);
    // Rules may have left fewer of the values than the type has.
    if (names !== undefined) delete built.schema.description;
    words.unshift(...(names === undefined ? [] : [names]), ...(property.rules.words ?? []));
    const unenforced = unenforcedTags(property.documented, built.schema);
    if (unenforced.length > 0) this.walker.project.warn(property.place, property.subject, uncheckedTags(unenforced));
    return describe(property.optional ? nullable(built) : built, property.description, words);
  }

  /** An object's schema, written out: the root of a tool that takes its arguments as one object. */
  object(plan: ObjectPlan, node: Definition | undefined, place: Place): BuiltSchema {
    const own = this.#expect(node, place, ({ type }) => type === "object");
    const properties: Record<string, MutableSchema> = {};
    const decodes: Record<string, DecodePlan> = {};
    for (const property of plan.properties) {
      const child = own?.properties?.[property.name];
      if (own !== undefined && !isDefinition(child)) throw this.#disagreement(property);
      this.walker.attempt(() => {
        const built = this.property(property, isDefinition(child) ? child : undefined, own === undefined ? undefined : place.raw);
        properties[property.name] = built.schema;
        if (built.decode !== undefined) decodes[property.name] = built.decode;
      });
    }
    const schema: MutableSchema = {
      type: "object",
      ...described(plan.description),
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    };
    const optional = plan.properties.filter((property) => property.optional).map(({ name }) => name);
    return {
      schema,
      decode: decodeOf({ optional, properties: decodes, dto: plan.dtoClass === undefined ? undefined : this.classKey(plan.dtoClass) }),
    };
  }

  #node(plan: PlanNode, node: Definition | undefined, place: Place): BuiltSchema {
    if ((plan.kind === "object" || plan.kind === "union" || plan.kind === "array") && isNamed(plan))
      return this.#reference(plan, node, place);
    return this.#inline(plan, node, place);
  }

  #inline(plan: PlanNode, node: Definition | undefined, place: Place): BuiltSchema {
    if (plan.kind === "object") return this.object(plan, node, place);
    if (plan.kind === "union") return this.#union(plan, node, place);
    const built =
      plan.kind === "array"
        ? this.#array(plan, node, place)
        : { schema: this.#scalar(plan, node, place), decode: plan.kind === "date" ? ({ date: true } as const) : undefined };
    return built;
  }

  #reference(plan: DefinablePlan, node: Definition | undefined, place: Place): BuiltSchema {
    if (!this.definitions.has(plan)) {
      this.definitions.set(plan, "open");
      this.definitions.set(plan, this.#inline(plan, node, place));
    }
    return { schema: { $ref: `#/$defs/${plan.name}` }, decode: { ref: plan.name } };
  }

  #scalar(plan: Exclude<PlanNode, DefinablePlan>, node: Definition | undefined, place: Place): MutableSchema {
    if (plan.kind === "date") {
      this.#expect(node, place, ({ type, format }) => type === "string" && format !== undefined);
      return { type: "string", format: "date-time" };
    }
    if (plan.kind === "literals") {
      if (plan.ownReading !== true) this.#expect(node, place, (own) => sameValues(own, plan));
      return literalSchema(plan);
    }
    if (plan.ownReading !== true)
      this.#expect(node, place, ({ type }) => type === plan.type || (Array.isArray(type) && type.length === 1 && type[0] === plan.type));
    return { type: plan.type, ...(plan.pattern === undefined ? {} : { pattern: plan.pattern }) };
  }

  #array(plan: ArrayPlan, node: Definition | undefined, place: Place): BuiltSchema {
    const own = this.#expect(node, place, ({ type }) => type === "array");
    const items = Array.isArray(own?.items) ? own.items[0] : own?.items;
    if (own !== undefined && !isDefinition(items)) throw this.#disagreement(place.at);
    const below: Place = { at: { ...place.at, subject: `${place.at.subject}[]` }, raw: own === undefined ? undefined : place.raw };
    const built = this.#node(plan.items, isDefinition(items) ? items : undefined, below);
    const length = plan.length === undefined ? {} : { minItems: plan.length, maxItems: plan.length };
    return {
      schema: { type: "array", items: built.schema, ...length },
      decode: built.decode === undefined ? undefined : { items: built.decode },
    };
  }

  #union(plan: UnionPlan, node: Definition | undefined, place: Place): BuiltSchema {
    const own = place.raw === undefined ? undefined : dereference(node, place.raw);
    const aligned =
      own === undefined || place.raw === undefined ? new Map<PlanNode, Definition>() : alignBranches(plan.members, own, place.raw);
    if (aligned === false) throw this.#disagreement(place.at);
    const values = plan.members.map((member) => member.node).filter((member) => !isNull(member));
    const branches = values.map((member) => {
      const branch = aligned.get(member);
      return this.#node(member, branch, branch === undefined ? { ...place, raw: undefined } : place);
    });
    const joined = join(branches);
    return values.length < plan.members.length ? nullable(joined) : joined;
  }

  #expect(node: Definition | undefined, { at, raw }: Place, fits: (own: Definition) => boolean): Definition | undefined {
    if (raw === undefined) return undefined;
    const own = dereference(node, raw);
    if (own === undefined || !fits(own)) throw this.#disagreement(at);
    return own;
  }

  #disagreement(at: At): Unsupported {
    return new Unsupported(at, {
      reason: "The two readers of types that the build uses disagree about this one, so its schema would not be certain.",
      fix: "Write the type out in a simpler form, e.g. as an interface.",
    });
  }
}

const uncheckedTags = (tags: readonly string[]): WarningText => ({
  code: "BUILD_UNCHECKED_RULE",
  reason: `Nobody checks ${tags.map((tag) => `@${tag}`).join(" and ")} here: a strict schema of this type cannot say it.`,
  fix: "Use a class with class-validator's decorators, or check it in the method.",
});

/** What refers to itself, and objects that are used more than once. */
const isNamed = (plan: DefinablePlan): boolean => plan.recursive || (plan.kind === "object" && plan.uses > 1);

const described = (description: string | undefined): { description?: string } => (description === undefined ? {} : { description });

function literalSchema(plan: LiteralsPlan): MutableSchema {
  const { values } = plan;
  const types = [...new Set(values.map((value) => typeof value as string))];
  const [only] = types;
  return { type: types.length === 1 && only !== undefined ? only : types, ...described(memberWords(plan)), enum: values };
}

/** What the numbers of an enum mean, unless the description tells that already. */
function memberSentence({ node, description = "" }: PropertyPlan, schema: MutableSchema): string | undefined {
  const values = node.kind === "union" ? node.members.filter((member) => !isNull(member.node)).map((member) => member.node) : [node];
  const [plan] = values;
  if (values.length !== 1 || plan?.kind !== "literals") return undefined;
  const known = description.toLowerCase();
  if ([...(plan.names ?? [])].every(([, [name = ""]]) => known.includes(name.toLowerCase()))) return undefined;
  return memberWords(plan, (value) => schema.enum?.includes(value) ?? true);
}

function sameValues(own: Definition, { values }: LiteralsPlan): boolean {
  const given: readonly unknown[] = own.enum ?? (own.const === undefined ? [] : [own.const]);
  return given.every((value) => values.some((known) => known === value)) && values.every((value) => given.includes(value));
}

function join(branches: readonly BuiltSchema[]): BuiltSchema {
  const [only] = branches;
  if (only === undefined) return { schema: { type: "null" }, decode: undefined };
  if (branches.length === 1) return only;
  const decodes = branches.map(({ decode }) => decode ?? null);
  return {
    schema: { anyOf: branches.map(({ schema }) => schema) },
    decode: decodes.some((decode) => decode !== null) ? { anyOf: decodes } : undefined,
  };
}
