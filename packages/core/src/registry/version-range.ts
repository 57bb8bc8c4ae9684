interface Version {
  readonly numbers: readonly [number, number, number];
  /** Empty for a release. */
  readonly prerelease: readonly string[];
}

/** One bound: a version and which side of it is meant. */
interface Bound {
  readonly side: ">=" | "<" | ">" | "<=";
  readonly version: Version;
}

/** A version of which the later parts may be open: `1.x` has one number. */
interface Partial {
  readonly numbers: readonly number[];
  readonly prerelease: readonly string[];
}

const whole = /^v?(\d{1,15})\.(\d{1,15})\.(\d{1,15})(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/;
const comparator =
  /^(\^|~>?|>=|<=|>|<|=)?v?(\d{1,15}|[xX*])(?:\.(\d{1,15}|[xX*])(?:\.(\d{1,15}|[xX*])(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?)?)?$/;
// A range comes from a package; a real one is far shorter.
const longest = 256;

/**
 * Whether a version is within a range, as npm reads both; undefined when one of them cannot be read. A prerelease counts
 * as a version like any other: one of `0.1.1` is within `^0.1.0`, and one of `0.2.0` is not.
 */
export function satisfies(version: string, range: string): boolean | undefined {
  const found = whole.exec(version);
  if (found === null || range.length > longest || /[^\S ]/.test(range)) return undefined;
  const sets = setsOf(range);
  if (sets === undefined) return undefined;
  const own: Version = { numbers: [Number(found[1]), Number(found[2]), Number(found[3])], prerelease: prereleaseOf(found[4]) };
  return sets.some((bounds) => bounds.every((bound) => holds(own, bound)));
}

/** Packages ask for the same few ranges. */
const known = new Map<string, readonly (readonly Bound[])[] | undefined>();

/** The bounds of each alternative; undefined when one cannot be read. */
function setsOf(range: string): readonly (readonly Bound[])[] | undefined {
  if (known.has(range)) return known.get(range);
  const sets = range
    .replace(/^workspace:(?:[~^*]$)?/, "")
    .split("||")
    .map(boundsOf);
  const read = sets.filter((bounds) => bounds !== undefined);
  if (known.size >= 100) known.clear();
  known.set(range, read.length === sets.length ? read : undefined);
  return known.get(range);
}

function boundsOf(text: string): readonly Bound[] | undefined {
  const hyphen = /^\s*(\S+)\s+-\s+(\S+)\s*$/.exec(text);
  // A space after an operator is allowed.
  const parts = hyphen === null ? text.replaceAll(/([<>=~^])\s+/g, "$1").split(/\s+/) : [`>=${hyphen[1]}`, `<=${hyphen[2]}`];
  const bounds: Bound[] = [];
  for (const one of parts) {
    if (one === "") continue;
    const found = comparator.exec(one);
    if (found === null) return undefined;
    bounds.push(...comparatorBounds(found[1] ?? "=", partialOf(found)));
  }
  return bounds;
}

function partialOf([, , ...parts]: RegExpExecArray): Partial {
  const numbers: number[] = [];
  for (const text of parts.slice(0, 3)) {
    if (text === undefined || /^[xX*]$/.test(text)) break;
    numbers.push(Number(text));
  }
  return { numbers, prerelease: prereleaseOf(parts[3]) };
}

const prereleaseOf = (text: string | undefined): readonly string[] => (text === undefined ? [] : text.split("."));

function comparatorBounds(operator: string, { numbers, prerelease }: Partial): readonly Bound[] {
  const [major, minor] = numbers;
  // What is left open is open to prereleases, too.
  const from: Version = { numbers: filled(numbers), prerelease: numbers.length === 3 ? prerelease : ["0"] };
  const between = (digit: number): readonly Bound[] => [
    { side: ">=", version: from },
    { side: "<", version: next(numbers, digit) },
  ];
  const isWhole = numbers.length === 3;
  // `*`: any version; none is greater or less than all.
  if (major === undefined) return operator === ">" || operator === "<" ? [{ side: "<", version: next([0, 0, 0], -1) }] : [];
  switch (operator) {
    case "^":
      return between(major > 0 || minor === undefined ? 0 : minor > 0 || !isWhole ? 1 : 2);
    case "~":
    case "~>":
      return between(minor === undefined ? 0 : 1);
    case ">":
      return isWhole ? [{ side: ">", version: from }] : [{ side: ">=", version: next(numbers, numbers.length - 1) }];
    case "<=":
      return isWhole ? [{ side: "<=", version: from }] : [{ side: "<", version: next(numbers, numbers.length - 1) }];
    case ">=":
      return [{ side: ">=", version: from }];
    case "<":
      return [{ side: "<", version: from }];
    default:
      return isWhole
        ? [
            { side: ">=", version: from },
            { side: "<=", version: from },
          ]
        : between(numbers.length - 1);
  }
}

const filled = (numbers: readonly number[]): Version["numbers"] => [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0];

/** The first prerelease of the version after all that share the numbers up to this digit; with -1, what is before all versions. */
function next(numbers: readonly number[], digit: number): Version {
  const raised = filled(numbers).map((number, index) => (index === digit ? number + 1 : index > digit ? 0 : number));
  return { numbers: filled(raised), prerelease: ["0"] };
}

function holds(version: Version, { side, version: bound }: Bound): boolean {
  const order = compare(version, bound);
  if (side === ">=") return order >= 0;
  if (side === "<") return order < 0;
  return side === ">" ? order > 0 : order <= 0;
}

function compare(one: Version, other: Version): number {
  for (const digit of [0, 1, 2] as const) {
    if (one.numbers[digit] !== other.numbers[digit]) return one.numbers[digit] - other.numbers[digit];
  }
  // A release comes after all of its prereleases.
  if (one.prerelease.length === 0 || other.prerelease.length === 0) return other.prerelease.length - one.prerelease.length;
  for (let index = 0; ; index += 1) {
    const [left, right] = [one.prerelease[index], other.prerelease[index]];
    if (left === undefined || right === undefined) return (left === undefined ? 0 : 1) - (right === undefined ? 0 : 1);
    const order = compareIdentifiers(left, right);
    if (order !== 0) return order;
  }
}

function compareIdentifiers(left: string, right: string): number {
  const [one, other] = [/^\d+$/.test(left), /^\d+$/.test(right)];
  if (one && other) return Number(left) - Number(right);
  if (one !== other) return one ? -1 : 1;
  return left < right ? -1 : left > right ? 1 : 0;
}
