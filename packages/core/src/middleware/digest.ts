/** SHA-256 of a text, as hexadecimal digits: tells texts apart without keeping them. */
export function digest(text: string): string {
  // Taken when it is needed: most pipelines never do.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(text).digest("hex");
}
