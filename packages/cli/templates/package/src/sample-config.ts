/** What an app may set: `allow: { "tools-sample": { config: { … } } }`. */
export class SampleConfig {
  /** What amounts are counted in. */
  unit = "pieces";
}
