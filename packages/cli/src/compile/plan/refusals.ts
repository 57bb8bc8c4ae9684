import type { ProblemText, WarningText } from "../project.js";
import type { BadAncestor } from "./ancestors.js";

// Why a type can not become a strict schema, and what to write instead.

export const unresolved = (text: string): ProblemText => ({
  reason: `The type ${text} cannot be resolved.`,
  fix: "Check the import and the spelling; if it comes from another package of your workspace, build or install that first.",
});

export const implicitAny: ProblemText = {
  reason: "It has no type, so the model could not know what to write.",
  fix: "Write a type, e.g. `: string`.",
};

export const anyType = (text: string): ProblemText => ({
  reason: `\`${text}\` says nothing about the value, and a strict schema must.`,
  fix: "Write the type that you expect. If it is free-form data, take a string with JSON in it and parse it in the method.",
});

export const openObject = (text: string): ProblemText => ({
  reason: `\`${text}\` is an object without known properties; a strict schema lists every property.`,
  fix: "Declare an interface with the properties that you read.",
});

export const noProperties = (text: string): ProblemText => ({
  reason: `${text} has no public data property, so the model could send only {}.`,
  fix: "Give it properties, or leave the parameter out.",
});

export const indexSignature = (text: string, keyType: string, valueType: string): ProblemText => ({
  reason: `${text} is an object with free keys; a strict schema lists every key, so it would allow only {}.`,
  fix: `Use an array of { key: ${keyType}; value: ${valueType} }, or name the keys: { first: ${valueType}; second: ${valueType} }.`,
});

export const tuple = (text: string, why: "rest" | "mixed" | "empty"): ProblemText => {
  const reasons = {
    rest: `${text} is a tuple with optional or rest elements, which a strict schema cannot say.`,
    mixed: `${text} is a tuple of different types, and a strict schema has one type for all items.`,
    empty: "A tuple without elements can hold nothing.",
  };
  return { reason: reasons[why], fix: "Use an object with a named property for each element, or an array of one type." };
};

export const functionType: ProblemText = {
  reason: "A function cannot come from a model: arguments are JSON.",
  fix: "Take a string or an enum that says what to do, and choose the function in the method.",
};

export const scalar = (name: "symbol" | "bigint" | "never" | "void" | "undefined"): ProblemText => {
  const fixes = {
    symbol: "Use a string.",
    bigint: "Use a string of digits, and make a BigInt of it in the method.",
    never: "Remove it, or write the type that you expect.",
    void: "Remove it.",
    undefined: "Remove it, or write the type that you expect.",
  };
  return { reason: `A value of type ${name} cannot come from a model: arguments are JSON.`, fix: fixes[name] };
};

const builtInFixes: Readonly<Record<string, string>> = {
  Map: "Use an array of { key: string; value: … }, and make the Map in the method.",
  ReadonlyMap: "Use an array of { key: string; value: … }, and make the Map in the method.",
  Set: "Use an array, and make the Set in the method.",
  ReadonlySet: "Use an array, and make the Set in the method.",
  Promise: "Take the value itself: arguments are there when the method is called.",
  RegExp: "Take the pattern as a string.",
  URL: "Take the URL as a string, and parse it in the method.",
  Buffer: "Take the bytes as a base64 string.",
  ArrayBuffer: "Take the bytes as a base64 string.",
  Uint8Array: "Take the bytes as a base64 string, or use number[].",
  String: "Write `string`.",
  Number: "Write `number`.",
  Boolean: "Write `boolean`.",
};

export const builtIn = (name: string): ProblemText => ({
  reason: `${name} is an object of the run time, not data: it has no form in JSON.`,
  fix: builtInFixes[name] ?? "Take the data that it is made from, and make it in the method.",
});

export const ancestor = (text: string, bad: BadAncestor): ProblemText =>
  "unresolved" in bad
    ? {
        reason: `${text} extends ${bad.unresolved}, which cannot be resolved, so what it brings would be missing.`,
        fix: "Check the import and the spelling; if it comes from another package of your workspace, build or install that first.",
      }
    : {
        reason: `${text} extends ${bad.library}, an object of the run time, which has no form in JSON.`,
        fix: "Declare an interface with the data that you read, and make the object in the method.",
      };

export const enumObject = (name: string): ProblemText => ({
  reason: `\`typeof ${name}\` is the enum itself, with all of its members, and not one of them.`,
  fix: `Write \`${name}\` for one of its values, or \`keyof typeof ${name}\` for the name of a member.`,
});

export const declaredTwice = (name: string): ProblemText => ({
  reason: `\`${name}\` is declared more than once, with different types.`,
  fix: "Keep the declaration that you mean.",
});

export const unresolvedGeneric = (text: string): ProblemText => ({
  reason: `${text} depends on a type parameter, so there is no one schema for it.`,
  fix: "Write the concrete type, or one tool for each.",
});

export const conflictingIntersection = (text: string, property: string): ProblemText => ({
  reason: `The parts of ${text} declare \`${property}\` with different types.`,
  fix: `Declare one interface with the \`${property}\` that you mean.`,
});

