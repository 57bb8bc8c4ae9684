/** A type that an author writes: one tool, in a file of its own. */
export interface MatrixCase {
  /** In plain English, for the pages that are made of the matrix. */
  readonly title: string;
  /** The parameters of the method, e.g. `name: string, days = 3`. */
  readonly parameters: string;
  /** Declarations above the class. */
  readonly types: string;
  /** Why values of the schema cannot be written as values of the type, for tests that do. */
  readonly unsound: string | undefined;
}

/** Cases under one heading. */
export interface MatrixGroup {
  readonly title: string;
  readonly cases: readonly MatrixCase[];
}

export const group = (title: string, ...cases: readonly MatrixCase[]): MatrixGroup => ({ title, cases });

export const one = (title: string, parameters: string, types = "", unsound?: string): MatrixCase => ({ title, parameters, types, unsound });

// Why values of some schemas cannot be written as values of the type.
export const brand = "a brand is in the type only";
export const nominal = "a text is no member of an enum for the type, though it is its value";
