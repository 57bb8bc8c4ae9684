/** What must come of the calls that the apps' models make, in their order. */
export const results = {
  legacy: [
    "sum ok: 3.5",
    "sum ok: 4",
    'sum invalid: numbers.1 must be number, is string; rounding must be one of "none", "up", "down" or null, is another string',
    "to_base ok: (none)101",
    "to_base ok: =5",
    "to_base invalid: base must be one of 2, 10 or null, is another integer; prefix must be string or null, is integer",
    placed({ way: "pickup 7 2024-05-01T08:00:00.000Z", keys: ["gift", "lines", "wanted", "way"], gift: false, number: 1 }),
    placed({ way: "High Street 1", keys: ["gift", "lines", "mail", "wanted", "way"], gift: true, number: 2 }),
    [
      String.raw`shop_place_order invalid: lines.0.sku must be a string that matches ^[A-Z]{2}-\d+$, is a string that does not`,
      "lines.0.quantity must be at most 99, is a greater number",
      String.raw`lines.0.note must be a string that matches ^[\s\S]{1,40}$, is a string that does not`,
      "wanted must be an existing date and time with offset, e.g. 2024-05-01T10:00:00Z, is a string that is none",
    ].join("; "),
    [
      "shop_place_order invalid: lines must be at least 1 item, is 0",
      'way.street must be only the keys "kind", "shop" and "at", is an unknown key',
      "way.shop must be number, is nothing",
      "mail must be an e-mail address, is a string that is none",
    ].join("; "),
    "shop_place_order invalid: lines.1.sku must be sku should not be equal to …, is string",
    "shop_preview ok: Preview for ann: 2 x AB-1 (x)",
    "shop_preview invalid: line.quantity must be at least 1, is a smaller number",
    "shop_cancel failed: There is no order 50.",
    "put ok: points holds 1",
    'put invalid: value.z must be only the keys "x", "y" and "label", is an unknown key',
    "get ok: null",
    'find_users ok: {"fields":["name"],"sorted":"reverse","since":1714521600000,"comparison":"not in 1..2"}',
    'find_users ok: {"fields":"all","sorted":true,"since":null,"comparison":"less than 1"}',
    'find_users invalid: comparison.range must be at most 2 items, is 3; fields.0 must be one of "id", "name" or "email", is another string; sorted must be "reverse", is another string',
    'patch ok: {"key":"user-1","keys":["email"]}',
    String.raw`patch invalid: key must be a string that matches ^user-[\s\S]*$, is a string that does not`,
    "patch invalid: key must be each key once, is the key twice at line 1, column 17",
    "nowhere invalid: There is no tool nowhere. There are: sum, to_base, shop_place_order, shop_preview, shop_cancel, get, put, find_users, patch.",
  ],
  standard: [
    `notes_add ok: ${JSON.stringify({ tags: ["true x 1"], due: "2024-05-01T10:00:00.000Z", count: 1, keys: ["text", "tags", "due"], call: "call_0" })}`,
    `notes_add ok: ${JSON.stringify({ tags: [], due: null, count: 2, keys: ["text"], call: "call_1" })}`,
    [
      "notes_add invalid: note.text must be string, is integer",
      "note.due must be an existing date and time with offset, e.g. 2024-05-01T10:00:00Z, is a string that is none",
      "position must be number or null, is string",
    ].join("; "),
    "notes_order ok: old first",
    'notes_order invalid: first must be one of "old", "new" or null, is another string',
    "share ok: shared with ann",
  ],
} as const;

function placed(rest: { way: string; keys: readonly string[]; gift: boolean; number: number }): string {
  const { way, ...more } = rest;
  const order = { for: "ann", labels: ["1 x AB-1", "3 x CD-22 (red)"], way, wanted: "2024-05-02T00:00:00.000Z", ...more };
  return `shop_place_order ok: ${JSON.stringify(order)}`;
}
