// What reading the arguments of a call costs, beside JSON.parse of the same text in the same run, and beside zod and ajv.
// Aims: guarded parse at most 1.7 × JSON.parse; check and decode together at most 1.5 × JSON.parse.
// Usage: node bench/validate.mjs [rounds]
import { mkdtemp, rm } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { build } from "esbuild";
import * as z from "zod";

const rounds = Number(process.argv[2] ?? 15);
const schemaFolder = fileURLToPath(new URL("../packages/core/src/schema/", import.meta.url));
const { parseArguments, argumentChecker } = await loadSource();

const string = { type: "string" };
const object = (properties) => ({ type: "object", properties, required: Object.keys(properties), additionalProperties: false });
const line = object({ sku: string, qty: { type: "integer", minimum: 1 }, note: { type: ["string", "null"] } });
const address = object({ street: string, city: string, zip: string, country: string });
const point = object({ x: { type: "number" }, y: { type: "number" }, label: string });

const cases = [
  {
    name: "one string",
    schema: object({ expression: string }),
    zod: z.strictObject({ expression: z.string() }),
    value: { expression: "12 * 9 / 5 + 32" },
  },
  {
    name: "three scalars",
    schema: object({ query: string, days: { type: "integer", minimum: 1 }, units: { type: "string", enum: ["metric", "imperial"] } }),
    zod: z.strictObject({ query: z.string(), days: z.int().min(1), units: z.enum(["metric", "imperial"]) }),
    value: { query: "weather in Kazan, tomorrow morning", days: 3, units: "metric" },
  },
  {
    name: "order with lines",
    schema: object({ orderId: string, lines: { type: "array", items: line }, express: { type: "boolean" }, address }),
    plan: { properties: { lines: { items: { optional: ["note"] } } } },
    zod: z.strictObject({
      orderId: z.string(),
      lines: z.array(z.strictObject({ sku: z.string(), qty: z.int().min(1), note: z.string().nullable() })),
      express: z.boolean(),
      address: z.strictObject({ street: z.string(), city: z.string(), zip: z.string(), country: z.string() }),
    }),
    value: {
      orderId: "A-1234",
      lines: [
        { sku: "AB-1", qty: 2, note: null },
        { sku: "CD-2", qty: 1, note: "please wrap it as a gift" },
      ],
      express: true,
      address: { street: "Main street 1", city: "Kazan", zip: "420000", country: "RU" },
    },
  },
  {
    name: "5 kB of text",
    schema: object({ path: string, content: string }),
    zod: z.strictObject({ path: z.string(), content: z.string() }),
    value: { path: "src/a.ts", content: "const x = 1;\n".repeat(400) },
  },
  {
    name: "100 points",
    schema: object({ points: { type: "array", items: point } }),
    zod: z.strictObject({ points: z.array(z.strictObject({ x: z.number(), y: z.number(), label: z.string() })) }),
    value: { points: Array.from({ length: 100 }, (_, index) => ({ x: index * 1.5, y: index * 2, label: `p${index}` })) },
  },
];

const heads = ["JSON.parse ns", "parse", "check", "decode", "check+decode", "zod", "ajv"];
console.log(`${"× JSON.parse".padEnd(18)}${heads.map((head) => head.padStart(14)).join("")}`);
let missed = 0;
for (const { name, schema, plan, zod, value } of cases) {
  const text = JSON.stringify(value);
  const { check, decode } = argumentChecker(schema, plan);
  const checked = check(value);
  if (!checked.ok) throw new Error(JSON.stringify(checked.issues));
  const validate = new Ajv2020().compile(schema);
  const times = medians({
    json: () => JSON.parse(text),
    parse: () => parseArguments(text),
    check: () => check(value),
    decode: () => decode(checked.arguments),
    zod: () => zod.safeParse(value),
    ajv: () => validate(value),
  });
  const ratio = (time) => time / times.json;
  const own = ratio(times.check) + ratio(times.decode);
  const columns = [ratio(times.parse), ratio(times.check), ratio(times.decode), own, ratio(times.zod), ratio(times.ajv)];
  console.log(`${name.padEnd(18)}${times.json.toFixed(0).padStart(14)}${columns.map((column) => column.toFixed(2).padStart(14)).join("")}`);
  if (own > 1.5 || ratio(times.parse) > 1.7) missed += 1;
}
console.log(missed === 0 ? "within the aims" : `${missed} of ${cases.length} beyond the aims (parse 1.7, check+decode 1.5)`);
process.exitCode = missed === 0 ? 0 : 1;

/** Median nanoseconds of each function, measured turn by turn so that noise meets all alike. */
function medians(functions) {
  const samples = Object.fromEntries(Object.keys(functions).map((name) => [name, []]));
  const counts = Object.fromEntries(Object.entries(functions).map(([name, run]) => [name, repetitions(run)]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(functions)) samples[name].push(nanoseconds(run, counts[name]));
  }
  return Object.fromEntries(
    Object.entries(samples).map(([name, all]) => [name, all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]]),
  );
}

function repetitions(run) {
  nanoseconds(run, 2000);
  return Math.max(200, Math.round(5e6 / nanoseconds(run, 2000)));
}

function nanoseconds(run, count) {
  const start = process.hrtime.bigint();
  for (let index = 0; index < count; index += 1) run();
  return Number(process.hrtime.bigint() - start) / count;
}

/** The parts are internal, so they are bundled from source; beside the bench, so that optional peers resolve. */
async function loadSource() {
  const folder = await mkdtemp(fileURLToPath(new URL("node_modules/.validate-", import.meta.url)));
  try {
    const outfile = `${folder}/schema.mjs`;
    await build({
      stdin: {
        contents: 'export { parseArguments } from "./parse-arguments.js"; export { argumentChecker } from "./argument-checker.js";',
        resolveDir: schemaFolder,
      },
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      external: ["class-validator", "class-transformer"],
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
