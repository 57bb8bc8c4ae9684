// One onion of pass-through layers in a fresh process. Prints nanoseconds of CPU a call.
// Usage: node layers.mjs <ours | koa-compose | plain> <layers> <returns | async> <path of our compose, bundled>
import koaCompose from "koa-compose";

const [variant, count, form, path] = process.argv.slice(2);
const layers = Number(count);
const calls = 100_000;
const outcome = Object.freeze({ kind: "ok", output: "done" });

const make = {
  /** As a run composes the layers of its hook: each bound to its middleware and its context. */
  async ours() {
    const { compose } = await import(path);
    const context = Object.freeze({ state: {}, run: {}, signal: new AbortController().signal });
    const middlewares = Array.from({ length: layers }, (_, index) => ({
      name: `pass${index}`,
      wrapToolCall: form === "async" ? async (call, next) => next(call) : (call, next) => next(call),
    }));
    const list = middlewares.map((middleware) => {
      const wrap = middleware.wrapToolCall;
      return { name: middleware.name, repeats: false, wrap: (call, next) => wrap.call(middleware, call, next, context) };
    });
    return compose("wrapToolCall", list, async () => outcome, context.signal);
  },
  async "koa-compose"() {
    const list = Array.from({ length: layers }, () => (form === "async" ? async (_, next) => next() : (_, next) => next()));
    return koaCompose([...list, async () => outcome]);
  },
  async plain() {
    let inner = async () => outcome;
    for (let index = 0; index < layers; index += 1) {
      const next = inner;
      inner = form === "async" ? async (call) => next(call) : (call) => next(call);
    }
    return inner;
  },
};

const call = Object.freeze({ callId: "call_1", name: "work", arguments: Object.freeze({ id: "1" }), step: 0 });
const run = await make[variant]();
const times = async (number) => {
  for (let index = 0; index < number; index += 1) if ((await run(call)) !== outcome) throw new Error("another outcome");
};
await times(20_000);
globalThis.gc();
const before = process.cpuUsage();
await times(calls);
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ nanoseconds: ((user + system) * 1000) / calls }));
