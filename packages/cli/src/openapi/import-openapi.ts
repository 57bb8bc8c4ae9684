import type { NewFile } from "../scaffold/template-files.js";
import { References } from "./flat-schema.js";
import { isObject, type JsonObject, listAt, objectAt, textAt } from "./json.js";
import { kebabName, pascalName, UniqueNames, upperName } from "./names.js";
import { type FoundOperation, type ImportContext, type OperationPlan, planOperation } from "./operation.js";
import { type Credential, credentialsOf } from "./security.js";
import { TypeWriter } from "./type-writer.js";
import { type Note, Unsayable } from "./unsayable.js";
import { variantLiterals } from "./variants.js";
import { type ApiName, clientFile, configFile, typesFile } from "./write-files.js";
import { type Toolkit, toolkitFile } from "./write-toolkit.js";

/** What a document becomes. */
export interface ImportedApi {
  /** Relative to the folder that they go into. Empty when there is no operation that can be a tool. */
  readonly files: readonly NewFile[];
  readonly toolkits: readonly { readonly className: string; readonly methods: readonly string[] }[];
  /** How a tool package of them is declared. */
  readonly declaration: string;
  /** All that did not become a tool, or not as the document says it. */
  readonly notes: readonly Note[];
}

const methods = ["get", "head", "options", "post", "put", "patch", "delete"];
/** Names that mean something else in TypeScript, or to the schema compiler. */
const reserved = [
  "Array",
  "Blob",
  "Boolean",
  "Buffer",
  "Date",
  "Error",
  "File",
  "Function",
  "Headers",
  "Map",
  "Number",
  "Object",
  "Omit",
  "Partial",
  "Pick",
  "Promise",
  "Record",
  "Request",
  "Response",
  "Set",
  "String",
  "Symbol",
  "ToolContext",
  "Tool",
  "URL",
  "any",
  "bigint",
  "boolean",
  "never",
  "null",
  "number",
  "object",
  "string",
  "symbol",
  "undefined",
  "unknown",
  "void",
];

/**
 * Writes tool classes for the operations of an OpenAPI document.
 *
 * @param name - what the API is called in names of files and classes; default: its title.
 */
export function importOpenApi(document: JsonObject, name?: string): ImportedApi {
  const notes: Note[] = [];
  const references = new References(document);
  const api = apiName(document, name);
  const typeNames = new UniqueNames([
    ...reserved,
    ...["Client", "Config", "Credential", "ClientOptions", "Query", "Request"].map((part) => api.pascal + part),
  ]);
  const context: ImportContext = {
    ...{ document, references, typeNames, notes, methodNames: new UniqueNames() },
    types: new TypeWriter(references, typeNames, variantLiterals(document)),
    credentials: credentialsOf(document, references, notes),
  };
  if (document["webhooks"] !== undefined)
    notes.push({ kind: "left out", where: "webhooks", reason: "they are calls of the API, not to it" });
  const plans = operationsOf(document, references, notes).flatMap((found) => planned(found, context));
  if (plans.length === 0) return { files: [], toolkits: [], declaration: "", notes };
  const toolkits = toolkitsOf(plans, api, typeNames);
  const credentials = [...context.credentials.values()].filter(({ property }) =>
    plans.some(({ security }) => security.flat().includes(property)),
  );
  const argumentTypes = plans.flatMap(({ argumentsType }) => argumentsType ?? []);
  const server = serverOf(document, notes);
  const files = [
    clientFile(api),
    configFile(api, server, credentials),
    ...(argumentTypes.length === 0 ? [] : [typesFile(api, context.types.named, argumentTypes)]),
    ...toolkits.map((toolkit) => toolkitFile(api, toolkit)),
  ];
  return {
    files,
    toolkits: toolkits.map(({ className, operations }) => ({ className, methods: operations.map(({ toolMethod }) => toolMethod) })),
    declaration: declarationOf(api, server, credentials, toolkits),
    notes,
  };
}

