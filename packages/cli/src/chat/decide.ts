import type { Readable, Writable } from "node:stream";
import { isCancel, select, text } from "@clack/prompts";
import type { Decision, Interruption, JsonObject } from "@toolwright/core";
import { jsonLine, oneLine } from "./shown.js";

/** Decides about a call that waits; undefined leaves it waiting, "stop" all that come after it too. */
export type Decide = (waiting: Interruption) => Promise<Decision | undefined | "stop">;

/** What is said of a call that waits. */
export function waitingText({ tool, path = [], arguments: shown, reason }: Interruption): string {
  const inside = path.length === 0 ? "" : ` in ${path.map(oneLine).join(" › ")}`;
  const what = reason === "approval" ? "waits for approval" : "may or may not have happened";
  return `${oneLine(tool)} ${jsonLine(shown)}${inside} ${what}`;
}

interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * A person at a terminal.
 *
 * @param tell - shows a line. The whole call is shown so: a prompt is drawn anew with each key, and may not be longer than
 * the terminal is high.
 */
export function askPerson(terminal: Terminal, tell: (line: string) => void): Decide {
  return (waiting) => {
    tell(waitingText(waiting));
    return waiting.reason === "approval" ? askApproval(waiting, terminal) : askOutcome(waiting, terminal);
  };
}

async function askApproval(waiting: Interruption, terminal: Terminal): Promise<Decision | undefined | "stop"> {
  const { callId } = waiting;
  const choice = await select({
    ...terminal,
    message: `Shall ${oneLine(waiting.tool)} run?`,
    options: [
      { value: "approve", label: "Approve" },
      { value: "edit", label: "Approve with other arguments" },
      { value: "deny", label: "Deny" },
      { value: "leave", label: "Leave it waiting" },
    ],
  });
  if (isCancel(choice)) return "stop";
  switch (choice) {
    case "approve":
      return { callId, approve: true };
    case "edit": {
      const edited = await text({
        ...terminal,
        message: "The arguments, as JSON",
        initialValue: jsonLine(waiting.arguments),
        validate: notObject,
      });
      return isCancel(edited) ? "stop" : { callId, approve: true, arguments: JSON.parse(edited) as JsonObject };
    }
    case "deny": {
      const reason = await text({ ...terminal, message: "Why? The model reads it.", placeholder: "no reason" });
      if (isCancel(reason)) return "stop";
      return { callId, approve: false, ...(reason.trim() !== "" && { reason: reason.trim() }) };
    }
    default:
      return undefined;
  }
}

async function askOutcome(waiting: Interruption, terminal: Terminal): Promise<Decision | undefined | "stop"> {
  const { callId } = waiting;
  const choice = await select({
    ...terminal,
    message: `What became of ${oneLine(waiting.tool)}?`,
    options: [
      { value: "done", label: "It happened" },
      { value: "absent", label: "It did not happen", hint: "the call that waits runs" },
      { value: "leave", label: "Leave it waiting" },
    ],
  });
  if (isCancel(choice)) return "stop";
  if (choice === "leave") return undefined;
  if (choice === "absent") return { callId, resolve: "absent" };
  const output = await text({ ...terminal, message: "What did it give? JSON or a text; the model reads it.", placeholder: "null" });
  return isCancel(output) ? "stop" : { callId, resolve: "done", output: valueOf(output.trim()) };
}

/** Nobody: approvals are given or denied as a flag says, and what happened nobody knows. */
export function decideAlone(approve: boolean, tell: (line: string) => void): Decide {
  return async (waiting) => {
    const { callId, reason } = waiting;
    if (reason === "approval" && approve) {
      tell(`${waitingText(waiting)}: approved by --yes`);
      return { callId, approve: true };
    }
    if (reason === "approval") {
      tell(`${waitingText(waiting)}: denied, since nobody can be asked here. --yes approves.`);
      return { callId, approve: false, reason: "Nobody could be asked for approval." };
    }
    tell(`${waitingText(waiting)}, and nobody can be asked here.`);
    return undefined;
  };
}

function notObject(given: string | undefined): string | undefined {
  const value = valueOf(given ?? "");
  return typeof value === "object" && value !== null && !Array.isArray(value) ? undefined : "This is no JSON object.";
}

/** JSON, or else the text itself. */
function valueOf(given: string): unknown {
  if (given === "") return null;
  try {
    return JSON.parse(given) as unknown;
  } catch {
    return given;
  }
}
