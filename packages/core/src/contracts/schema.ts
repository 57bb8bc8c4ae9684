/** A node of the strict subset of JSON Schema that OpenAI accepts. The very object that is sent. */
export interface SchemaNode {
  readonly type?: string | readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly enum?: readonly (string | number | boolean | null)[] | undefined;
  readonly properties?: { readonly [name: string]: SchemaNode } | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: false | undefined;
  readonly items?: SchemaNode | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly anyOf?: readonly SchemaNode[] | undefined;
  readonly $ref?: string | undefined;
  readonly $defs?: { readonly [name: string]: SchemaNode } | undefined;
  readonly pattern?: string | undefined;
  readonly format?: string | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMinimum?: number | undefined;
  readonly exclusiveMaximum?: number | undefined;
  readonly multipleOf?: number | undefined;
}

/** The schema of a tool's arguments: a closed object, every property required, optional ones nullable. */
export interface ObjectSchema extends SchemaNode {
  readonly type: "object";
  readonly properties: { readonly [name: string]: SchemaNode };
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

/**
 * What a schema can not say about decoding, as a sparse tree beside it: a node that needs nothing is left out.
 * `anyOf` has the indices of the schema's `anyOf`; `ref` names an entry of the root plan's `defs`, as `$ref` does.
 */
export interface DecodePlan {
  /** Names of properties whose null means "absent": the key is removed, so that defaults and initialisers apply. */
  readonly optional?: readonly string[] | undefined;
  readonly properties?: { readonly [name: string]: DecodePlan } | undefined;
  readonly items?: DecodePlan | undefined;
  readonly anyOf?: readonly (DecodePlan | null)[] | undefined;
  /** A `date-time` text that becomes a Date. */
  readonly date?: true | undefined;
  /** Key into the registration's `classes`: the object becomes an instance of it. */
  readonly dto?: string | undefined;
  readonly ref?: string | undefined;
  /** At the root only. */
  readonly defs?: { readonly [name: string]: DecodePlan } | undefined;
}

/** One thing that is wrong with an argument. Types and rules, never the value itself. */
export interface Issue {
  /** Dotted path from the arguments' root, e.g. `lines.0.qty`; "" is the root. */
  readonly path: string;
  readonly expected: string;
  readonly received: string;
}
