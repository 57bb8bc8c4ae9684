import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The script behind the command `toolwright`. */
export const command = fileURLToPath(new URL("../bin/toolwright.js", import.meta.url));

/** What a process ended with. */
export interface Exit {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

export function run(script: string, directory: string, ...parameters: readonly string[]): Promise<Exit> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...parameters], { cwd: directory, encoding: "utf8" }, (failure, out, error) => {
      resolve({ code: failure === null ? 0 : Number(failure.code), out, error });
    });
  });
}

/** An app's file with one tool that takes a class, and with code that must not be run. */
export const ordersFile = `import { Param, Tool, type ToolContext } from "@toolwright/core";
import { IsInt, Min } from "class-validator";

// An application's code is read, never run.
throw new Error("The build must not run this.");

export class Line {
  /** Article number, e.g. A-17. */
  sku!: string;
  /** How many. */
  @IsInt() @Min(1) count = 1;
}

export class OrderTools {
  /** Adds lines to an order, and tells the new total. */
  @Tool({ effect: "write", resource: "order:{orderId}" })
  addLines(
    @Param("Id of the order, e.g. 2024-17.") orderId: string,
    @Param("The lines to add.") lines: Line[],
    context: ToolContext<{ user: string }>,
  ): number {
    return lines.length + orderId.length + context.app.user.length;
  }
}
`;
