/** What is known of an error by its code. */
export interface Entry {
  /** Who should act. */
  readonly who: "developer" | "operator" | "user" | "provider";
  readonly retryable: boolean;
  readonly meaning: string;
  readonly fix: string;
}

/** An entry, in one line where it fits. */
export const entry = (who: Entry["who"], retryable: boolean, meaning: string, fix: string): Entry => ({ who, retryable, meaning, fix });
