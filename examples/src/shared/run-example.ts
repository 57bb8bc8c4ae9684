import { ToolwrightError } from "@toolwright/core";

const usualQuestion = "What is the weather in Kazan, and what is that in Fahrenheit?";

/** The question of the command line, or the usual one. */
export function question(otherwise: string = usualQuestion): string {
  return process.argv.slice(2).join(" ").trim() || otherwise;
}

/** Runs an example; an error becomes one clear message and exit code 1. */
export async function runExample(example: () => Promise<void>): Promise<void> {
  try {
    await example();
  } catch (error) {
    const code = ToolwrightError.is(error) ? `${error.code}: ` : "";
    console.error(`${code}${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
