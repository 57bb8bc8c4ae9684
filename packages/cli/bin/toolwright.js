#!/usr/bin/env node
import { enableCompileCache } from "node:module";

// TypeScript is large: its compiled form is kept, so that the next build starts sooner.
enableCompileCache?.();
const { runCommand } = await import("../dist/cli.js");
process.exitCode = await runCommand(process.argv.slice(2));
