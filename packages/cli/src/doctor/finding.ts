/** One thing that would go wrong after publishing, or that its users would stumble over. */
export interface Finding {
  /** Stable, e.g. `DOCTOR_STALE`; `BUILD_…`, `PUBLINT_…` and `ATTW_…` are what those say. */
  readonly code: string;
  readonly severity: "error" | "warning";
  /** Relative to the package, with `/`. */
  readonly file: string;
  /** One-based. */
  readonly line?: number | undefined;
  /** One-based. */
  readonly column?: number | undefined;
  readonly message: string;
  readonly fix: string;
  /** What `--fix` does about it; left out where a person must decide. */
  readonly repair?: Repair | undefined;
}

/** A change that takes nothing away: run twice, it does nothing more. */
export type Repair =
  | { readonly kind: "package.json"; readonly change: (packageJson: PackageJson) => PackageJson }
  | { readonly kind: "build" }
  | { readonly kind: "file"; readonly text: string };

/** A package.json as far as it is looked at. Its author may have written anything. */
export type PackageJson = Readonly<Record<string, unknown>>;

/** A part of a package.json as an object, empty if it is none. */
export const partOf = (packageJson: PackageJson, key: string): Readonly<Record<string, unknown>> => {
  const part = packageJson[key];
  return typeof part === "object" && part !== null && !Array.isArray(part) ? (part as Record<string, unknown>) : {};
};

/** A list of texts of a package.json; empty if it is none. */
export const textsOf = (packageJson: PackageJson, key: string): readonly string[] => {
  const list = packageJson[key];
  return Array.isArray(list) ? list.filter((each): each is string => typeof each === "string") : [];
};
