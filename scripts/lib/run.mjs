import { spawn } from "node:child_process";
import { constants } from "node:os";
import { childEnvironment, root } from "./workspace.mjs";

const running = new Set();
let forwarding = false;

/** Hands signals on to the children; they decide when to end, and we end with them. */
function forwardSignals() {
  if (forwarding) return;
  forwarding = true;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      if (running.size === 0) process.exit(128 + constants.signals[signal]);
      // A terminal sends Ctrl-C to the whole group: handing it on would make it two, which many programs take for "at once".
      if (signal === "SIGINT" && process.stdin.isTTY) return;
      for (const child of running) child.kill(signal);
    });
  }
}

/**
 * Runs a program in the root of the workspace.
 * @param options.quiet collect the output instead of showing it
 * @returns its exit code (128 + n when a signal ended it) and, when quiet, its output
 */
export function run(command, parameters = [], { quiet = false, env = {}, cwd = root } = {}) {
  forwardSignals();
  return new Promise((resolve) => {
    const child = spawn(command, parameters, {
      cwd,
      env: childEnvironment(env),
      stdio: quiet ? ["ignore", "pipe", "pipe"] : "inherit",
    });
    running.add(child);
    let output = "";
    const collect = (text) => (output += text);
    child.stdout?.setEncoding("utf8").on("data", collect);
    child.stderr?.setEncoding("utf8").on("data", collect);
    const end = (code) => {
      running.delete(child);
      resolve({ code, output });
    };
    child.on("error", (error) => {
      output += `Cannot start ${command}: ${error.message}\n`;
      if (!quiet) process.stderr.write(output);
      end(127);
    });
    child.on("close", (code, signal) => end(code ?? 128 + constants.signals[signal]));
  });
}

/** Prints one line for a piece of work, and all of its output if it fails; then the process ends with its exit code. */
export async function quietly(label, work) {
  const start = performance.now();
  process.stderr.write(`${label} … `);
  const { code, output } = await work();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stderr.write(code === 0 ? `done (${seconds} s)\n` : `failed (exit code ${code})\n\n${output}\n`);
  if (code !== 0) process.exit(code);
}
