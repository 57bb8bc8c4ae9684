import { Tool } from "@toolwright/core";
import { IsDate } from "class-validator";
import { afterEach, describe, expect, it } from "vitest";
import { callTool, object, toolkit } from "../support/call-tool.js";

class Event {
  @IsDate() at!: Date;
  @IsDate() end?: Date;
}
const events: Event[] = [];
class Calendar {
  @Tool({ effect: "read" })
  add(event: Event): string {
    events.push(event);
    return event.at.toISOString();
  }
}
const add = toolkit(
  Calendar,
  {
    add: {
      parameters: object({ at: { type: "string", format: "date-time" }, end: { type: ["string", "null"], format: "date-time" } }),
      decode: { dto: "Event", optional: ["end"], properties: { at: { date: true }, end: { date: true } } },
      call: [{ arguments: true }],
    },
  },
  { Event },
);

const zone = process.env["TZ"];
afterEach(() => {
  if (zone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zone;
});

describe.each(["America/Los_Angeles", "Asia/Tokyo"])("V16: dates under TZ=%s", (timeZone) => {
  it.each([
    ["2024-02-31T10:00:00Z"],
    ["2023-02-29T00:00:00Z"],
    ["2024-05-01"],
    ["2024-05-01T10:00:00"],
    ["yesterday"],
    [""],
    [0],
    [1714557600000],
    [null],
    [true],
  ])("refuses %j", async (at) => {
    process.env["TZ"] = timeZone;
    const before = events.length;
    const { issues } = await callTool(add, "add", [JSON.stringify({ at, end: null })]);
    expect(issues).toMatchObject([[{ path: "at" }]]);
    expect(events).toHaveLength(before);
  });

  it("reads full date-times as the moments that they are, and leaves out an absent one", async () => {
    process.env["TZ"] = timeZone;
    const moments = ["2024-05-01T10:00:00Z", "2024-05-01T10:00:00+02:00", "2024-02-29T23:59:59.999-08:00"];
    const before = events.length;
    const { calls } = await callTool(
      add,
      "add",
      moments.map((at) => JSON.stringify({ at, end: null })),
    );
    expect(calls.map(({ outcome }) => outcome)).toMatchObject([
      { output: "2024-05-01T10:00:00.000Z" },
      { output: "2024-05-01T08:00:00.000Z" },
      { output: "2024-03-01T07:59:59.999Z" },
    ]);
    const added = events.slice(before);
    expect(added.map(({ at }) => at.getTime())).toEqual(moments.map((moment) => Date.parse(moment)));
    expect(added.some((event) => "end" in event)).toBe(false);
  });
});
