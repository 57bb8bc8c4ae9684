/** What the variable WEATHER asks for: `sample` (default), which needs no network, or `live`. */
export function weatherChoice(): "sample" | "live" {
  const wanted = process.env["WEATHER"]?.trim() || "sample";
  if (wanted === "sample" || wanted === "live") return wanted;
  throw new Error(`WEATHER is "${wanted}". Set it to "sample" or "live".`);
}
