import { ts } from "typescript-json-schema";
import { type Constant, constantOf, ConstantPattern } from "../constant.js";
import { corePackage, decoratorsOf, type FoundDecorator } from "../decorators.js";
import { docTagText } from "../doc-comments.js";
import { classChain } from "../class-chain.js";
import { memberName } from "../find-tools.js";
import { idOf } from "../marks.js";
import { Memo } from "../memo.js";
import type { PlanNode } from "../plan/plan.js";
import type { At } from "../plan/unsupported.js";
import type { Project, WarningText } from "../project.js";
import { defaultWords } from "./default-words.js";
import { kindsOf } from "./kinds.js";
import { mergeRules, noRules, type Rules } from "./rules.js";
import { mostRepeats } from "./safe-pattern.js";
import { validators } from "./validators.js";

/** The property whose decorators are read. */
export interface RuledProperty {
  readonly project: Project;
  readonly name: string;
  readonly at: At;
  readonly node: PlanNode;
  readonly optional: boolean;
  readonly nullable: boolean;
  /** The class by whose instances class-validator sees it; undefined for a property of a mapped type. */
  readonly owner: ts.ClassDeclaration | undefined;
  /** The default value of a class's property. */
  readonly initializer: ts.Expression | undefined;
}

/** Many tools take the same types: their properties have the same rules, and what is said of them is said once. */
const memo = new Memo<ts.Symbol, { readonly owner: RuledProperty["owner"]; readonly rules: Rules }>();

/** What class-validator's decorators and the default of a property say, inherited ones included. */
export function readPropertyRules(symbol: ts.Symbol, property: RuledProperty): Rules {
  const known = memo.of(property.project);
  const before = known.get(symbol);
  // A property that two classes inherit is seen by class-validator on each.
  if (before !== undefined && before.owner === property.owner) return before.rules;
  const rules = readRules(symbol, property);
  known.set(symbol, { owner: property.owner, rules });
  return rules;
}

function readRules(symbol: ts.Symbol, property: RuledProperty): Rules {
  const declarations = declarationsOf(symbol, property.project);
  let rules = noRules;
  for (const decorator of declarations.flatMap((declaration) => decoratorsOf(declaration, property.project))) {
    rules = mergeRules(rules, rulesOf(decorator, property));
  }
  const [first] = symbol.declarations ?? [];
  const documented = first === undefined ? undefined : docTagText(first, "default");
  const words = defaultWords(property.initializer, documented, property.project);
  if (words !== undefined && property.nullable) {
    property.project.warn(property.at.place, property.at.subject, {
      code: "BUILD_LOST_DEFAULT",
      reason: "The type has a null of its own, so the model cannot ask for the default.",
      fix: "Take `null` out of the type, or leave the default out.",
    });
  }
  return words === undefined ? rules : mergeRules(rules, { words: [words] });
}

/** A property that a subclass declares again keeps the decorators of its base class, as class-validator has it. */
function declarationsOf(symbol: ts.Symbol, project: Project): readonly ts.Declaration[] {
  return (symbol.declarations ?? []).flatMap((declaration) => {
    if (!ts.isClassLike(declaration.parent)) return [declaration];
    return classChain(declaration.parent, project).flatMap((level) =>
      level.members.filter((member) => ts.isPropertyDeclaration(member) && propertyName(member.name, project) === symbol.name),
    );
  });
}

/** Also of names that are numbers, or computed from constants. */
function propertyName(name: ts.PropertyName, project: Project): string | undefined {
  if (ts.isNumericLiteral(name)) return name.text;
  if (!ts.isComputedPropertyName(name)) return memberName(name);
  const constant = constantOf(name.expression, project)?.value;
  return typeof constant === "string" || typeof constant === "number" ? String(constant) : undefined;
}

function rulesOf(decorator: FoundDecorator, property: RuledProperty): Rules {
  const warn = (text: WarningText): Rules => {
    property.project.warn(
      property.project.isOwnSource(decorator.node.getSourceFile()) ? decorator.node : property.at.place,
      property.at.subject,
      text,
    );
    return noRules;
  };
  if (decorator.package === "class-transformer") return decorator.name === "Type" ? noRules : warn(transformer(decorator.name));
  if (decorator.package === corePackage)
    return warn({
      code: "BUILD_MISPLACED_DECORATOR",
      reason: `@${decorator.name} is not for properties.`,
      fix: "Describe a property by a doc comment above it.",
    });
  if (decorator.package !== "class-validator") return warn(unknownDecorator(decorator));
  checkExperimental(decorator, property);
  remember(decorator, property);
  if (decorator.name === "IsOptional" && property.owner !== undefined && !property.optional && !property.nullable) {
    property.project.error(decorator.node, property.at.subject, {
      reason:
        "@IsOptional() lets null and undefined through, but the type allows neither, so the method could get what it does not expect.",
      fix: `Make the property optional (\`${symbolText(property)}?: …\`), or take @IsOptional() away.`,
    });
    return noRules;
  }
  if (decorator.name === "ValidateIf")
    return warn({
      code: "BUILD_UNTOLD_RULE",
      reason: "The condition of @ValidateIf is known only at run time, so the model is not told.",
      fix: "Say the condition in the doc comment.",
    });
  return validatorRules(decorator, property, warn);
}

