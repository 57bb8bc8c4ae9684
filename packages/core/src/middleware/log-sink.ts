import type { JsonObject } from "../contracts/json.js";
import type { ToolLog } from "../contracts/tool.js";
import { cut, jsonLine, longestLine, oneLine } from "./log-text.js";

/** How grave a line is. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** Where lines go: `process.stderr`, a file stream, or anything with `write`. */
export interface LogStream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
}

/** One thing to log, for programs (`event`, `fields`) and for people (`line`). */
export interface LogEntry {
  readonly level: LogLevel;
  readonly event: string;
  /** Short, without content. */
  readonly message: string;
  readonly fields: JsonObject;
  /** The parts of the line that a person reads. */
  readonly line: readonly (string | undefined)[];
}

/** Where and how to write. */
export interface LogTarget {
  readonly logger: ToolLog | undefined;
  readonly stream: LogStream | undefined;
  readonly level: LogLevel;
  readonly format: "pretty" | "json" | undefined;
}

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** Makes the function that writes entries. It never throws: a log that is broken must not harm a run. */
export function logSink(target: LogTarget): (entry: () => LogEntry) => void {
  return (make) => {
    try {
      const entry = make();
      if (levels.indexOf(entry.level) < levels.indexOf(target.level)) return;
      const answer = target.logger === undefined ? print(entry, target) : hand(entry, target.logger);
      if (answer instanceof Promise) answer.catch(() => {});
    } catch {
      // Nowhere is left to say it.
    }
  };
}

function hand(entry: LogEntry, logger: ToolLog): unknown {
  const fields = { event: entry.event, ...entry.fields };
  const bounded: object = JSON.stringify(fields).length > longestLine ? JSON.parse(jsonLine(fields)) : fields;
  // A logger may be asynchronous although its type does not say so.
  return logger[entry.level](bounded, entry.message) as unknown;
}

function print(entry: LogEntry, { stream = process.stderr, format }: LogTarget): unknown {
  const pretty = format === undefined ? stream.isTTY === true : format === "pretty";
  const { level, event, message, fields } = entry;
  const line = pretty ? prettyLine(entry) : jsonLine({ time: new Date().toISOString(), level, event, ...fields, message });
  return stream.write(`${line}\n`);
}

function prettyLine(entry: LogEntry): string {
  const parts = entry.line.filter((part) => part !== undefined && part !== "").map((part) => oneLine(part as string));
  return cut(parts.join("  "), longestLine);
}
