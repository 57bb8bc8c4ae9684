#!/usr/bin/env node
// No static import here: on an old Node it could fail before the sentence that says so.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > 22 || (major === 22 && minor >= 13)) {
  const { runCommand } = await import("@toolwright/cli");
  process.exitCode = await runCommand(["init", ...process.argv.slice(2)]);
} else {
  console.error(`create-toolwright needs Node 22.13 or later, and this is Node ${process.versions.node}.`);
  console.error("Fix: install a newer Node (`nvm install 24`), or put one first in PATH.");
  process.exitCode = 1;
}
