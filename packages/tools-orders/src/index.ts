import { defineToolPackage } from "@toolwright/core";
import { openOrderStore } from "./open-order-store.js";
import { OrdersConfig } from "./orders-config.js";
import { OrderTools } from "./toolwright.generated.js";

export { Address } from "./address.js";
export { openOrderStore, type OrderStoreOptions } from "./open-order-store.js";
export type { AddressChange, CancelledOrder, Cancellation, Operation, RedirectedOrder } from "./operation.js";
export type { NewOrder, Order, OrderStatus, OrderSummary, StockItem } from "./order.js";
export { OrderSearch } from "./order-search.js";
export { OrderStore, type OperationOptions, type StoreOptions } from "./order-store.js";
export type { Delivery, StockReport } from "./order-tools.js";
export { OrdersConfig } from "./orders-config.js";
export { OrderTools } from "./toolwright.generated.js";

export default defineToolPackage({
  config: OrdersConfig,
  needs: { files: ["the SQLite database at `databasePath`"] },
  create: (config) => [new OrderTools(openOrderStore(config))],
});
