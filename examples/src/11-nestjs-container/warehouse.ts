import { ToolError } from "@toolwright/core";

/** An article and how many of it there are. */
export interface StockedArticle {
  readonly sku: string;
  readonly found: boolean;
  readonly count: number | null;
}

/** What the container knows where the stock is kept: here a list, elsewhere a database. */
export class Warehouse {
  readonly #counts: ReadonlyMap<string, number>;

  constructor(
    readonly city: string,
    counts: Readonly<Record<string, number>>,
  ) {
    this.#counts = new Map(Object.entries(counts));
  }

  look(sku: string): StockedArticle {
    if (sku.trim() === "") throw new ToolError({ code: "NO_ARTICLE", message: "Name an article, e.g. BOOK-1." });
    const count = this.#counts.get(sku);
    return { sku, found: count !== undefined, count: count ?? null };
  }
}
