import type { Place } from "../../problem.js";

/** A decorator of class-validator that the build saw on a class that arguments become instances of. */
export interface SeenValidator {
  /** The class's file and place in it. */
  readonly classId: string;
  readonly property: string;
  /** As class-validator exports it, e.g. `MinLength`. */
  readonly decorator: string;
  readonly each: boolean;
  /** Its arguments, when they are known at build time. */
  readonly constraints: readonly unknown[] | undefined;
  readonly place: Place;
}
