import type { References } from "./flat-schema.js";
import { isObject, type JsonObject, objectAt, textAt } from "./json.js";
import { camelName, UniqueNames } from "./names.js";
import { type Note, Unsayable } from "./unsayable.js";

/** A secret that the app gives, and where requests carry it. */
export interface Credential {
  /** Property of the configuration class. */
  readonly property: string;
  readonly in: "header" | "query";
  /** Of the header or the query parameter. */
  readonly name: string;
  readonly form: "plain" | "bearer" | "basic";
  readonly description: string;
}

/** Credentials by the names that the document gives to its security schemes. */
export type Credentials = ReadonlyMap<string, Credential>;

/** What of the security schemes generated code can send; the rest is noted. */
export function credentialsOf(document: JsonObject, references: References, notes: Note[]): Credentials {
  const names = new UniqueNames(["baseUrl", "constructor"]);
  const found = new Map<string, Credential>();
  for (const [scheme, value] of Object.entries(objectAt(objectAt(document, "components"), "securitySchemes"))) {
    try {
      found.set(
        scheme,
        credentialOf(references.resolve(value), () => names.take(camelName(scheme, "secret"))),
      );
    } catch (error) {
      if (!(error instanceof Unsayable)) throw error;
      notes.push({ kind: "left out", where: `security scheme ${scheme}`, reason: error.message });
    }
  }
  return found;
}

function credentialOf(scheme: JsonObject, takeName: () => string): Credential {
  const description = textAt(scheme, "description") ?? "";
  const name = textAt(scheme, "name") ?? "";
  switch (scheme["type"]) {
    case "apiKey":
      if (scheme["in"] !== "header" && scheme["in"] !== "query") throw new Unsayable(`its key is in the ${String(scheme["in"])}`);
      return { property: takeName(), in: scheme["in"], name, form: "plain", description };
    case "http": {
      const form = textAt(scheme, "scheme")?.toLowerCase();
      if (form !== "bearer" && form !== "basic") throw new Unsayable(`HTTP authentication by "${form ?? ""}" is not written`);
      return { property: takeName(), in: "header", name: "Authorization", form, description };
    }
    case "oauth2":
    case "openIdConnect":
      // How the app comes by a token is its own affair.
      return { property: takeName(), in: "header", name: "Authorization", form: "bearer", description };
    default:
      throw new Unsayable(`authentication by ${String(scheme["type"])} is not written`);
  }
}

/**
 * The ways in which an operation may be authenticated, each with the properties that it needs; none when it needs nothing.
 *
 * @throws Unsayable when there are ways, and none can be sent.
 */
export function securityOf(operation: JsonObject, document: JsonObject, credentials: Credentials): readonly (readonly string[])[] {
  const given = operation["security"] ?? document["security"];
  const ways = Array.isArray(given) ? given.filter(isObject) : [];
  const possible = ways.map(Object.keys).filter((schemes) => schemes.every((scheme) => credentials.has(scheme)));
  if (ways.length > 0 && possible.length === 0)
    throw new Unsayable(`it needs ${ways.map((way) => Object.keys(way).join(" and ")).join(" or ")}, which generated code cannot send`);
  return possible.map((schemes) => schemes.map((scheme) => credentials.get(scheme)?.property ?? scheme));
}
