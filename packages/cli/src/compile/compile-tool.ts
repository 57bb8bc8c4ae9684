import type { ToolManifest } from "@toolwright/core";
import type { ts } from "typescript-json-schema";
import { warnOfEarlyTypes } from "./early-types.js";
import type { FoundTool } from "./find-tools.js";
import type { FoundToolkit } from "./find-toolkits.js";
import { readHooks } from "./hooks.js";
import { planParameters } from "./parameters.js";
import { settleUnions } from "./plan/settle.js";
import { TypeWalker } from "./plan/walk.js";
import type { Project, WarningText } from "./project.js";
import { buildSchema } from "./schema/build-schema.js";
import { apiLimits, limitProblems } from "./schema/limits.js";
import { callSlots, readSignature } from "./signature.js";
import { checkArgumentNames } from "./templates.js";
import { toolDescription } from "./tool-description.js";
import { snakeCase } from "./tool-name.js";
import { type ReadToolOptions, readToolOptions } from "./tool-options.js";

/**
 * Makes the manifest of one tool; undefined when something is wrong with it, which is reported then.
 *
 * @param classKey - gives a class the key under which the generated module registers it.
 */
export function compileTool(
  toolkit: FoundToolkit,
  tool: FoundTool,
  prefix: string | undefined,
  classKey: (declaration: ts.ClassDeclaration) => string,
  project: Project,
): ToolManifest | undefined {
  const subject = `${toolkit.name}.${tool.method}`;
  const errorsBefore = project.errorCount;
  const options = tool.decorator === undefined ? knownOptions(tool) : readToolOptions(tool.decorator, subject, project);
  const description = toolDescription(tool, options, subject, project);
  const name = toolName(tool, options, prefix, subject, project);
  if (options.effect === undefined) project.warn(tool.place, subject, noEffect);
  const signature = readSignature({ owner: toolkit.declaration, method: tool.method, subject, place: tool.place }, project);
  if (signature === undefined) return undefined;
  warnOfEarlyTypes(tool.declaration, subject, project);
  const walker = new TypeWalker(project);
  const planned = planParameters(signature, subject, walker, tool.known);
  settleUnions(walker);
  const whole = planned.whole === undefined ? undefined : signature.inputs[0];
  const hooks = readHooks({ owner: toolkit.declaration, tool, signature, whole, subject }, options, project);
  if (project.errorCount > errorsBefore) return undefined;
  const types = signature.inputs.map(({ type }) => type);
  const built = buildSchema(types, planned, walker, classKey);
  if (built === undefined) return undefined;
  for (const problem of limitProblems(built.parameters)) project.error(tool.place, subject, problem);
  checkArgumentNames(tool, options, planned.properties, built.parameters, subject, project);
  if (project.errorCount > errorsBefore) return undefined;
  const call = callSlots(signature, planned.whole !== undefined);
  return { name, method: tool.method, description, ...plainOptions(options), ...hooks, ...built, call };
}

function toolName(tool: FoundTool, options: ReadToolOptions, prefix: string | undefined, subject: string, project: Project): string {
  const own = options.name ?? snakeCase(tool.method);
  const name = prefix === undefined ? own : `${prefix}_${own}`;
  if (!apiLimits.name.test(name)) {
    project.error(options.places.get("name") ?? tool.place, subject, {
      reason: `The name "${name}" is not accepted by the API: it must be 1 to 64 letters, digits, _ or -.`,
      fix: 'Give the tool another one: `@Tool({ name: "…" })`.',
    });
  }
  return name;
}

/** The options of a tool whose source is not there, as its own package tells them. */
function knownOptions({ known, method }: FoundTool): ReadToolOptions {
  const {
    name = "",
    description,
    effect,
    resource,
    timeoutMs,
    idempotent,
    approval,
    query,
    compensate,
    maxCalls,
    echo,
    tags,
  } = known ?? {};
  const isUsualName = name === snakeCase(method) || name.endsWith(`_${snakeCase(method)}`);
  const given = {
    ...{ name: isUsualName ? undefined : name, description, effect, resource, timeoutMs, idempotent, maxCalls, echo, tags },
    ...{ approval: typeof approval === "object" ? approval.method : approval, query: query?.method, compensate: compensate?.method },
  };
  return { ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)), places: new Map() };
}

const noEffect: WarningText = {
  code: "BUILD_NO_EFFECT",
  reason: "The tool does not say what it does to the world, so it is run alone and never again after a failure.",
  fix: 'Add `effect: "read"`, `effect: "write"` or `effect: "destructive"` to @Tool.',
};

/** The options that go into the manifest as they are. */
function plainOptions({ effect, resource, timeoutMs, idempotent, maxCalls, echo, tags }: ReadToolOptions): Partial<ToolManifest> {
  const all = { effect, resource, timeoutMs, idempotent, maxCalls, echo, tags };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
