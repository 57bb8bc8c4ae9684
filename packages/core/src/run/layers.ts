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
    return [
      {
        name: middleware.name,
        repeats: middleware.repeats === true,
        wrap: (call: Call, next: (call: Call) => Promise<Result>) => wrap.call(middleware, call, next, context),
      },
    ];
  });
}

/** What goes further in for a call that a layer has changed. */
export function passOnOf<Call extends object>(
  run: { readonly active: Kernel },
  hook: Hook,
): ((outer: Call, inner: Call) => Call) | undefined {
  if (hook === "wrapToolCall") return keepingApproval;
  return hook === "wrapModelCall" ? (_, inner) => namingModel(run.active, inner) : undefined;
}

// A layer that builds a new call instead of copying it must not let it go unapproved.
function keepingApproval<Call extends object>(outer: Call & { readonly approval?: true }, inner: Call): Call {
  return outer.approval === true && isCall(inner) ? { ...inner, approval: true } : inner;
}

// The layers further in see a Model, whichever way it was named.
function namingModel<Call extends object>(kernel: Kernel, inner: Call & { readonly model?: Model | string }): Call {
  return isCall(inner) && typeof inner.model === "string" ? { ...inner, model: kernel.modelByName(inner.model) } : inner;
}

const isCall = (call: unknown): boolean => typeof call === "object" && call !== null;
