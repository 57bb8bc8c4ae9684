import type { KnownHostedTool } from "../contracts/hosted-tools.js";

/**
 * What a list of tools has to be for its hosted tools to be right: the fields of a known type are checked, a type that is not
 * known passes with whatever fields it has. Lists whose length the compiler does not know are not looked into.
 */
export type CheckedTools<Tools extends readonly unknown[]> = Tools extends unknown
  ? number extends Tools["length"]
    ? unknown
    : { readonly [Index in keyof Tools]: CheckedTool<Tools[Index]> }
  : never;

type CheckedTool<Tool> = Tool extends Brought
  ? unknown
  : Tool extends { readonly type: infer Type extends string }
    ? Type extends keyof MadeOtherwise
      ? { readonly type: Mistake<MadeOtherwise[Type]> }
      : Type extends KnownHostedTool["type"]
        ? Checked<Tool, Known<KnownHostedTool, Type>, Type>
        : unknown
    : unknown;

/** Instances of built classes, and what brings its tools itself: their own fields are nobody's concern. */
type Brought = { readonly "~toolwright": unknown } | { readonly "~toolwright.tools": unknown };

/** The members of a union that may have this type: `Extract` does not find one that has several names. */
type Known<Tool, Type> = Tool extends { readonly type: infer Types } ? (Type extends Types ? Tool : never) : never;

/**
 * `unknown` for a value that fits; else what says so, at the place where it is. What was declared as the known type was looked
 * at there, and has to be let go here: filters hold filters.
 */
type Checked<Value, Allowed, Type extends string> = [Allowed, Value] extends [Value, Allowed]
  ? unknown
  : Value extends readonly unknown[]
    ? [ElementOf<Allowed>] extends [never]
      ? MustBe<Allowed>
      : { readonly [Index in keyof Value]: Checked<Value[Index], ElementOf<Allowed>, Type> }
    : Value extends object
      ? [FieldOf<Allowed>] extends [never]
        ? AnyObject<Allowed>
        : Whole<Value, Allowed, Fields<Value, Allowed, Type>>
      : [Value] extends [Allowed]
        ? unknown
        : MustBe<Allowed>;

type Fields<Value extends object, Allowed, Type extends string> = {
  readonly [Field in keyof Value]: Field extends FieldOf<Allowed>
    ? Checked<Value[Field], ValueOf<Allowed, Field>, Type>
    : Mistake<`${Type} has no field ${Field & string}`>;
};

// Where each field is right by itself, one may be missing, or two may exclude each other: the compiler says which.
type Whole<Value, Allowed, Checks> = Value extends Checks ? (Value extends Allowed ? unknown : Extract<Allowed, object>) : Checks;

type AnyObject<Allowed> = [Exclude<Extract<Allowed, object>, readonly unknown[]>] extends [never] ? MustBe<Allowed> : unknown;
type ElementOf<Allowed> = Allowed extends readonly (infer Element)[] ? Element : never;
type FieldOf<Allowed> = Allowed extends readonly unknown[] ? never : Allowed extends object ? keyof Allowed : never;
type ValueOf<Allowed, Field> = Allowed extends object ? (Field extends keyof Allowed ? Allowed[Field] : never) : never;

// Interfaces, so that the compiler quotes them by name. No value has such a field.
interface Mistake<Sentence extends string> {
  readonly "~mistake": Sentence;
}
interface MustBe<Allowed> {
  readonly "~mistake": Allowed;
}

/** Types that an agent does not take as they are. At run time the same is said by an error. */
type MadeOtherwise = {
  readonly function: "make it with defineTool()";
  readonly custom: "make it with customTool()";
  readonly namespace: "make it with toolNamespace()";
  readonly computer: "its calls would be yours to answer, which an agent cannot do";
  readonly computer_use_preview: "its calls would be yours to answer, which an agent cannot do";
  readonly local_shell: "its calls would be yours to answer, which an agent cannot do";
  readonly apply_patch: "its calls would be yours to answer, which an agent cannot do";
};
