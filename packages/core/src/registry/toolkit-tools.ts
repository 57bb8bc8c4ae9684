import type { JsonObject } from "../contracts/json.js";
import type { MethodReference, ToolManifest } from "../contracts/manifest.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import type { PreparedCall, QueryAnswer, RunnableTool, ToolContext } from "../contracts/tool.js";
import { argumentChecker } from "../schema/argument-checker.js";
import type { DecodeResult } from "../schema/decode-arguments.js";
import { fillSlots } from "../schema/fill-slots.js";
import { asBoolean } from "./as-boolean.js";
import { assertOneTransformer } from "./second-copies.js";
import { toolInfo } from "./tool-info.js";
import type { ToolkitRecord } from "./toolkit-table.js";

type Methods = Record<string, (...parameters: unknown[]) => unknown>;

/**
 * The tools of one instance of a registered class, bound to that instance.
 *
 * @throws ToolwrightError `REGISTRY_DUPLICATE` when its argument classes were decorated by another copy of class-transformer.
 */
export function toolkitTools(instance: object, { manifest, classes }: ToolkitRecord): readonly RunnableTool[] {
  assertOneTransformer(Object.values(classes), manifest.package ?? "the app");
  const owner = `${manifest.package ?? "app"}#${manifest.className}`;
  return manifest.tools.map((tool) => methodTool(instance as Methods, owner, tool, classes));
}

function methodTool(instance: Methods, owner: string, tool: ToolManifest, classes: ToolkitRecord["classes"]): RunnableTool {
  const { name, description, parameters, decode, approval, query, compensate } = tool;
  const checker = argumentChecker(parameters, decode, classes, `the tool "${name}"`);
  const call = async (reference: MethodReference, checked: JsonObject, context: ToolContext, outcome?: ToolOutcome): Promise<unknown> => {
    const decoded = await checker.decode(checked);
    if (!decoded.ok) throw new TypeError(`The arguments do not fit any more: ${decoded.issues.map((issue) => issue.path).join(", ")}`);
    return instance[reference.method]?.(...fillSlots(reference.call, decoded.value, context, outcome));
  };
  const prepared = (decoded: DecodeResult): PreparedCall =>
    decoded.ok ? { ok: true, invoke: (context) => instance[tool.method]?.(...fillSlots(tool.call, decoded.value, context)) } : decoded;
  return {
    info: toolInfo({ name, identity: `${owner}.${tool.method}`, description, parameters, needsApproval: approval !== undefined }, tool),
    check: (value) => checker.check(value),
    // At once where nothing has to be waited for: then the method starts in the same turn as its call.
    prepare(checked) {
      const decoded = checker.decode(checked);
      return decoded instanceof Promise ? decoded.then(prepared) : prepared(decoded);
    },
    ...(approval !== undefined && {
      approve: async (checked: JsonObject, context: ToolContext) => approval === true || asBoolean(await call(approval, checked, context)),
    }),
    // A query and an approval answer as the contract of their method says; the kernel looks at them field by field.
    ...(query !== undefined && {
      query: (checked: JsonObject, context: ToolContext) => call(query, checked, context) as Promise<QueryAnswer>,
    }),
    ...(compensate !== undefined && {
      compensate: async (checked: JsonObject, outcome: ToolOutcome, context: ToolContext) =>
        void (await call(compensate, checked, context, outcome)),
    }),
  };
}
