import type { PatternNode } from "./pattern-syntax.js";

/** What a backtracking engine may need for a node on a text: upper bounds, Infinity for numbers beyond all bounds. */
interface Backtracking {
  /** In how many ways the node matches from one position. */
  readonly ways: number;
  /** Steps in which all of them are tried. */
  readonly steps: number;
}

/** Steps that a backtracking engine may need at most to tell that no part of a text of `length` characters matches. */
export function backtrackingSteps(tree: PatternNode, length: number, atStartOnly: boolean): number {
  return backtracking(tree, length).steps * (atStartOnly ? 1 : length + 1);
}

function backtracking(node: PatternNode, length: number): Backtracking {
  switch (node.kind) {
    case "atom":
    case "assertion":
      return { ways: 1, steps: 1 };
    case "look":
      // The first way is as good as any other: none is tried after it.
      return { ways: 1, steps: backtracking(node.item, length).steps };
    case "irregular":
      return { ways: node.ways, steps: length + 1 };
    case "sequence":
      return sequence(node.items.map((item) => backtracking(item, length)));
    case "choice": {
      const branches = node.items.map((item) => backtracking(item, length));
      return { ways: sum(branches.map(({ ways }) => ways)), steps: sum(branches.map(({ steps }) => steps)) };
    }
    case "repeat":
      return repeated(node, length);
  }
}

function sequence(items: readonly Backtracking[]): Backtracking {
  let ways = 1;
  let steps = 1;
  for (const item of items) {
    // What follows is tried after each way of what came before.
    steps += ways * item.steps;
    ways *= item.ways;
  }
  return { ways, steps };
}

function repeated({ item, min, max }: PatternNode & { readonly kind: "repeat" }, length: number): Backtracking {
  const inner = backtracking(item, length);
  // After the least number of rounds, each one takes a character, or the engine ends the loop.
  const rounds = Math.min(max, length + 1 + (canBeEmpty(item) ? min : 0));
  const ways = inner.ways ** rounds;
  return { ways: ways * (Math.max(rounds - min, 0) + 1), steps: ways * inner.steps * rounds + 1 };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function canBeEmpty(node: PatternNode): boolean {
  switch (node.kind) {
    case "atom":
      return false;
    case "assertion":
    case "look":
    case "irregular":
      return true;
    case "sequence":
      return node.items.every(canBeEmpty);
    case "choice":
      return node.items.some(canBeEmpty);
    case "repeat":
      return node.min === 0 || canBeEmpty(node.item);
  }
}

/** Whether the pattern can match at the text's start only. */
export function isAnchored(node: PatternNode): boolean {
  if (node.kind === "assertion") return node.source === "^" && !node.flags.includes("m");
  if (node.kind === "sequence") return node.items[0] !== undefined && isAnchored(node.items[0]);
  return node.kind === "choice" && node.items.every(isAnchored);
}

/** States that an automaton of the pattern has; Infinity if it can have none. */
export function countStates(node: PatternNode): number {
  switch (node.kind) {
    case "atom":
    case "assertion":
      return 1;
    case "irregular":
      return Infinity;
    case "look":
      return countStates(node.item) + 2;
    case "sequence":
    case "choice":
      return sum(node.items.map(countStates)) + 1;
    case "repeat":
      return countStates(node.item) * (node.max === Infinity ? node.min + 1 : Math.max(node.max, 1)) + 1;
  }
}
