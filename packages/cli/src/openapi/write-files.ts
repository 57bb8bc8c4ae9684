import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../scaffold/package-root.js";
import type { NewFile } from "../scaffold/template-files.js";
import { docComment, docText } from "./doc-comment.js";
import type { Credential } from "./security.js";
import type { NamedType } from "./type-writer.js";

/** What the API is called: for people, and in the forms that code needs. */
export interface ApiName {
  readonly title: string;
  readonly pascal: string;
  readonly kebab: string;
  readonly upper: string;
}

/** The client of the API: the template with its name. */
export function clientFile({ title, pascal, kebab, upper }: ApiName): NewFile {
  const template = readFileSync(join(packageRoot().folder, "templates/openapi/src/sample-client.ts"), "utf8");
  const text = template.replaceAll(/"sample"|SAMPLE(?=_)|Sample/g, (found) =>
    found === '"sample"' ? JSON.stringify(title) : found === "SAMPLE" ? upper : pascal,
  );
  return { path: `${kebab}-client.ts`, text };
}

/** The class of the settings that an app gives, and the client that is made of them. */
export function configFile(api: ApiName, baseUrl: string | undefined, credentials: readonly Credential[]): NewFile {
  const { pascal, kebab } = api;
  const fields = credentials.flatMap(({ property, description, ...credential }) => [
    "",
    `  /** ${docText(`${placeText(credential)} ${description}`)} A secret: it comes into no message. */`,
    `  ${property}?: string | undefined;`,
  ]);
  const entries = credentials.map(
    ({ property, in: place, name, form }) =>
      `      ${property}: { in: ${JSON.stringify(place)}, name: ${JSON.stringify(name)}, form: ${JSON.stringify(form)}, value: config.${property} },`,
  );
  const lines = [
    `import { ${pascal}Client } from "./${kebab}-client.js";`,
    "",
    `/** What an app sets to use ${docText(api.title)}. */`,
    `export class ${pascal}Config {`,
    baseUrl === undefined ? "  /** Where the API is; the document does not say. */" : "  /** Where the API is. */",
    `  baseUrl = ${JSON.stringify(baseUrl ?? "")};`,
    ...fields,
    "}",
    "",
    `export function create${pascal}Client(config: ${pascal}Config): ${pascal}Client {`,
    `  return new ${pascal}Client({`,
    "    baseUrl: config.baseUrl,",
    ...(entries.length === 0 ? ["    credentials: {},"] : ["    credentials: {", ...entries, "    },"]),
    "  });",
    "}",
  ];
  return { path: `${kebab}-config.ts`, text: `${lines.join("\n")}\n` };
}

function placeText({ in: place, name, form }: Pick<Credential, "in" | "name" | "form">): string {
  if (form === "bearer") return "Token, sent as a bearer token.";
  if (form === "basic") return 'Written as "user:password", sent by basic authentication.';
  return `Key, sent as the ${place === "header" ? "header" : "query parameter"} ${name}.`;
}

/** The types of all arguments. */
export function typesFile(
  { kebab }: ApiName,
  named: readonly NamedType[],
  argumentTypes: readonly { readonly name: string; readonly text: string }[],
): NewFile {
  const all = [
    ...named.map(({ name, text, description }) => ({ name, text, description })),
    ...argumentTypes.map((type) => ({ ...type, description: "" })),
  ];
  const texts = all.map(({ name, text, description }) =>
    [...docComment(description, [], ""), `export interface ${name} ${text}`, ""].join("\n"),
  );
  return { path: `${kebab}-types.ts`, text: texts.join("\n") };
}
