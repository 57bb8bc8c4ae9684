import { reply, startResponsesServer } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { runCompiled, standInLine } from "../test-support/run-compiled.js";

const tables = `One package is allowed, the other one only installed:
package                          state      tool            effect       offered as    why not
@toolwright/tools-orders 0.1.0   installed  get_delivery    read         -             the package is not allowed
                                            get_stock       read         -             the package is not allowed
                                            search_orders   read         -             the package is not allowed
                                            cancel_order    destructive  -             the package is not allowed
                                            change_address  write        -             the package is not allowed
@toolwright/tools-weather 0.1.0  offered    get_weather     read         get_weather
                                            get_forecast    read         get_forecast

Both are allowed, but not all of their tools:
package                          state    tool            effect       offered as          why not
@toolwright/tools-orders 0.1.0   offered  get_delivery    read         shop_get_delivery
                                          get_stock       read         shop_get_stock
                                          search_orders   read         shop_search_orders
                                          cancel_order    destructive  -                   its effect, destructive, is not among the allowed \`effects\`
                                          change_address  write        -                   its effect, write, is not among the allowed \`effects\`
@toolwright/tools-weather 0.1.0  offered  get_weather     read         get_weather
                                          get_forecast    read         -                   it is not among the allowed \`tools\`
`;
// The packages' versions are theirs to change.
const withoutVersions = (text: string): string => text.replaceAll(/(tools-\w+) \d+\.\d+\.\d+\S*/g, "$1 0.1.0");

describe("06-tool-package", () => {
  it("lists both packages from their manifests, and imports them only when they are called", async () => {
    const { exitCode, stdout, stderr } = await runCompiled("06-tool-package");
    expect(stderr).toBe("");
    expect(exitCode).toBe(0);
    const at = stdout.indexOf(standInLine);
    expect(withoutVersions(stdout.slice(0, at))).toBe(tables);
    expect(stdout.slice(at)).toBe(
      `${standInLine}
The agent is ready. Imported so far: nothing.
> What is the weather in Kazan, and how many of BOOK-1 are in stock?
get_weather({"city":"Kazan"}) → ok
shop_get_stock({"sku":"BOOK-1"}) → ok
Imported for that: @toolwright/tools-orders, @toolwright/tools-weather.
Kazan: +12 °C, cloudy.
BOOK-1: 12 in stock.
`,
    );
  });

  it("imports only the package that is called", async () => {
    const { stdout } = await runCompiled("06-tool-package", ["When do orders A and B arrive?"]);
    expect(stdout).toContain("Imported for that: @toolwright/tools-orders.\nOrder A arrives in 2 days.\nOrder B arrives in 5 days.\n");
  });

  it("offers what is allowed and nothing else: a call of another tool runs nothing", async () => {
    await using server = await startResponsesServer([
      reply.calls({ name: "shop_cancel_order", arguments: { orderId: "F", reason: null } }),
      reply.text("That is not possible."),
    ]);
    const env = { OPENAI_API_KEY: "test", OPENAI_BASE_URL: server.url };
    const { exitCode, stdout } = await runCompiled("06-tool-package", ["Cancel order F."], env);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("shop_cancel_order(undefined) → invalid\nImported for that: nothing.\nThat is not possible.\n");
    server.assertDone();
    expect(server.request(0).body.tools?.map(({ name }) => name)).toEqual([
      "shop_get_delivery",
      "shop_get_stock",
      "shop_search_orders",
      "get_weather",
    ]);
  });

  it("refuses a weather service that there is not", async () => {
    const { exitCode, stderr } = await runCompiled("06-tool-package", [], { WEATHER: "sunny" });
    expect(exitCode).toBe(1);
    expect(stderr).toBe('WEATHER is "sunny". Set it to "sample" or "live".\n');
  });
});
