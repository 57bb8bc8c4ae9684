import type { ProblemText } from "./project.js";

// Forms of methods that can not be called with named arguments.

export const overloads: ProblemText = {
  reason: "The method has overloads, and a tool has one schema.",
  fix: "Write one signature, with a union for what differs, or one tool for each.",
};

export const genericMethod: ProblemText = {
  reason: "The method has type parameters of its own, so there is no one schema for it.",
  fix: "Write the concrete types, or one tool for each.",
};

export const thisParameter: ProblemText = {
  reason: "The method declares `this`, and the kernel calls it on the instance only.",
  fix: "Take the `this` parameter away.",
};

export const restParameter: ProblemText = {
  reason: "A rest parameter has no name of its own in a call with named arguments.",
  fix: "Take an array: `values: string[]`.",
};

export const destructured: ProblemText = {
  reason: "A parameter that is taken apart in the signature has no name for the model.",
  fix: "Give it a name, and take it apart in the method.",
};

export const protoParameter: ProblemText = {
  reason: "A parameter named __proto__ would change the arguments' prototype.",
  fix: "Give it another name.",
};
