/**
 * What a build may remark on, by the code that settings name it by. docs/cli.md lists the same; a test keeps the two equal.
 */
export const warningMeanings = {
  BUILD_ABSTRACT_TOOLS: "an abstract class has tools, and no exported class extends it",
  BUILD_CONSTRUCTOR: "the constructor of a DTO class has required parameters, and instances are made without any",
  BUILD_EARLY_TYPE: "with `emitDecoratorMetadata`, a file would read a class before it is there",
  BUILD_LEFT_FILE: "a generated file that this build does not write any more; with `--check` it is an error",
  BUILD_LONG_DESCRIPTION: "a description is longer than some servers take",
  BUILD_LOOSE_NULL: "the project is checked without `strictNullChecks`",
  BUILD_LOST_DEFAULT: "a default that the model cannot ask for, since the type has a null of its own",
  BUILD_LOST_TAGS: "doc tags that TypeScript does not read, since their comment is on the line of something else",
  BUILD_LOST_TOOL: "a method overrides a tool without `@Tool`",
  BUILD_MANY_TOOLS: "a class has more tools than servers take in one request",
  BUILD_MISPLACED_DECORATOR: "a decorator of Toolwright where it means nothing",
  BUILD_NO_DESCRIPTION: "a parameter, a property or an output has no description",
  BUILD_NO_EFFECT: "a tool does not say what it does to the world",
  BUILD_SAME_NAME: "two classes have tools of one name",
  BUILD_TEST_FILE: "a class with tools in a test file is left out",
  BUILD_TRANSFORMER: "a decorator of class-transformer that the schema does not follow",
  BUILD_TWO_DESCRIPTIONS: "a decorator and a doc comment describe the same thing differently",
  BUILD_UNCHECKED_RULE: "a rule that the model is told, and that nobody checks",
  BUILD_UNFIT_RULE: "a decorator that accepts no value of the type",
  BUILD_UNKNOWN_BASE: "a base class of another package whose tools are not known",
  BUILD_UNKNOWN_DECORATOR: "a decorator that the build does not know",
  BUILD_UNTOLD_RULE: "a rule that is checked at run time, and that the model is not told",
  BUILD_VAGUE_DESCRIPTION: "a description says no more than the name",
  BUILD_WRONG_TAG: "a doc tag whose value means nothing",
} as const;

export type WarningCode = keyof typeof warningMeanings;

/** What settings make of a warning. */
export type WarningLevel = "off" | "warning" | "error";

/** Levels by code; `*` is for all that are not named. */
export type WarningLevels = Readonly<Partial<Record<WarningCode | "*", WarningLevel>>>;

export const warningCodes = Object.keys(warningMeanings) as readonly WarningCode[];
export const warningLevels: readonly WarningLevel[] = ["off", "warning", "error"];
