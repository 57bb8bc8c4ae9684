import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { command } from "./run-command.js";

/** A chat as a process of its own. */
export interface RunningChat {
  readonly child: ChildProcess;
  /** What it has written, without colours: answers, and all about them. At a terminal all is one. */
  readonly out: () => string;
  readonly error: () => string;
  /** Writes, as a person or a pipe does. */
  say(text: string): void;
  /** Waits for words, and takes them off: the next ones are looked for behind them. */
  saw(words: string): Promise<void>;
  /** No more is said. */
  close(): void;
  /** Its exit code, when it has ended. */
  readonly ended: Promise<number | null>;
}

export interface ChatOptions {
  readonly directory: string;
  readonly parameters?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

// A terminal of a usual size. What is written to the driver's input is typed there, and what is shown there is its output.
const driver = `
import fcntl, os, pty, select, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
sources = [fd, 0]
while True:
    ready, _, _ = select.select(sources, [], [])
    if 0 in ready:
        data = os.read(0, 65536)
        if data: os.write(fd, data)
        else: sources.remove(0)
    if fd in ready:
        try: data = os.read(fd, 65536)
        except OSError: data = b""
        if not data: break
        os.write(1, data)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

/** Whether this machine can pretend to be a terminal. */
export const hasTerminal = spawnSync("python3", ["-c", "import pty, os; os.waitstatus_to_exitcode"]).status === 0;

/** Starts `toolwright chat` with pipes for its streams. */
export const startChat = (options: ChatOptions): RunningChat => start([process.execPath, command, "chat"], options);

/** Starts it at a pseudo-terminal. */
export const startAtTerminal = (options: ChatOptions): RunningChat =>
  start(["python3", "-c", driver, process.execPath, command, "chat"], options);

function start([program = "", ...first]: readonly string[], { directory, parameters = [], env = {} }: ChatOptions): RunningChat {
  // Colours would part the words that tests look for, and packages are those of the project alone.
  const { FORCE_COLOR: _, NODE_PATH: __, ...inherited } = process.env;
  const child = spawn(program, [...first, ...parameters], {
    cwd: directory,
    env: { ...inherited, NO_COLOR: "1", TERM: "xterm", ...env },
  });
  let [out, error, from] = ["", "", 0];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (error += text));
  child.stdin.on("error", () => {});
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const shown = (): string => stripVTControlCharacters(out).replaceAll("\r", "") + error;
  return {
    child,
    out: () => stripVTControlCharacters(out).replaceAll("\r", ""),
    error: () => error,
    say: (text) => void child.stdin.write(text),
    async saw(words) {
      let over = false;
      void ended.then(() => (over = true));
      const deadline = performance.now() + 10_000;
      for (;;) {
        const at = shown().indexOf(words, from);
        if (at !== -1) return void (from = at + words.length);
        if (over || performance.now() > deadline) throw new Error(`${JSON.stringify(words)} did not come. There is: ${shown()}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    close: () => child.stdin.end(),
    ended,
  };
}

/** Runs a chat over pipes from its first message to its end. */
export async function chatThrough(
  options: ChatOptions & { readonly lines: readonly string[] },
): Promise<{ readonly code: number | null; readonly out: string; readonly error: string }> {
  const chat = startChat(options);
  chat.say(options.lines.map((line) => `${line}\n`).join(""));
  chat.close();
  const code = await chat.ended;
  return { code, out: chat.out(), error: chat.error() };
}
