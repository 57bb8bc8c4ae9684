import "reflect-metadata";
import { Module } from "@nestjs/common";
import { Calculator, WarehouseTools } from "../toolwright.generated.js";
import { Warehouse } from "./warehouse.js";

/**
 * What the container makes: a service of the app, and the tool classes, one of which needs it. The classes are those of the
 * generated module, since an agent takes no others.
 */
@Module({
  providers: [
    { provide: Warehouse, useFactory: () => new Warehouse("Kazan", { "BOOK-1": 12, "BOOK-2": 0 }) },
    {
      provide: WarehouseTools,
      useFactory: (warehouse: Warehouse) => {
        console.log(`The container makes WarehouseTools, for the warehouse in ${warehouse.city}.`);
        return new WarehouseTools(warehouse);
      },
      inject: [Warehouse],
    },
    Calculator,
  ],
})
// oxlint-disable-next-line typescript/no-extraneous-class -- what a module is stands in its decorator
export class AppModule {}
