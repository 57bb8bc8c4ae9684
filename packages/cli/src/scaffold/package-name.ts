import validate from "validate-npm-package-name";

/** What is wrong with a name for a new npm package, in words; undefined when nothing is. */
export function packageNameProblem(name: string): string | undefined {
  const { validForNewPackages, errors = [], warnings = [] } = validate(name);
  return validForNewPackages ? undefined : [...errors, ...warnings].join("; ");
}

/** A package's own word in the forms that its files need: of `@acme/tools-stock-levels`, "stock levels". */
export interface NameForms {
  /** `StockLevels` */
  readonly pascal: string;
  /** `stock_levels` */
  readonly snake: string;
  /** `stock-levels` */
  readonly kebab: string;
  /** `STOCK_LEVELS` */
  readonly upper: string;
  /** `stock levels` */
  readonly words: string;
}

// Class and tool names are made of it; a model's tool name has 64 characters at most.
const longest = 40;

export function nameForms(packageName: string): NameForms {
  const own = packageName.slice(packageName.lastIndexOf("/") + 1).toLowerCase();
  const all = own.split(/[^a-z0-9]+/).filter((word) => word !== "");
  const telling = all.filter((word) => !["tool", "tools", "toolwright"].includes(word));
  const words = withinLength(telling.length > 0 ? telling : ["sample"]);
  // An identifier begins with a letter.
  if (/^\d/.test(words[0] ?? "")) words.unshift("my");
  return {
    pascal: words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(""),
    snake: words.join("_"),
    kebab: words.join("-"),
    upper: words.join("_").toUpperCase(),
    words: words.join(" "),
  };
}

function withinLength(words: readonly string[]): string[] {
  const kept: string[] = [];
  let length = 0;
  for (const word of words) {
    if (length + word.length > longest && kept.length > 0) break;
    kept.push(word.slice(0, longest));
    length += word.length + 1;
  }
  return kept;
}
