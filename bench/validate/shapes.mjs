export const string = { type: "string" };
export const object = (properties) => ({ type: "object", properties, required: Object.keys(properties), additionalProperties: false });
export const line = object({ sku: string, qty: { type: "integer", minimum: 1 }, note: { type: ["string", "null"] } });
export const address = object({ street: string, city: string, zip: string, country: string });

/** Schemas of 500 tools with seven parameters each, as JSON.parse gives them, and for each the arguments of one call. */
export function fiveHundredTools() {
  const nullable = (type) => ({ type: [type, "null"] });
  const schemas = Array.from({ length: 500 }, (_, index) =>
    object({
      orderId: { type: "string", pattern: "^[A-Z]-[0-9]{1,8}$" },
      [`field${index}`]: { type: "string", enum: ["one", "two", `three${index}`] },
      amount: { type: "number", minimum: 0, maximum: 1_000_000 },
      due: { type: "string", format: "date-time" },
      tags: { type: "array", items: string, maxItems: 20 },
      address: object({ ...address.properties, floor: nullable("integer"), note: nullable("string") }),
      lines: {
        type: "array",
        items: object({ ...line.properties, price: { type: "number" }, size: object({ width: { type: "number" }, unit: string }) }),
      },
    }),
  );
  const calls = schemas.map((_, index) => ({
    orderId: "A-1",
    [`field${index}`]: "one",
    amount: 1,
    due: "2026-01-01T00:00:00Z",
    tags: ["a"],
    address: { street: "Main street 1", city: "Kazan", zip: "420000", country: "RU", floor: null, note: null },
    lines: [{ sku: "a", qty: 1, note: null, price: 2, size: { width: 1, unit: "m" } }],
  }));
  return JSON.parse(JSON.stringify({ schemas, calls }));
}
