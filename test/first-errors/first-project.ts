import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { scratchProject } from "../support/build-source.js";
import type { Files, Finished, ScratchApp } from "../support/scratch-app.js";

const inRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** How each error begins that docs/first-errors.md quotes. */
export const firstErrors = {
  notBuilt: "src/main.ts(2,28)",
  sourceDoesNotCompile: "Property '\"~toolwright\"'",
  sourceNotRegistered: "tools[0] is an instance of",
  noExperimentalDecorators: "@Param needs",
  noDescription: "The tool has no description",
  noStrictSchema: "Record<string, number>",
  twoToolsBuilt: "Calculator.add is named",
  nothingFound: "No method with @Tool",
  stale: "The generated module does not fit",
  noKey: "There is no API key",
  wrongKey: "The API answered 401",
  twoToolsGiven: "Two tools are named add",
  packageNotFound: "@acme/tools-none",
  oldNode: "toolwright needs Node",
};

/** The errors that the page quotes, in its order. */
export const documentedErrors: readonly string[] = [
  ...readFileSync(inRoot("docs/first-errors.md"), "utf8").matchAll(/^```text\n(.*)\n```$/gm),
].map(([, text = ""]) => text);

/** An error as the page quotes it, for a test that produces it. */
export function documented(error: keyof typeof firstErrors): string {
  const found = documentedErrors.find((text) => text.startsWith(firstErrors[error]));
  if (found === undefined) throw new Error(`docs/first-errors.md does not quote "${firstErrors[error]}…".`);
  return found;
}

/** A newcomer's project: one class, one file that runs an agent, the packages installed. Nothing is built yet. */
export interface FirstProject extends ScratchApp {
  /** `npx toolwright …` */
  toolwright(...parameters: readonly string[]): Promise<Finished>;
  /** `npx tsc` */
  typecheck(): Promise<Finished>;
  /** `npx tsx src/main.ts`, without a key unless the environment has one. */
  start(env?: NodeJS.ProcessEnv): Promise<Finished>;
}

const calculator = `import { Param, Tool } from "@toolwright/core";

export class Calculator {
  /** Adds two numbers. Use it for every sum. */
  @Tool({ effect: "read" })
  add(@Param("First summand, e.g. 2.5") left: number, @Param("Second summand, e.g. 4") right: number): number {
    return left + right;
  }
}
`;

const main = `import { Agent } from "@toolwright/core";
import { Calculator } from "./toolwright.generated.js";

const agent = new Agent({ model: "gpt-5.4-mini", tools: [new Calculator()] });
const result = await agent.run("What is 2.5 plus 4?");
console.log(result.stopReason);
`;

/** Makes the project; `files` replace its own or are added, `options` are those of its tsconfig. */
export function firstProject(files: Files = {}, options: object = {}): FirstProject {
  const project = scratchProject({ "src/calculator.ts": calculator, "src/main.ts": main, ...files }, options);
  project.install(["@toolwright/cli", "openai"]);
  const program = (path: string, ...parameters: readonly string[]): Promise<Finished> => project.node([inRoot(path), ...parameters]);
  return {
    ...project,
    toolwright: (...parameters) => program("packages/cli/bin/toolwright.js", ...parameters),
    typecheck: () => program("node_modules/typescript/bin/tsc", "--noEmit", "--pretty", "false"),
    start: (env = {}) => {
      const { OPENAI_API_KEY: _, OPENAI_BASE_URL: __, ...inherited } = process.env;
      return project.node([inRoot("node_modules/tsx/dist/cli.mjs"), "src/main.ts"], { ...inherited, NO_COLOR: "1", ...env });
    },
  };
}

/** A file of the project with some text in place of another. */
export const changedCalculator = (from: string, to: string): Files => ({ "src/calculator.ts": calculator.replace(from, to) });
export const changedMain = (from: string, to: string): Files => ({ "src/main.ts": main.replace(from, to) });