/** For the audit, which compares with class-validator's own records. */
function remember(decorator: FoundDecorator, { project, owner, at, name }: RuledProperty): void {
  if (owner === undefined) return;
  project.saw(decorator.node, owner, () => {
    const { parameters, options } = splitOptions(decorator.arguments ?? []);
    const values = parameters.map((parameter) => constantOf(parameter, project));
    const isKnown = values.every((value): value is { readonly value: Constant } => value !== undefined);
    const plain = (value: Constant): unknown => (value instanceof ConstantPattern ? { pattern: value.source, flags: value.flags } : value);
    return {
      classId: idOf(owner, project),
      property: name,
      decorator: decorator.name,
      each: options.has("each"),
      constraints: isKnown ? values.map(({ value }) => plain(value)) : undefined,
      place: project.place(project.isOwnSource(decorator.node.getSourceFile()) ? decorator.node : at.place),
    };
  });
}

const symbolText = ({ at }: RuledProperty): string => at.subject.slice(at.subject.lastIndexOf(".") + 1);

function validatorRules(decorator: FoundDecorator, property: RuledProperty, warn: (text: WarningText) => Rules): Rules {
  const { parameters, options } = splitOptions(decorator.arguments ?? []);
  if (options.has("groups")) return warn(runTimeOnly(decorator.name, "it is for some validation groups only"));
  const each = options.has("each");
  const node = each ? itemsOf(property.node) : property.node;
  const validator = validators[decorator.name];
  if (validator === undefined) {
    if (property.owner === undefined) return warn(uncheckedRule(decorator.name));
    return inItems(each, { words: [`Checked by ${decorator.name}.`] });
  }
  if (validator.accepts !== undefined && !kindsOf(node).has(validator.accepts)) warn(mismatch(decorator.name, validator.accepts, each));
  const values = parameters.map((parameter) => constantOf(parameter, property.project));
  const isKnown = values.every((value): value is { readonly value: Constant } => value !== undefined);
  const rules = isKnown ? validator.rules(values.map(({ value }) => value)) : undefined;
  if (rules === undefined) return warn(runTimeOnly(decorator.name, "its arguments are not known at build time"));
  if (property.owner === undefined && !isSendable(rules)) warn(uncheckedRule(decorator.name));
  return inItems(each, rules);
}

const inItems = (each: boolean, rules: Rules): Rules =>
  each ? { items: { ...rules, words: undefined }, words: rules.words?.map((text) => `Each item: ${text}`) } : rules;

function itemsOf(node: PlanNode): PlanNode {
  if (node.kind === "array") return node.items;
  const member = node.kind === "union" ? node.members.find((each) => each.node.kind === "array") : undefined;
  return member?.node.kind === "array" ? member.node.items : node;
}

const optionNames = new Set(["each", "groups", "message", "always", "context"]);

/** The last argument of each decorator may be class-validator's own options. */
function splitOptions(given: readonly ts.Expression[]): {
  readonly parameters: readonly ts.Expression[];
  readonly options: ReadonlySet<string>;
} {
  const last = given.at(-1);
  if (last === undefined || !ts.isObjectLiteralExpression(last)) return { parameters: given, options: new Set() };
  const names = last.properties.map((property) => property.name?.getText() ?? "");
  if (!names.some((name) => optionNames.has(name))) return { parameters: given, options: new Set() };
  const on = last.properties.filter(
    (property) => !(ts.isPropertyAssignment(property) && property.initializer.kind === ts.SyntaxKind.FalseKeyword),
  );
  return { parameters: given.slice(0, -1), options: new Set(on.map((property) => property.name?.getText() ?? "")) };
}

function checkExperimental(decorator: FoundDecorator, { project, at }: RuledProperty): void {
  if (project.config.options.experimentalDecorators === true || !project.isOwnSource(decorator.node.getSourceFile())) return;
  project.error(decorator.node, at.subject, {
    reason: "class-validator's decorators need `experimentalDecorators`; without it they fail when the file is imported.",
    fix: 'Add "experimentalDecorators": true to `compilerOptions` in the tsconfig.',
  });
}

const transformer = (name: string): WarningText => ({
  code: "BUILD_TRANSFORMER",
  reason: `@${name} of class-transformer may change what the property is called or holds, and the schema does not follow it.`,
  fix: "Declare the property as the model should write it, and convert in the method.",
});

const unknownDecorator = ({ name }: FoundDecorator): WarningText => ({
  code: "BUILD_UNKNOWN_DECORATOR",
  reason: `The build does not know the decorator @${name}; if it validates, that happens at run time and the model is not told.`,
  fix: "Say its rule in the doc comment, or use class-validator's own decorators.",
});

const runTimeOnly = (name: string, why: string): WarningText => ({
  code: "BUILD_UNTOLD_RULE",
  reason: `@${name} is checked at run time but not told to the model: ${why}.`,
  fix: "Use constants, or say the rule in the doc comment.",
});

/** Whether a schema can say it, so that it is checked without class-validator, too. */
function isSendable({ words = [], minLength = 0, maxLength = 0, ...others }: Rules): boolean {
  if (Math.max(minLength, maxLength) > mostRepeats) return false;
  return words.length === 0 || minLength + maxLength > 0 || Object.values(others).some((value) => value !== undefined);
}

const uncheckedRule = (name: string): WarningText => ({
  code: "BUILD_UNCHECKED_RULE",
  reason: `Nobody checks @${name} here: the arguments do not become an instance of its class, and a strict schema cannot say it.`,
  fix: "Use the class itself, or check it in the method.",
});

const mismatch = (name: string, accepts: string, each: boolean): WarningText => ({
  code: "BUILD_UNFIT_RULE",
  reason: `@${name} accepts only ${accepts === "array" || accepts === "object" ? "an" : "a"} ${accepts}, which ${each ? "the items are" : "the type is"} not, so every call would fail.`,
  fix: each ? "Use a decorator that fits the items." : "Change the type or the decorator; for the items of an array add `{ each: true }`.",
});
