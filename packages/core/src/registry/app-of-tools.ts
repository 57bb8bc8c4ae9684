/** What one tool's context needs, as a function of it: in this position, what several need adds up. */
type Need<Tool> = Tool extends { readonly "~toolwright": { readonly app: (app: infer App) => void } }
  ? (app: App) => void
  : Tool extends { readonly "~toolwright.tools": { readonly app?: ((app: infer App) => void) | undefined } }
    ? (app: App) => void
    : never;

/** What the contexts of all these tools need at once; `unknown` when none needs anything. */
export type AppOfTools<Tools extends readonly unknown[]> = [Need<Tools[number]>] extends [never]
  ? unknown
  : Need<Tools[number]> extends (app: infer App) => void
    ? App
    : unknown;
