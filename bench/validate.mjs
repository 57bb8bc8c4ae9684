// What reading the arguments of a call costs, beside JSON.parse of the same text in the same run, and beside zod and ajv.
// Aims: guarded parse at most 1.7 × JSON.parse; check and decode together at most 1.5 × JSON.parse; a cold start of 500 tools,
// from their schemas to one checked call of each, at most 1/50 of the processor's time in which ajv compiles them.
// Usage: node bench/validate.mjs [rounds]
import "reflect-metadata";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { plainToInstance, Type } from "class-transformer";
import { IsInt, IsString, Min, validate, ValidateNested } from "class-validator";
import * as z from "zod";
import { bundledSource } from "./validate/load-source.mjs";
import { address, line, object, string } from "./validate/shapes.mjs";

const rounds = Number(process.argv[2] ?? 15);
await using source = await bundledSource();
const { parseArguments, argumentChecker } = await import(source.url);

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
  const accepts = new Ajv2020().compile(schema);
  const times = medians({
    json: () => JSON.parse(text),
    parse: () => parseArguments(text),
    check: () => check(value),
    decode: () => decode(checked.arguments),
    zod: () => zod.safeParse(value),
    ajv: () => accepts(value),
  });
  const ratio = (time) => time / times.json;
  const own = ratio(times.check) + ratio(times.decode);
  const columns = [ratio(times.parse), ratio(times.check), ratio(times.decode), own, ratio(times.zod), ratio(times.ajv)];
  console.log(`${name.padEnd(18)}${times.json.toFixed(0).padStart(14)}${columns.map((column) => column.toFixed(2).padStart(14)).join("")}`);
  if (own > 1.5 || ratio(times.parse) > 1.7) missed += 1;
}
await dtoPath();
if (!coldStart()) missed += 1;
console.log(missed === 0 ? "within the aims" : `${missed} beyond the aims (parse 1.7, check+decode 1.5, cold start 1/50)`);
process.exitCode = missed === 0 ? 0 : 1;

/** The way of arguments with a class: parsed, checked, made an instance, and validated by class-validator, beside that alone. */
async function dtoPath() {
  class Line {
    sku;
    qty;
  }
  class Order {
    orderId;
    lines;
  }
  for (const [decorate, prototype, name] of [
    [IsString(), Line.prototype, "sku"],
    [IsInt(), Line.prototype, "qty"],
    [Min(1), Line.prototype, "qty"],
    [IsString(), Order.prototype, "orderId"],
    [ValidateNested({ each: true }), Order.prototype, "lines"],
    [Type(() => Line), Order.prototype, "lines"],
  ]) {
    decorate(prototype, name);
  }
  const schema = object({
    orderId: string,
    lines: { type: "array", items: object({ sku: string, qty: { type: "integer", minimum: 1 } }) },
  });
  const plan = { dto: "Order", properties: { lines: { items: { dto: "Line" } } } };
  const { check, decode } = argumentChecker(schema, plan, { Order, Line });
  const text = JSON.stringify({
    orderId: "A-1",
    lines: [
      { sku: "AB-1", qty: 2 },
      { sku: "CD-2", qty: 1 },
    ],
  });
  const whole = async () => {
    const { value } = parseArguments(text);
    const checked = check(value);
    return decode(checked.arguments);
  };
  const alone = () => validate(plainToInstance(Order, JSON.parse(text)));
  const micro = async (run) => {
    for (let index = 0; index < 500; index += 1) await run();
    const start = performance.now();
    for (let index = 0; index < 3000; index += 1) await run();
    return (performance.now() - start) / 3;
  };
  console.log(
    `DTO path: ${(await micro(whole)).toFixed(1)} µs; JSON.parse, class-transformer and class-validator alone: ${(await micro(alone)).toFixed(1)} µs`,
  );
}

/** Prints what 500 tools of seven parameters each cost in fresh processes, turn by turn; whether the aim is met. */
function coldStart() {
  const script = fileURLToPath(new URL("validate/cold-start.mjs", import.meta.url));
  const samples = { ours: [], ajv: [] };
  for (let round = 0; round < Math.max(5, Math.ceil(rounds / 2)); round += 1) {
    for (const [name, variant] of Object.entries({ ours: source.url, ajv: "ajv" })) {
      const child = spawnSync(process.execPath, [script, variant], { encoding: "utf8" });
      if (child.status !== 0) throw new Error(child.stderr);
      samples[name].push(JSON.parse(child.stdout));
    }
  }
  const of = (name, figure) => median(samples[name].map((sample) => sample[figure]));
  const share = (ours, ajv) => `${ours.toFixed(1)} ms beside ${ajv.toFixed(0)} ms, 1/${(ajv / ours).toFixed(0)}`;
  console.log("500 tools in a fresh process, beside ajv compiling them:");
  console.log(
    `  from the schemas to one checked call of each, processor: ${share(of("ours", "cpuMs"), of("ajv", "cpuMs"))} (aim: at most 1/50)`,
  );
  console.log(`  the same by the clock: ${share(of("ours", "clockMs"), of("ajv", "clockMs"))}`);
  console.log(`  construction alone, by the clock: ${share(of("ours", "constructionMs"), of("ajv", "clockMs"))}`);
  return of("ours", "cpuMs") * 50 <= of("ajv", "cpuMs");
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** Median nanoseconds of each function, measured turn by turn so that noise meets all alike. */
function medians(functions) {
  const samples = Object.fromEntries(Object.keys(functions).map((name) => [name, []]));
  const counts = Object.fromEntries(Object.entries(functions).map(([name, run]) => [name, repetitions(run)]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(functions)) samples[name].push(nanoseconds(run, counts[name]));
  }
  return Object.fromEntries(Object.entries(samples).map(([name, all]) => [name, median(all)]));
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
