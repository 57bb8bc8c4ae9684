import { objects } from "./accepted-objects.js";
import { rules } from "./accepted-rules.js";
import { unions } from "./accepted-unions.js";
import { values } from "./accepted-values.js";
import type { MatrixGroup } from "./case.js";

/** What an author may write. */
export const accepted: readonly MatrixGroup[] = [...values, ...objects, ...unions, ...rules];
