import type { Message } from "publint";
import type { Finding } from "./finding.js";
import type { Patient } from "./patient.js";

/** What this command says itself, in its own words. */
const saidAlready = ["LOCAL_DEPENDENCY"];

/** What publint says of the tarball: files that `exports` names and that are not there, conditions in a wrong order, formats. */
export async function checkPublint(patient: Patient): Promise<readonly Finding[]> {
  const [{ publint }, { formatMessage }] = await Promise.all([import("publint"), import("publint/utils")]);
  const { tarball } = await patient.packed();
  // A copy of its own: publint takes a whole buffer, and this one may be a part of a larger one.
  const { messages, pkg } = await publint({ pack: { tarball: new Uint8Array(tarball).buffer }, level: "warning" });
  return messages
    .filter(({ code }) => !saidAlready.includes(code))
    .map((message) => asFinding(message, formatMessage(message, pkg, { color: false })));
}

function asFinding({ code, path, type }: Message, text: string | undefined): Finding {
  const place = path.length === 0 ? "" : `${path.join(".")}: `;
  return {
    code: `PUBLINT_${code}`,
    severity: type === "error" ? "error" : "warning",
    file: "package.json",
    message: `${place}${(text ?? code).replaceAll(/\s+/g, " ")}`,
    fix: `Correct it as it says; more is at https://publint.dev/rules#${code.toLowerCase()}`,
  };
}
