// Runs a TypeScript module of the tests in plain Node, which finds the file that `./x.js` was written for only when told.
import { registerHooks } from "node:module";

registerHooks({
  resolve(specifier, context, nextResolve) {
    const isOwn = specifier.startsWith("./") && specifier.endsWith(".js") && context.parentURL?.endsWith(".ts") === true;
    return nextResolve(isOwn ? specifier.replace(/\.js$/, ".ts") : specifier, context);
  },
});
const { resumeLeg } = await import("./random-pauses-leg.ts");

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const effects = [];
const { leg, file } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
const end = await resumeLeg({ ...leg, record: (effect) => effects.push(effect) }, file);
process.stdout.write(JSON.stringify({ end, effects }));
