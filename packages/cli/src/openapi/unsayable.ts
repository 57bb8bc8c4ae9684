/** Thrown for a part of a document that a tool's types cannot say. Whoever can do without the part catches it. */
export class Unsayable extends Error {
  /** Within what was asked for, e.g. `body.lines[].tags`; "" is all of it. */
  readonly place: string;

  constructor(reason: string, place = "") {
    super(reason);
    this.place = place;
  }

  /** The same, seen from further out. */
  below(part: string): Unsayable {
    const joint = this.place === "" || this.place.startsWith("[") ? "" : ".";
    return new Unsayable(this.message, `${part}${joint}${this.place}`);
  }
}

/** What of a document did not become a tool, or became something else than it says. */
export interface Note {
  /** `skipped`: no tool; `left out`: a tool without this part; `changed`: said in another way. */
  readonly kind: "skipped" | "left out" | "changed";
  /** E.g. `POST /pets`, or `POST /pets body.tags`. */
  readonly where: string;
  readonly reason: string;
}