function declarationOf(
  { pascal }: ApiName,
  server: string | undefined,
  credentials: readonly Credential[],
  toolkits: readonly Toolkit[],
): string {
  const parts = [
    `config: ${pascal}Config`,
    ...(credentials.length === 0 ? [] : [`secrets: ${JSON.stringify(credentials.map(({ property }) => property))}`]),
    ...(server === undefined ? [] : [`needs: { hosts: ${JSON.stringify([new URL(server).hostname])} }`]),
    `create: (config) => [${toolkits.map(({ className }) => `new ${className}(config)`).join(", ")}]`,
  ];
  return `export default defineToolPackage({ ${parts.join(", ")} });`;
}

function apiName(document: JsonObject, name: string | undefined): ApiName {
  const title =
    (textAt(document["info"], "title") ?? "")
      .replaceAll(/[\p{Cc}\s]+/gu, " ")
      .trim()
      .slice(0, 60) || "the API";
  const text = name ?? title;
  return {
    title,
    pascal: pascalName(text, "Api").slice(0, 40),
    kebab: kebabName(text, "api").slice(0, 40).replace(/-+$/, ""),
    upper:
      upperName(text, "api")
        .slice(0, 24)
        .replace(/^(?=\d)|_+$/g, "") || "API",
  };
}

function operationsOf(document: JsonObject, references: References, notes: Note[]): readonly FoundOperation[] {
  return Object.entries(objectAt(document, "paths")).flatMap(([path, value]) => {
    const pathItem = pathItemOf(value, path, references, notes);
    if (pathItem["trace"] !== undefined) notes.push({ kind: "skipped", where: `TRACE ${path}`, reason: "fetch does not send TRACE" });
    return methods.flatMap((method) => {
      const operation = pathItem[method];
      return isObject(operation) ? [{ method: method.toUpperCase(), path, operation, pathItem }] : [];
    });
  });
}

function pathItemOf(value: unknown, path: string, references: References, notes: Note[]): JsonObject {
  try {
    return references.resolve(value);
  } catch (error) {
    if (!(error instanceof Unsayable)) throw error;
    notes.push({ kind: "skipped", where: path, reason: error.message });
    return {};
  }
}

function planned(found: FoundOperation, context: ImportContext): readonly OperationPlan[] {
  const where = `${found.method} ${found.path}`;
  try {
    const plan = planOperation(found, context);
    if (isObject(found.operation["callbacks"]))
      context.notes.push({ kind: "left out", where: `${where} callbacks`, reason: "they are calls of the API, not to it" });
    return [plan];
  } catch (error) {
    if (!(error instanceof Unsayable)) throw error;
    context.notes.push({ kind: "skipped", where, reason: error.place === "" ? error.message : `${error.place}: ${error.message}` });
    return [];
  }
}

/** A class for each tag, in the order in which they come; for operations without a tag, one of the API's own name. */
function toolkitsOf(plans: readonly OperationPlan[], api: ApiName, typeNames: UniqueNames): readonly Toolkit[] {
  const files = new UniqueNames([`${api.kebab}-client`, `${api.kebab}-config`, `${api.kebab}-types`]);
  return [...Map.groupBy(plans, ({ tag }) => tag ?? "")].map(([tag, operations]) => ({
    className: typeNames.take(`${tag === "" ? api.pascal : pascalName(tag, api.pascal)}Tools`),
    file: `${files.take(`${tag === "" ? api.kebab : kebabName(tag, api.kebab)}-tools`)}.ts`,
    operations,
  }));
}

/** The first server, with the values that its variables have by default. */
function serverOf(document: JsonObject, notes: Note[]): string | undefined {
  const [first, ...more] = listAt(document, "servers");
  const variables = objectAt(first, "variables");
  const url = textAt(first, "url")?.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => textAt(variables[name], "default") ?? whole);
  if (more.length > 0)
    notes.push({ kind: "changed", where: "servers", reason: `the first one is the default of \`baseUrl\`; there are ${more.length} more` });
  if (url !== undefined && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && !url.includes("{")) return url;
  notes.push({ kind: "left out", where: "servers", reason: "there is no full address: the app must set `baseUrl`" });
  return undefined;
}
