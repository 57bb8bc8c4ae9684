import { reply, startResponsesServer } from "@toolwright/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { type Finished, runCompiled, standInLine } from "../test-support/run-compiled.js";

const sectionsOf = ({ stdout }: Finished): string[][] => stdout.split(/\n== /).map((section) => section.trimEnd().split("\n"));

describe("09-structured-output", () => {
  let result: Finished;
  beforeAll(async () => {
    result = await runCompiled("09-structured-output");
  });

  it("says that a stand-in answers, and ends well", () => {
    expect(result.stderr).toBe("");
    expect(result.exitCode).toBe(0);
    expect(result.stdout.startsWith(standInLine)).toBe(true);
  });

  it("shows an answer as it comes, and then as an instance of its class", () => {
    const section = sectionsOf(result)[1] ?? [];
    const parts = section.filter((line) => line.startsWith("so far"));
    // How many parts there are is a matter of time; each is more than the one before, and the last one is whole.
    expect(parts.length).toBeGreaterThan(1);
    expect(parts).toEqual([...new Set(parts)].toSorted());
    expect(parts.at(-1)).toBe("so far   days: 2, stops: 3");
    expect(section.filter((line) => !parts.includes(line))).toEqual([
      "a class",
      "> Plan two days in Kazan from 1 June 2026.",
      "TripPlan: Kazan, 285 minutes of sights",
      "2026-06-01  09:30 Old town (120 min), 12:00 Museum of history (90 min)",
      "2026-06-02  10:00 River walk (75 min)",
      "Museums are closed on Mondays.",
    ]);
  });

  it("takes a schema as well", () => {
    expect(sectionsOf(result)[2]).toEqual([
      "a schema",
      "> What do I pack for two rainy days in Kazan? Two or three things.",
      '{"things":[{"name":"umbrella","count":1},{"name":"pair of shoes","count":2}]}',
    ]);
  });

  it("gives an answer back that does not fit, with what is wrong", () => {
    const section = sectionsOf(result)[3] ?? [];
    expect(section[1]).toMatch(/^told {5}Your answer does not fit .*days\[?\.?0\]?.*stops.*minutes.*\. Give the whole answer again/);
    expect(section.slice(2)).toEqual(["steps    2", "TripPlan: Kazan, 45 minutes of sights", "2026-06-01  09:30 Kremlin (45 min)"]);
  });

  it("asks a real model for the format of the class", async () => {
    const plan = { city: "Sochi", days: [{ date: "2026-07-01T00:00:00Z", stops: [] }], hint: null };
    await using server = await startResponsesServer([reply.text(JSON.stringify(plan)), reply.text('{"things":[]}')]);
    const env = { OPENAI_API_KEY: "test", OPENAI_BASE_URL: server.url };
    const { exitCode, stdout } = await runCompiled("09-structured-output", ["A day in Sochi."], env);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("TripPlan: Sochi, 0 minutes of sights\n2026-07-01  \n");
    expect(server.request(0).body.text).toMatchObject({ format: { type: "json_schema", name: "TripPlan", strict: true } });
    expect(server.request(1).body.text).toMatchObject({ format: { name: "packing_list" } });
    server.assertDone();
  });
});
