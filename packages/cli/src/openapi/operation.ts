import { type BodyPlan, bodyOf } from "./body.js";
import { shortened } from "./doc-comment.js";
import type { References } from "./flat-schema.js";
import { type JsonObject, listAt, textAt } from "./json.js";
import { camelName, inherited, pascalName, UniqueNames } from "./names.js";
import { isIdempotencyKey, type ParameterPlan, parametersOf, planParameter } from "./parameter.js";
import { type Credentials, securityOf } from "./security.js";
import { objectText, type PropertyText } from "./type-text.js";
import type { TypeWriter } from "./type-writer.js";
import { type Note, Unsayable } from "./unsayable.js";

/** An operation as a tool. */
export interface OperationPlan {
  readonly method: string;
  readonly path: string;
  readonly toolMethod: string;
  readonly description: string;
  readonly effect: "read" | "write" | "destructive";
  readonly idempotent: boolean;
  /** The interface of its arguments; undefined when it takes none. */
  readonly argumentsType: { readonly name: string; readonly text: string } | undefined;
  readonly parameters: readonly (ParameterPlan & { readonly property: string })[];
  readonly body: BodyPlan | undefined;
  /** The header that carries the call's own key. */
  readonly idempotencyHeader: string | undefined;
  readonly security: readonly (readonly string[])[];
  readonly tag: string | undefined;
}

/** An operation where the document has it. */
export interface FoundOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: JsonObject;
  readonly pathItem: JsonObject;
}

/** What all operations of a document share. */
export interface ImportContext {
  readonly document: JsonObject;
  readonly references: References;
  readonly types: TypeWriter;
  readonly typeNames: UniqueNames;
  readonly methodNames: UniqueNames;
  readonly credentials: Credentials;
  readonly notes: Note[];
}

/** Strict mode allows ten levels; the arguments themselves are one. */
const mostLevels = 10;
/** A tool's name has 64 characters at most, and underscores come in. */
const longestMethod = 40;

/** @throws Unsayable when a part that is needed cannot be said. */
export function planOperation(found: FoundOperation, context: ImportContext): OperationPlan {
  const { method, path, operation, pathItem } = found;
  const where = `${method} ${path}`;
  if (operation["servers"] !== undefined || pathItem["servers"] !== undefined)
    throw new Unsayable("it has a server of its own, which must not get the secrets of another");
  const security = securityOf(operation, context.document, context.credentials);
  const notes: Note[] = [];
  const given = plansOf(found, context, notes);
  const key = given.find(isIdempotencyKey);
  const named = withProperties(given.filter((plan) => plan !== key));
  const body = bodyPlan(operation, context);
  const properties = [...parameterTexts(named, where, context, notes), ...bodyText(body, where, context, notes)];
  const depth = 1 + Math.max(0, ...properties.map(({ type }) => type.depth));
  if (depth > mostLevels) throw new Unsayable(`its arguments have ${depth} levels, and a strict schema allows ${mostLevels}`);
  const kept = new Set(properties.map(({ name }) => name));
  const toolMethod = methodName(found, context);
  context.notes.push(...notes);
  return {
    ...{ method, path, toolMethod, security },
    ...conduct(method, key !== undefined),
    description: descriptionOf(found),
    argumentsType:
      properties.length === 0
        ? undefined
        : { name: context.typeNames.take(`${pascalName(toolMethod, "Call")}Arguments`), text: objectText(properties) },
    parameters: named.filter(({ property }) => kept.has(property)),
    body,
    idempotencyHeader: key?.place.name,
    tag: listAt(operation, "tags").find((tag) => typeof tag === "string"),
  };
}

function conduct(method: string, hasKey: boolean): Pick<OperationPlan, "effect" | "idempotent"> {
  if (["GET", "HEAD", "OPTIONS"].includes(method)) return { effect: "read", idempotent: false };
  return { effect: method === "DELETE" ? "destructive" : "write", idempotent: method === "PUT" || method === "DELETE" || hasKey };
}

