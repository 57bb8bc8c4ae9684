import { linesStream, writtenLines } from "./built-ins.js";
import { abortDropped, awaits, drop, made, never, onAbort, passes, plainNext, type Site, type Specimen } from "./specimen.js";

const deafGuard = [drop("guard-verdict.ts", onAbort)];
const guardTimer = [drop("guard-verdict.ts", "clearTimeout(timer);")];
const guardListener = [drop("guard-verdict.ts", 'signal.removeEventListener("abort", stop);')];
const guardTool: Site = ["tool-guard.ts", "await next(passedOn)", "next(passedOn)"];
const guardModel: Site = ["tool-guard.ts", awaits, plainNext];

/** The built-ins that look at what passes, tell of it and change it. */
export const lookingSpecimens: readonly Specimen[] = [
  {
    of: "afterUntrusted",
    entry: "after-untrusted.ts",
    make: made("afterUntrusted", { tools: ({ name }: { readonly name: string }) => name === "carry_out" }),
    tool: guardTool,
    model: guardModel,
    state: "tool-guard.ts",
  },
  {
    of: "approval",
    entry: "approval.ts",
    make: made("approval", {}),
    tool: ["approval.ts", `!looksAt(call)) return ${plainNext}`, plainNext],
  },
  { of: "coerceArguments", entry: "coerce-arguments.ts", make: made("coerceArguments"), model: ["coerce-arguments.ts", awaits, plainNext] },
  {
    of: "inputGuard",
    entry: "input-guard.ts",
    make: made("inputGuard", { check: passes, onBlock: "refuse" }),
    model: ["input-guard.ts", `if (refusal === null) return ${plainNext}`, plainNext],
    state: "input-guard.ts",
    own: [abortDropped("waits for a guard that does not answer", deafGuard, made("inputGuard", { check: never }))],
  },
  {
    of: "logging",
    entry: "logging.ts",
    make: made("logging", { stream: linesStream, format: "json", content: true }),
    tool: ["logging.ts", `return ${plainNext};`, plainNext],
    model: ["logging.ts", `const response = ${awaits}`, plainNext],
    options: { written: writtenLines },
    own: [
      {
        name: "state shared: calls of all runs in one",
        caughtBy: "isolation",
        changes: [
          { file: "log-calls.ts", find: "let run = this.#runs.get(runId);", put: 'runId = "all"; let run = this.#runs.get(runId);' },
          {
            file: "log-calls.ts",
            find: "this.#runs.get(runId)?.get(callId)",
            put: 'this.#runs.get("all")?.get(callId)',
          },
        ],
      },
    ],
  },
  {
    of: "loopGuard",
    entry: "loop-guard.ts",
    make: made("loopGuard", {}),
    tool: ["loop-guard.ts", awaits, plainNext],
    model: ["loop-guard.ts", `if (state.end === null) return ${plainNext}`, plainNext],
    state: "loop-guard.ts",
  },
  {
    of: "outputGuard",
    entry: "output-guard.ts",
    make: made("outputGuard", { check: passes }),
    model: ["output-guard.ts", awaits, plainNext],
    own: [
      abortDropped("leaves a listener behind", guardListener),
      {
        name: "event order broken: every answer is told to be void",
        caughtBy: "events",
        changes: [
          {
            file: "output-guard.ts",
            find: 'if (judgement.kind === "pass") return response;',
            put: 'if (judgement.kind === "pass") { run.restartStep(); return response; }',
          },
        ],
      },
    ],
  },
  {
    of: "redact",
    entry: "redact.ts",
    make: made("redact", {}),
    model: [
      "redact.ts",
      "next(request === call.request ? call : { ...call, request })",
      "next(request === call.request ? call : { ...call, request })",
    ],
    state: "redact.ts",
  },
  { of: "toolErrors", entry: "tool-errors.ts", make: made("toolErrors", {}), tool: ["tool-errors.ts", awaits, plainNext] },
  {
    of: "toolGuard",
    entry: "tool-guard.ts",
    make: made("toolGuard", { check: passes, checkOutcome: passes }),
    tool: guardTool,
    model: guardModel,
    state: "tool-guard.ts",
    own: [
      abortDropped("its timer goes on", guardTimer),
      abortDropped("waits for a guard that does not answer", deafGuard, made("toolGuard", { check: never })),
    ],
  },
  {
    of: "toolSelection",
    entry: "tool-selection.ts",
    make: made("toolSelection", {
      select: (_: unknown, { run }: { readonly run: { readonly tools: readonly { readonly name: string }[] } }) =>
        run.tools.map(({ name }) => name),
    }),
    tool: ["tool-selection.ts", `state.offered.includes(call.name)) return ${plainNext}`, plainNext],
    model: [
      "tool-selection.ts",
      "next(tools === request.tools ? call : { ...call, request: { ...request, tools } })",
      "next(tools === request.tools ? call : { ...call, request: { ...request, tools } })",
    ],
    state: "tool-selection.ts",
  },
  {
    of: "tracing",
    entry: "tracing.ts",
    make: made("tracing", {}),
    tool: ["tracing.ts", `const outcome = ${awaits}`, plainNext],
    model: ["tracing.ts", `(answered = await ${plainNext})`, plainNext],
    state: "tracing.ts",
  },
  { of: "trimOutputs", entry: "trim-outputs.ts", make: made("trimOutputs", {}), tool: ["trim-outputs.ts", awaits, plainNext] },
  {
    of: "untrusted",
    entry: "untrusted.ts",
    make: made("untrusted", {}),
    tool: ["untrusted.ts", awaits, plainNext],
    model: [
      "untrusted.ts",
      "next({ ...call, request: { ...call.request, instructions: told } })",
      "next({ ...call, request: { ...call.request, instructions: told } })",
    ],
    state: "untrusted.ts",
    options: { changes: { requests: true, outputs: true } },
  },
];
