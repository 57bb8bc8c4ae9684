import { Param, Tool } from "@toolwright/core";
import type { StockedArticle, Warehouse } from "./warehouse.js";

/** A tool class like any other: it takes what it needs, and knows nothing of who makes it. */
export class WarehouseTools {
  readonly #warehouse: Warehouse;

  constructor(warehouse: Warehouse) {
    this.#warehouse = warehouse;
  }

  /** Tells how many of an article are in stock. `found` is false for an article that there is not; then there is no count. */
  @Tool({ effect: "read" })
  getStock(@Param("Number of one article, e.g. BOOK-1") sku: string): StockedArticle {
    return this.#warehouse.look(sku);
  }
}