export const mixedIntersection = (text: string): ProblemText => ({
  reason: `${text} joins types that no single JSON value can have.`,
  fix: "Declare one interface or one primitive type.",
});

export const abstractClass = (name: string): ProblemText => ({
  reason: `${name} is abstract, so no instance of it can be made from arguments.`,
  fix: `Use a union of the classes that extend it, or an interface.`,
});

export const classExpression = (name: string): ProblemText => ({
  reason: `${name} is a class expression, which the generated module cannot import to make instances.`,
  fix: "Declare it, `export class MyData { … }`, or use an interface.",
});

export const classAsType = (name: string): ProblemText => ({
  reason: `The class ${name} is exported as a type only, and the generated module must import it to make instances.`,
  fix: `Write \`export { ${name} }\`, without \`type\`, or use an interface.`,
});

export const unexportedClass = (name: string, isEditable: boolean): ProblemText => ({
  reason: `The class ${name} is not exported, and the generated module must import it to make instances.`,
  fix: isEditable
    ? `Write \`export class ${name}\` at the top level of its file, or use an interface.`
    : `It is another package's: declare an interface with the data that you read, and make the ${name} in the method.`,
});

export const hiddenConstructor = (name: string): ProblemText => ({
  reason: `The constructor of ${name} is not public, and instances are made by \`new ${name}()\`.`,
  fix: "Make the constructor public, or use an interface.",
});

export const constructorParameters = (name: string): WarningText => ({
  code: "BUILD_CONSTRUCTOR",
  reason: `The constructor of ${name} has required parameters, but instances are made by \`new ${name}()\`, and then get their properties.`,
  fix: "Let it work without arguments, or use an interface.",
});

export const foreignClass = (name: string): ProblemText => ({
  reason: `The constructor of ${name}, of another package, has required parameters, so no instance can be made by \`new ${name}()\`.`,
  fix: `Take the data that it is made from, e.g. a string, and make the ${name} in the method.`,
});

export const computedEnum = (text: string): ProblemText => ({
  reason: `${text} is a computed member of an enum, so its value is not known at build time.`,
  fix: "Write the value as a literal.",
});

export const endlessNumber = (text: string): ProblemText => ({
  reason: `${text} is a number without end, which JSON cannot write.`,
  fix: "Use null or a word for it, or take it out of the type.",
});

export const lostMember = (name: string, owner: string): ProblemText => ({
  reason: `The type asks for \`${name}\`, which ${owner} computes; arguments that do not become an instance of it are without.`,
  fix: `Take it out, e.g. by \`Omit<…, "${name}">\`, or use the class itself.`,
});

export const protoName: ProblemText = {
  reason: "A property named __proto__ would change the object's prototype.",
  fix: "Give it another name.",
};

export const inheritedName = (name: string): ProblemText => ({
  reason: `Every object has a ${name} of its own kind, so the method would find that one when the model leaves this one out.`,
  fix: "Give it another name, or make it required.",
});

export const symbolName: ProblemText = {
  reason: "A property named by a symbol cannot be in JSON.",
  fix: "Give it a plain name, or take it out of the type.",
};

export const numberTemplate = (text: string): ProblemText => ({
  reason: `The template literal type ${text} has a part that is no string, which a pattern cannot say exactly.`,
  fix: "Use `string` and say the form in the description, or only `${string}` parts.",
});

export const stringMapping = (text: string): ProblemText => ({
  reason: `${text} restricts letters in a way that a strict schema cannot say.`,
  fix: "Use `string` and say the form in the description.",
});

export const undefinedItem: ProblemText = {
  reason: "undefined cannot be inside an array or a union that JSON carries.",
  fix: "Use null, or make the property itself optional.",
};

export const dateOrString: ProblemText = {
  reason: "A Date comes as a text, so a union with string leaves open which one was meant.",
  fix: "Take a Date or a string, not both.",
};

export const endless: ProblemText = {
  reason: "The type goes on without end: each level is a new type.",
  fix: "Let the type refer to itself with the same type arguments, or write out the levels that you need.",
};

export const extendedContext = (text: string): ProblemText => ({
  reason: `${text} looks like a ToolContext but is another type; what it adds would never be there.`,
  fix: "Declare the parameter as `ToolContext<App>`, and take what it adds from `context.app`.",
});

export const ambiguousBranches = (text: string): ProblemText => ({
  reason: `The classes in ${text} have the same properties, so arguments would not tell which one is meant.`,
  fix: 'Give each a property that tells them apart, e.g. `readonly kind = "circle"`.',
});

export const lostTags: WarningText = {
  code: "BUILD_LOST_TAGS",
  reason: "TypeScript takes a comment on the same line for one of what stands before it, so its tags are not read.",
  fix: "Put the comment on a line of its own.",
};

export const sharedFirstKey = (text: string): ProblemText => ({
  reason: `Nothing tells the objects in ${text} apart, and the API refuses branches that begin with the same key.`,
  fix: 'Give each a property with a literal of its own, e.g. `kind: "circle"` and `kind: "square"`.',
});