function plansOf(
  { method, path, operation, pathItem }: FoundOperation,
  { references }: ImportContext,
  notes: Note[],
): readonly ParameterPlan[] {
  const plans: ParameterPlan[] = [];
  for (const parameter of parametersOf(pathItem, operation, references)) {
    const name = String(parameter["name"]);
    try {
      plans.push(planParameter(parameter, references));
    } catch (error) {
      if (!(error instanceof Unsayable)) throw error;
      if (parameter["required"] === true) throw error.below(name);
      notes.push({ kind: "left out", where: `${method} ${path} ${name}`, reason: error.message });
    }
  }
  const inPath = new Set([...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name));
  const told = plans.filter(({ place }) => place.in === "path").map(({ place }) => place.name);
  const missing = [...inPath].find((name) => name !== undefined && !told.includes(name));
  if (missing !== undefined) throw new Unsayable(`nothing says what {${missing}} in its path is`);
  return plans.filter(({ place }) => place.in !== "path" || inPath.has(place.name));
}

/** Names for the model and for code; `body` is for the body. */
function withProperties(plans: readonly ParameterPlan[]): readonly (ParameterPlan & { readonly property: string })[] {
  const names = new UniqueNames(["body", ...inherited]);
  return plans.map((plan) => ({ ...plan, property: names.take(camelName(plan.place.name, plan.place.in)) }));
}

function parameterTexts(
  plans: ReturnType<typeof withProperties>,
  where: string,
  { types }: ImportContext,
  notes: Note[],
): readonly PropertyText[] {
  return plans.flatMap(({ property, schema, required, description, place }) => {
    try {
      const { type, notes: more } = types.write(schema, `${where} ${place.name}`);
      if (place.in !== "query" && type.depth > 1) throw new Unsayable(`a ${place.in} holds no lists of lists`);
      if (place.in === "query" && place.style === "deep" && type.depth > 1)
        throw new Unsayable("an object in a query holds plain values only");
      notes.push(...more);
      return [{ name: property, type, optional: !required, description: shortened(description, 300) }];
    } catch (error) {
      if (!(error instanceof Unsayable)) throw error;
      if (required) throw error.below(place.name);
      notes.push({ kind: "left out", where: `${where} ${error.below(place.name).place}`, reason: error.message });
      return [];
    }
  });
}

/** An operation that has a body is none without it, even where the document forgets to require it: it would empty what it should fill. */
function bodyPlan(operation: JsonObject, { references }: ImportContext): BodyPlan | undefined {
  try {
    return bodyOf(operation, references);
  } catch (error) {
    throw error instanceof Unsayable ? error.below("body") : error;
  }
}

function bodyText(body: BodyPlan | undefined, where: string, { types }: ImportContext, notes: Note[]): readonly PropertyText[] {
  if (body === undefined) return [];
  try {
    const { type, notes: more } = types.write(body.schema, `${where} body`);
    notes.push(...more);
    return [{ name: "body", type, optional: !body.required, description: shortened(body.description, 300) }];
  } catch (error) {
    throw error instanceof Unsayable ? error.below("body") : error;
  }
}

function methodName({ method, path, operation }: FoundOperation, { methodNames, notes }: ImportContext): string {
  const id = textAt(operation, "operationId");
  // GET /pets/{petId}/toys: getPetsByPetIdToys
  const fromPath = `${method.toLowerCase()} ${path.replaceAll(/\{([^{}]*)\}/g, " by $1 ")}`;
  const wanted = shortName(camelName(id ?? fromPath, fromPath));
  // An object with a method `then` would be taken for a promise.
  const taken = methodNames.take([...inherited, "then", "toJSON"].includes(wanted) ? `call${pascalName(wanted, "Tool")}` : wanted);
  if (id !== undefined && taken !== wanted)
    notes.push({ kind: "changed", where: `${method} ${path}`, reason: `it is named ${taken}, since ${wanted} is taken` });
  return taken;
}

/** Cut between words. */
function shortName(name: string): string {
  if (name.length <= longestMethod) return name;
  const cut = name.slice(0, longestMethod);
  return /^(.{12,})[A-Z][a-z0-9]*$/.exec(cut)?.[1] ?? cut;
}

function descriptionOf({ method, path, operation }: FoundOperation): string {
  const [summary, description] = [textAt(operation, "summary")?.trim() ?? "", textAt(operation, "description")?.trim() ?? ""];
  const sentence = summary === "" || /[.!?]$/.test(summary) ? summary : `${summary}.`;
  const both = description.startsWith(summary.replace(/\.$/, "")) ? description : `${sentence} ${description}`;
  const text = shortened(both.trim());
  const request = `Sends ${method} ${path}.`;
  const old = operation["deprecated"] === true ? " It is deprecated." : "";
  // A word or two say too little of when to use it.
  return `${text === "" ? request : text.split(" ").length < 4 ? `${text} ${request}` : text}${old}`;
}
