import type { Issue } from "../contracts/schema.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { bounded, dottedPath, MAX_ISSUES } from "./issue-text.js";

/** What a schema library's own check says of decoded arguments; on success its output, defaults and transforms applied. */
export type Refine = (
  value: unknown,
) => Promise<{ readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly issues: readonly Issue[] }>;

interface StandardProps {
  readonly vendor?: unknown;
  readonly validate?: ((value: unknown) => unknown) | undefined;
  readonly jsonSchema?: { readonly input?: ((options: { readonly target: string }) => unknown) | undefined } | undefined;
}

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The JSON Schema of the input that an object with a Standard JSON Schema interface takes; undefined for other values. */
export function standardJsonSchema(source: unknown, tool: string): unknown {
  const standard = standardProps(source);
  // What `z.toJSONSchema()` gives is plain JSON Schema that carries the interface too.
  if (standard === undefined || typeof (source as { $schema?: unknown }).$schema === "string") return undefined;
  const input = standard.jsonSchema?.input;
  const vendor = typeof standard.vendor === "string" ? standard.vendor : "The schema's library";
  if (typeof input !== "function") {
    throw new ToolwrightError(
      "TOOL_DEFINITION",
      `The parameters of the tool "${tool}" have no JSON Schema: ${vendor} does not offer the Standard JSON Schema interface.`,
      {
        fix: "Update the library (Zod 4.2 has it; Valibot by `toStandardJsonSchema` of @valibot/to-json-schema), or pass plain JSON Schema.",
      },
    );
  }
  try {
    return input({ target: "draft-2020-12" });
  } catch (cause) {
    throw new ToolwrightError("TOOL_DEFINITION", `The parameters of the tool "${tool}" have no JSON Schema: ${(cause as Error).message}.`, {
      cause,
      fix: "Use types that JSON has: a date as `z.iso.datetime()`, a big integer as a string.",
    });
  }
}

/** The library's own check of values, for what a strict schema can not say: refinements, transforms, defaults. */
export function standardRefine(source: unknown): Refine | undefined {
  const standard = standardProps(source);
  if (typeof standard?.validate !== "function") return undefined;
  return async (value) => {
    const result = (await standard.validate?.(value)) as {
      readonly issues?: readonly StandardIssue[] | undefined;
      readonly value?: unknown;
    };
    if (result.issues === undefined) return { ok: true, value: result.value };
    return { ok: false, issues: result.issues.slice(0, MAX_ISSUES).map(toIssue) };
  };
}

function standardProps(source: unknown): StandardProps | undefined {
  if ((typeof source !== "object" && typeof source !== "function") || source === null || !("~standard" in source)) return undefined;
  return source["~standard"] as StandardProps;
}

function toIssue({ message, path = [] }: StandardIssue): Issue {
  const segments = path.map((segment) => String(typeof segment === "object" ? segment.key : segment));
  return { path: dottedPath(segments), expected: bounded(message), received: "a value that does not fit" };
}
