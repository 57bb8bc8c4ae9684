import { ToolwrightError } from "@toolwright/core";
import { nearestNames } from "./nearest-names.js";
import { type BuildProblem, orderProblems } from "./problem.js";
import { type WarningCode, warningCodes, type WarningLevel, warningLevels, type WarningLevels } from "./warnings.js";

/**
 * Reads what settings say about warnings, e.g. `{ "BUILD_NO_DESCRIPTION": "error" }`.
 *
 * @param source - where it is written, for errors.
 * @throws ToolwrightError `BUILD_CONFIG` for a code or a level that does not exist.
 */
export function readWarningLevels(given: unknown, source: string): WarningLevels {
  if (given === undefined) return {};
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw wrong(`${source}: "warnings" must be an object.`, 'Write it like { "BUILD_NO_DESCRIPTION": "error" }.');
  for (const [code, level] of Object.entries(given)) {
    if (code !== "*" && !warningCodes.some((known) => known === code)) throw unknownCode(code, source);
    if (!warningLevels.some((known) => known === level))
      throw wrong(`${source}: the warning ${code} has the level ${JSON.stringify(level)}.`, 'Write "off", "warning" or "error".');
  }
  return given;
}

function unknownCode(code: string, source: string): ToolwrightError {
  const [nearest] = nearestNames(code, warningCodes);
  const suggestion = nearest === undefined ? "" : `Did you mean ${nearest}? `;
  return wrong(
    `${source}: there is no warning ${code}.`,
    `${suggestion}The warnings are ${warningCodes.join(", ")}, and * for all others.`,
  );
}

const wrong = (message: string, fix: string): ToolwrightError => new ToolwrightError("BUILD_CONFIG", message, { fix });

/** A project's warnings as its settings weigh them. */
export interface WeighedWarnings {
  /** Those that count as problems. */
  readonly problems: readonly BuildProblem[];
  readonly warnings: readonly BuildProblem[];
}

/** @param check - what a check is for is an error there, unless the settings say otherwise. */
export function weighWarnings(all: readonly BuildProblem[], levels: WarningLevels, check: boolean): WeighedWarnings {
  const levelOf = ({ code }: BuildProblem): WarningLevel => (code === undefined ? "warning" : levelOfCode(code, levels, check));
  return {
    problems: orderProblems(all.filter((warning) => levelOf(warning) === "error")),
    warnings: all.filter((warning) => levelOf(warning) === "warning"),
  };
}

function levelOfCode(code: WarningCode, levels: WarningLevels, check: boolean): WarningLevel {
  const level = levels[code] ?? levels["*"] ?? "warning";
  return check && code === "BUILD_LEFT_FILE" && level === "warning" ? "error" : level;
}
