// Tools, and arguments texts that are meant to break, stall or flood whoever reads them. Each text is made when it is used:
// together they would not fit into memory.
import { defineTool, Tool } from "@toolwright/core";
import { registerToolkit } from "@toolwright/core/generated";
import { NotEquals, ValidateNested } from "class-validator";

const object = (properties, more = {}) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});
const text = { type: "string" };
const tool = (name, parameters) =>
  defineTool({ name, description: "Takes what it is given.", effect: "read", parameters, execute: () => "ran" });

/** Expressions that a backtracking engine needs ages for, with the text that shows it. */
const patterns = {
  nested: ["^(a+)+$", "a"],
  ambiguous: ["^(a|aa)+$", "a"],
  unanchored: ["(x+x+)+y", "x"],
  counted: ["^(.*a){12}$", "a"],
  choices: ["^(a|b|ab)*c$", "ab"],
  polynomial: ["^a*a*a*a*c$", "a"],
  empty: ["(a*)*b", "a"],
  mail: [String.raw`^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$`, "a"],
  large: ["^([a-z]{1,70}){1,70}$", "a"],
};
const formats = ["date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/** Two branches with the same inside: each level could be read in two ways. */
const twins = {
  anyOf: [
    object({ b: { type: ["number", "null"] }, inner: { $ref: "#/$defs/Twins" } }),
    object({ c: { type: ["number", "null"] }, inner: { $ref: "#/$defs/Twins" } }),
    { type: "null" },
  ],
};
const nested = { anyOf: [text, { type: "array", items: { $ref: "#/$defs/Nested" } }, object({ value: { $ref: "#/$defs/Nested" } })] };

/** Classes with a rule that no schema can say, so that class-validator alone finds what is wrong. */
class Line {
  sku;
}
NotEquals("x")(Line.prototype, "sku");
class Order {
  lines;
}
ValidateNested({ each: true })(Order.prototype, "lines");
class Orders {
  order() {
    return "ran";
  }
  lines() {
    return "ran";
  }
}
const reads = Tool({ effect: "read" });
const lines = { type: "array", items: object({ sku: text }) };
const orderTool = (method, decode, call) => {
  reads(Orders.prototype, method, {});
  return { name: method, method, description: "Takes what it is given.", effect: "read", parameters: object({ lines }), decode, call };
};
const inside = { properties: { lines: { items: { dto: "Line" } } } };
registerToolkit(
  Orders,
  {
    format: 1,
    className: "Orders",
    tools: [orderTool("order", { dto: "Order", ...inside }, [{ arguments: true }]), orderTool("lines", inside, [{ argument: "lines" }])],
  },
  { methods: ["order", "lines"], classes: { Line, Order } },
);

export const tools = [
  new Orders(),
  tool("plain", object({ text, count: { type: "integer" }, list: { type: "array", items: object({ a: text, n: { type: "number" } }) } })),
  tool("nested", object({ nested: { $ref: "#/$defs/Nested" } }, { $defs: { Nested: nested } })),
  tool("twins", object({ twins: { $ref: "#/$defs/Twins" } }, { $defs: { Twins: twins } })),
  ...Object.entries(patterns).map(([name, [pattern]]) => {
    const matching = { type: "string", pattern };
    return tool(`pattern_${name}`, object({ one: matching, many: { type: "array", items: matching } }));
  }),
  ...formats.map((format) => tool(formatTool(format), object({ value: { type: "string", format } }))),
];

function formatTool(format) {
  return `format_${format.replace("-", "_")}`;
}

const most = 10_000_000;
const times = (part, length = most - 100) => part.repeat(Math.floor(length / part.length));
const list = (items) => `{"text":"x","count":1,"list":[${items}]}`;
const numbered = (count, write) => Array.from({ length: count }, (_, index) => write(index)).join(",");
/** Every key of the same hash by the most common function, 31 times what was before plus the next. */
const colliding = (index) => `"${Array.from({ length: 10 }, (_, bit) => ((index >> bit) & 1 ? "Aa" : "BB")).join("")}${index}":1`;

const texts = {
  "ten million brackets": ["plain", () => times("[")],
  "unknown keys by the hundred thousand": ["plain", () => `{${numbered(100_000, (index) => `"k${index}":1`)}}`],
  "a million lines before what is wrong": ["plain", () => `{${times("\n", 1_000_000)}${numbered(30, () => '"a":1')}}`],
  "a list of wrong numbers": ["plain", () => list(`${times("1,", 1_000_000)}1`)],
  "one key a hundred thousand times": ["plain", () => `{${times('"a":1,', 1_000_000)}"a":1}`],
  "halves of surrogates": ["plain", () => `{"text":"${times(String.raw`\ud800`, 1_000_000)}","count":1,"list":[]}`],
  "a number of a million digits": ["plain", () => `{"text":"x","list":[],"count":${times("9", 1_000_000)}}`],
  "more than ten million characters": ["plain", () => times("x", most + 1)],
  "a key of a million characters": ["plain", () => `{"${times("k", 1_000_000)}":1}`],
  "a text of ten million characters beside what is wrong": ["plain", () => `{"text":"${times("x")}","count":"1","list":[]}`],
  "a prototype": ["plain", () => '{"__proto__":{"text":"x","count":1,"list":[]}}'],
  "a prototype beside the rest": ["plain", () => '{"__proto__":{"polluted":1},"text":"x","count":1,"list":[]}'],
  "an integer that would be rounded": ["plain", () => '{"text":"x","count":9007199254740993,"list":[]}'],
  "half a character": ["plain", () => '{"text":"\ud800","count":1,"list":[]}'],
  "a key given twice, once with an escape": ["plain", () => String.raw`{"text":"x","\u0074ext":"y","count":1,"list":[]}`],
  "a hundred and one levels": ["nested", () => `{"nested":${"[".repeat(100)}${"]".repeat(100)}}`],
  "levels that could be read in two ways": ["twins", () => `{"twins":${'{"inner":'.repeat(90)}5${"}".repeat(90)}}`],
  "many matching texts for a large pattern": [
    "pattern_large",
    () => JSON.stringify({ one: "a", many: Array.from({ length: 300 }, () => "a".repeat(4000)) }),
  ],
  "ten thousand parts that a rule refuses": ["order", () => `{"lines":[${numbered(10_000, () => '{"sku":"x"}')}]}`],
  "ten thousand instances that a rule refuses": ["lines", () => `{"lines":[${numbered(10_000, () => '{"sku":"x"}')}]}`],
};
for (const [name, [, part]] of Object.entries(patterns)) {
  for (const length of name === "large" ? [30] : [30, 3000, 100_000]) {
    texts[`the ${name} pattern on ${length} characters`] = [
      `pattern_${name}`,
      () => JSON.stringify({ one: `${times(part, length)}!`, many: [] }),
    ];
  }
}
for (const format of formats) {
  texts[`${format}: three hundred thousand characters`] = [
    formatTool(format),
    () => JSON.stringify({ value: times(`${format.slice(0, 1)}1:-.@`, 300_000) }),
  ];
}

const onlyInLongForm = {
  "ten million lines before what is wrong": ["plain", () => `{${times("\n", most - 400)}${numbered(30, () => '"a":1')}}`],
  "ten million quotes": ["plain", () => times('"')],
  "a list of five million numbers": ["plain", () => list(`${times("1,")}1`)],
  "a million wrong objects": ["plain", () => list(`${times('{"a":1},')}1`)],
  "one key a million times": ["plain", () => `{${times('"a":1,')}"a":1}`],
  "surrogates without their other half": ["plain", () => `{"text":"${times(String.raw`\ud800`)}","count":1,"list":[]}`],
  "a number of ten million digits": ["plain", () => `{"text":"x","list":[],"count":${times("9")}}`],
  "ten million objects one in the other": ["plain", () => times('{"a":')],
  "ten million closing braces": ["plain", () => times("}")],
  "ten million spaces": ["plain", () => times(" ")],
  "ten million backslashes": ["plain", () => `{"text":"${times("\\")}"}`],
  "an exponent of ten million digits": ["plain", () => `{"text":"x","list":[],"count":1e${times("9")}}`],
  "fractions by the million": ["plain", () => list(`${times("1.5,")}1`)],
  "right objects by the hundred thousand, and one wrong": ["plain", () => list(`${times('{"a":"","n":1},')}1`)],
  "escaped quotes by the million": ["plain", () => `{"text":"${times(String.raw`\"`)}","count":"1","list":[]}`],
  "escaped pairs by the hundred thousand": ["plain", () => `{"text":"${times(String.raw`\ud83d\ude00`)}","count":1,"list":1}`],
  "keys that are indices": ["plain", () => `{${numbered(600_000, (index) => `"${index * 1000}":1`)}}`],
  "keys of one hash": ["plain", () => `{${numbered(300_000, colliding)}}`],
  "a key given twice at the very end": ["plain", () => `{"text":"${times("x")}","count":1,"count":2,"list":[]}`],
  "a hundred thousand parts that a rule refuses": ["order", () => `{"lines":[${numbered(100_000, () => '{"sku":"x"}')}]}`],
  "half a million instances that a rule refuses": ["lines", () => `{"lines":[${numbered(500_000, () => '{"sku":"x"}')}]}`],
  "a wide list ninety levels down": ["nested", () => `{"nested":${"[".repeat(90)}${times('["x"],')}1${"]".repeat(90)}}`],
};
for (const [name, [, part]] of Object.entries(patterns)) {
  for (const length of [20, 300, 4000, 1_000_000]) {
    onlyInLongForm[`the ${name} pattern on many texts of ${length} characters`] = [
      `pattern_${name}`,
      () => JSON.stringify({ one: "!", many: Array(Math.floor(9_000_000 / (length + 10))).fill(`${times(part, length)}!`) }),
    ];
  }
}
for (const format of formats) {
  for (const part of ["1", "a.", ":", "0-", "a@", "P1"]) {
    onlyInLongForm[`${format}: ten million characters of ${part}`] = [formatTool(format), () => JSON.stringify({ value: times(part) })];
  }
}

/** Name, tool and text of each case. */
export const cases = (isLong) =>
  Object.entries(isLong ? { ...texts, ...onlyInLongForm } : texts).map(([name, [toolName, make]]) => ({ name, tool: toolName, make }));
