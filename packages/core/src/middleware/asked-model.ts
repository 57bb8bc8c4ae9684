import type { NextModelCall } from "../contracts/middleware.js";

/** The name of the model that a call asks. An outer layer may have put a mere name in the place of a Model. */
export function askedModel({ model }: NextModelCall): string {
  return typeof model === "string" ? model : model.name;
}
