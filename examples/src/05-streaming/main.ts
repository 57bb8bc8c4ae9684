// A run as it happens: text and arguments as they come, a stream that is cut off, and Ctrl-C in mid run.
import { runExample } from "../shared/run-example.js";
import { showCutStream } from "./cut-stream.js";
import { showInterrupt } from "./interrupt.js";
import { showProgress } from "./progress.js";

await runExample(async () => {
  console.log("A stand-in server with scripted replies, never a real model: it can be made to break at the right moment.");
  await showProgress();
  await showCutStream();
  await showInterrupt();
});
