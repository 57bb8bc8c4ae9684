import type { NewFile } from "../scaffold/template-files.js";
import type { OperationPlan } from "./operation.js";
import type { ApiName } from "./write-files.js";

/** One class of tools, for the operations of one tag. */
export interface Toolkit {
  readonly className: string;
  readonly file: string;
  readonly operations: readonly OperationPlan[];
}

export function toolkitFile(api: ApiName, { className, file, operations }: Toolkit): NewFile {
  const { pascal, kebab } = api;
  const types = operations.flatMap(({ argumentsType }) => argumentsType?.name ?? []).sort();
  const usesSegment = operations.some(({ parameters }) => parameters.some(({ place }) => place.in === "path"));
  const lines = [
    'import { Tool, type ToolContext } from "@toolwright/core";',
    usesSegment
      ? `import { segment, type ${pascal}Client } from "./${kebab}-client.js";`
      : `import type { ${pascal}Client } from "./${kebab}-client.js";`,
    `import { create${pascal}Client, ${pascal}Config } from "./${kebab}-config.js";`,
    ...(types.length === 0 ? [] : [`import type { ${types.join(", ")} } from "./${kebab}-types.js";`]),
    "",
    `export class ${className} {`,
    `  readonly #client: ${pascal}Client;`,
    "",
    `  constructor(config: ${pascal}Config = new ${pascal}Config()) {`,
    `    this.#client = create${pascal}Client(config);`,
    "  }",
    ...operations.flatMap((operation) => ["", ...methodLines(operation)]),
    "}",
  ];
  return { path: file, text: `${lines.join("\n")}\n` };
}

function methodLines(plan: OperationPlan): readonly string[] {
  const options = [
    `effect: ${JSON.stringify(plan.effect)}`,
    ...(plan.idempotent ? ["idempotent: true"] : []),
    // A text of its own, not a doc comment: in it nothing can be taken for a tag.
    `description: ${JSON.stringify(plan.description)}`,
  ];
  const input = plan.argumentsType === undefined ? "" : `input: ${plan.argumentsType.name}, `;
  return [
    `  @Tool({ ${options.join(", ")} })`,
    `  async ${plan.toolMethod}(${input}context: ToolContext): Promise<unknown> {`,
    "    return this.#client.send(",
    "      {",
    ...requestLines(plan).map((line) => `        ${line}`),
    "      },",
    "      context,",
    "    );",
    "  }",
  ];
}

function requestLines({ method, path, parameters, body, security, idempotencyHeader }: OperationPlan): readonly string[] {
  const query = parameters.flatMap(({ place, property }) =>
    place.in === "query" ? [`[${JSON.stringify(place.name)}, input.${property}, ${JSON.stringify(place.style)}]`] : [],
  );
  const headers = [
    ...parameters.flatMap(({ place, property }) => (place.in === "header" ? [`${JSON.stringify(place.name)}: input.${property}`] : [])),
    ...(idempotencyHeader === undefined ? [] : [`${JSON.stringify(idempotencyHeader)}: context.idempotencyKey`]),
  ];
  return [
    `method: ${JSON.stringify(method)},`,
    `path: ${pathText(path, parameters)},`,
    ...(query.length === 0 ? [] : [`query: [${query.join(", ")}],`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(", ")} },`]),
    ...(body === undefined
      ? []
      : [`body: { as: ${JSON.stringify(body.as)}, mediaType: ${JSON.stringify(body.mediaType)}, value: input.body },`]),
    ...(security.length === 0 ? [] : [`security: ${JSON.stringify(security)},`]),
  ];
}

/** A template literal; what the document itself has in it means nothing there. */
function pathText(path: string, parameters: OperationPlan["parameters"]): string {
  const properties = new Map(parameters.flatMap(({ place, property }) => (place.in === "path" ? [[place.name, property] as const] : [])));
  if (properties.size === 0) return JSON.stringify(path);
  const escaped = (text: string): string => text.replaceAll(/[\\`]|\$(?=\{)/g, "\\$&");
  const parts = path.split(/(\{[^{}]+\})/).map((part) => {
    const property = properties.get(part.slice(1, -1));
    return part.startsWith("{") && property !== undefined ? `\${segment("${property}", input.${property})}` : escaped(part);
  });
  return `\`${parts.join("")}\``;
}
