import type { Middleware, MiddlewareContext } from "../contracts/middleware.js";
import type { Model } from "../contracts/model.js";
import type { Layer } from "../pipeline/compose.js";
import type { Kernel } from "./kernel.js";

export type Hook = "wrapRun" | "wrapModelCall" | "wrapToolCall";

type Wrap<Call, Result> = (call: Call, next: (call: Call) => Promise<Result>, context: MiddlewareContext) => Promise<Result>;

/** The layers of one hook, outermost first, each bound to what it gets in this run. */
export function layersOf<Call extends object, Result>(
  kernel: Kernel,
  hook: Hook,
  contexts: ReadonlyMap<Middleware, MiddlewareContext>,
): readonly Layer<Call, Result>[] {
  return kernel.middleware.flatMap((middleware) => {
    const wrap = middleware[hook] as Wrap<Call, Result> | undefined;
    if (wrap === undefined) return [];
    const context = contexts.get(middleware) as MiddlewareContext;
    const passing = hook === "wrapToolCall" ? keepingApproval : hook === "wrapModelCall" ? namingModel : undefined;
    return [
      {
        name: middleware.name,
        repeats: middleware.repeats === true,
        wrap: (call: Call, next: (call: Call) => Promise<Result>) =>
          wrap.call(middleware, call, passing === undefined ? next : (inner) => next(passing(kernel, call, inner)), context),
      },
    ];
  });
}

// A layer that builds a new call instead of copying it must not let it go unapproved.
function keepingApproval<Call extends object>(_: Kernel, outer: Call & { readonly approval?: true }, inner: Call): Call {
  return outer.approval === true && isCall(inner) ? { ...inner, approval: true } : inner;
}

// The layers further in see a Model, whichever way it was named.
function namingModel<Call extends object>(kernel: Kernel, _: Call, inner: Call & { readonly model?: Model | string }): Call {
  return isCall(inner) && typeof inner.model === "string" ? { ...inner, model: kernel.modelByName(inner.model) } : inner;
}

const isCall = (call: unknown): boolean => typeof call === "object" && call !== null;
