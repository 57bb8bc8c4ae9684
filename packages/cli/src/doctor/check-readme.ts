import { tableIn, toolTable, withTable } from "../scaffold/tool-table.js";
import type { Finding } from "./finding.js";
import type { Patient } from "./patient.js";

const file = "README.md";

/** Whether there is a README, and its table of tools, where it has one, is what the manifest says. */
export function checkReadme(patient: Patient): readonly Finding[] {
  const readme = patient.read(file);
  if (readme === undefined)
    return [
      {
        code: "DOCTOR_NO_README",
        severity: "warning",
        file,
        message: "There is no README: npm would show nothing.",
        fix: "Write what the tools are for, and what they need.",
      },
    ];
  const toolkits = patient.manifest()?.toolkits;
  const table = tableIn(readme);
  if (toolkits === undefined || table === undefined) return [];
  const wanted = toolTable(toolkits);
  if (table.replaceAll("\r\n", "\n") === wanted) return [];
  return [
    {
      code: "DOCTOR_README_TABLE",
      severity: "warning",
      file,
      message: "The table of tools is not what the manifest says.",
      fix: "Run `npx toolwright doctor --fix`.",
      repair: { kind: "file", text: withTable(readme, wanted) },
    },
  ];
}
