import type { ObjectSchema } from "@toolwright/core";
import { checkStrictSchema } from "@toolwright/testing";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { expect } from "vitest";

/** Two judges that know nothing of this compiler: the API's rules as the stand-in server has them, and ajv. */
export function expectStrict(schema: ObjectSchema): void {
  expect(checkStrictSchema(schema)).toEqual([]);
  const ajv = new Ajv({ strict: true, allowUnionTypes: true });
  addFormats.default(ajv);
  expect(() => ajv.compile(schema)).not.toThrow();
}
