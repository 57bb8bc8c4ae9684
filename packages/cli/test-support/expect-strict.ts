import type { ObjectSchema } from "@toolwright/core";
import { checkStrictSchema } from "@toolwright/testing";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { toStrictJsonSchema } from "openai/lib/transform";
import { expect } from "vitest";

/** Three judges that know nothing of this compiler: the API's rules as the stand-in server has them, OpenAI's own client, and ajv. */
export function expectStrict(schema: ObjectSchema): void {
  expect(checkStrictSchema(schema)).toEqual([]);
  // It makes a schema strict; here there must be nothing left to do. Its type is that of schemas of all kinds.
  expect(toStrictJsonSchema(structuredClone(schema) as never)).toEqual(schema);
  const ajv = new Ajv({ strict: true, allowUnionTypes: true });
  addFormats.default(ajv);
  expect(() => ajv.compile(schema)).not.toThrow();
}
