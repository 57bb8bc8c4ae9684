// One cold start in a process of its own, which prints how long it took, in milliseconds of the clock and of the processor
// (garbage collector and compiler included).
// Usage: node cold-start.mjs ajv | node cold-start.mjs <URL of the bundled source>
import { Ajv2020 } from "ajv/dist/2020.js";
import { fiveHundredTools } from "./shapes.mjs";

const [variant] = process.argv.slice(2);
const { schemas, calls } = fiveHundredTools();
const { argumentChecker } = variant === "ajv" ? {} : await import(variant);

const cpu = process.cpuUsage();
const start = performance.now();
const constructed = variant === "ajv" ? compileByAjv() : checkOneCallOfEach();
const clockMs = performance.now() - start;
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ clockMs, cpuMs: (user + system) / 1000, constructionMs: constructed - start }));

function compileByAjv() {
  // Leaner than it could be: the format is not even looked at.
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: false, formats: { "date-time": true } });
  for (const schema of schemas) ajv.compile(schema);
  return performance.now();
}

/** From the schemas to a checked call of each tool. */
function checkOneCallOfEach() {
  const checkers = schemas.map((schema) => argumentChecker(schema, undefined));
  const done = performance.now();
  for (const [index, { check }] of checkers.entries()) {
    if (!check(calls[index]).ok) throw new Error("refused");
  }
  return done;
}
