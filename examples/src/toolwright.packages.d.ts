// Written by `toolwright build` from the manifests of the installed tool packages. Do not edit; run it again instead.
import "@toolwright/core";

declare module "@toolwright/core" {
  interface ToolPackages {
    /** Version 0.1.0. */
    "@toolwright/tools-orders": {
      readonly tools: "get_delivery" | "get_stock" | "search_orders" | "cancel_order" | "change_address";
      readonly config?: {
        /** A file of the app's, or `":memory:"`. Default `":memory:"`. Not empty. */
        readonly path?: string | undefined;
        /** Puts samples into an empty database. Default: true in memory, false in a file. */
        readonly sampleData?: boolean | undefined;
      } | undefined;
    };
    /** Version 0.1.0. */
    "@toolwright/tools-weather": {
      readonly tools: "get_weather" | "get_forecast";
      readonly config?: {
        /** `"open-meteo"` (default) asks Open-Meteo over the network; `"sample"` answers from samples, for work offline. */
        readonly source?: "open-meteo" | "sample" | undefined;
      } | undefined;
    };
  }
}
