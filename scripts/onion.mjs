// Writes the picture of docs/middleware/order.md, from what `explain()` says of the pipeline that the page shows.
import { writeFile } from "node:fs/promises";
import { shownPipeline } from "./lib/shown-pipeline.mjs";
import { onionSvg } from "./lib/onion.mjs";

await writeFile(new URL("../docs/middleware/onion.svg", import.meta.url), onionSvg((await shownPipeline()).explain()));
