import { expect, expectTypeOf, test } from "vitest";
import { Output } from "../authoring/output.js";
import { type OutputFromGeneratedModule, type OutputManifest, outputRecord, registerOutput } from "./output-table.js";

const manifest = (more: Partial<OutputManifest> = {}): OutputManifest => ({
  format: 1,
  className: "TripPlan",
  name: "TripPlan",
  schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false },
  decode: { dto: "TripPlan" },
  ...more,
});

function tripPlan(options?: Parameters<typeof Output>[0]) {
  class TripPlan {
    city!: string;
  }
  Output(options)(TripPlan);
  return TripPlan;
}

test("a registered class is the same class, with its record and the mark in its type", () => {
  const TripPlan = tripPlan();
  const registered = registerOutput(TripPlan, manifest(), { classes: { TripPlan } });
  expect(registered).toBe(TripPlan);
  expect(outputRecord(TripPlan)).toEqual({ manifest: manifest(), classes: { TripPlan } });
  expectTypeOf(registered).toExtend<OutputFromGeneratedModule>();
  expectTypeOf(new registered().city).toEqualTypeOf<string>();
  expectTypeOf(TripPlan).not.toExtend<OutputFromGeneratedModule>();
});

test("a subclass is another output, and has no record of its own", () => {
  const TripPlan = tripPlan();
  registerOutput(TripPlan, manifest(), { classes: { TripPlan } });
  expect(outputRecord(class extends TripPlan {})).toBeUndefined();
});

test("options that the decorator records are those of the manifest", () => {
  const TripPlan = tripPlan({ name: "plan", description: "A plan. " });
  const built = manifest({ name: "plan", description: "A plan." });
  expect(registerOutput(TripPlan, built, { classes: { TripPlan } })).toBe(TripPlan);
  const Described = tripPlan("A plan.");
  expect(registerOutput(Described, manifest({ description: "A plan." }), { classes: { TripPlan: Described } })).toBe(Described);
});

test.each([
  [
    "no decorator",
    class TripPlan {
      city = "";
    },
    /has no @Output any more/,
  ],
  ["another name", tripPlan({ name: "other" }), /`name` of @Output has changed/],
  ["another description", tripPlan("Something else."), /`description` of @Output has changed/],
])("%s is a module that is out of date", (_, TripPlan, message) => {
  expect(() => registerOutput(TripPlan, manifest(), { classes: { TripPlan } })).toThrow(message);
  expect(outputRecord(TripPlan)).toBeUndefined();
});
