import type { Middleware } from "../contracts/middleware.js";

const hooks = ["wrapRun", "wrapModelCall", "wrapToolCall", "onEvent"] as const;

/** The pipeline as text: per hook, outermost first. */
export function explainPipeline(ordered: readonly Middleware[]): string {
  const lines = hooks.map((hook) => {
    const names = ordered.filter((middleware) => middleware[hook] !== undefined).map(label);
    const core =
      hook === "wrapRun" ? "the loop" : hook === "wrapModelCall" ? "the model" : hook === "wrapToolCall" ? "the tool" : undefined;
    const separator = core === undefined ? ", " : " → ";
    const chain = core === undefined ? names : [...names, core];
    return `${hook.padEnd(13)}  ${chain.length === 0 ? "nothing" : chain.join(separator)}`;
  });
  return lines.join("\n");
}

function label(middleware: Middleware): string {
  const options =
    middleware.options === undefined || Object.keys(middleware.options).length === 0 ? "" : `(${JSON.stringify(middleware.options)})`;
  return `${middleware.name}${options}`;
}
