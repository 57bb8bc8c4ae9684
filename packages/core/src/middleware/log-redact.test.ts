import { describe, expect, it } from "vitest";
import { redactor } from "./log-redact.js";

const value = {
  token: "T-1",
  user: { name: "Ann", password: "P-1", keys: [{ Token: "T-2" }] },
  password: "P-0",
};

describe("redactor", () => {
  it("hides a key of this name at any depth, whatever its case", () => {
    const { value: shown, hidden } = redactor(["token"])(value);
    expect(shown).toEqual({ ...value, token: "[hidden]", user: { ...value.user, keys: [{ Token: "[hidden]" }] } });
    expect([...hidden].sort()).toEqual(["T-1", "T-2"]);
  });

  it("takes * for any one key", () => {
    expect(redactor(["*.password"])(value).value).toEqual({ ...value, user: { ...value.user, password: "[hidden]" } });
  });

  it("takes a longer path", () => {
    expect(redactor(["user.name"])(value).value).toEqual({ ...value, user: { ...value.user, name: "[hidden]" } });
    expect(redactor(["keys.0.token"])(value).value).toEqual({ ...value, user: { ...value.user, keys: [{ Token: "[hidden]" }] } });
  });

  it("hides a whole object, and names all that was in it", () => {
    const { value: shown, hidden } = redactor(["user"])(value);
    expect(shown).toEqual({ ...value, user: "[hidden]" });
    expect([...hidden].sort()).toEqual(["Ann", "P-1", "T-2"]);
  });

  it("does not change the value itself", () => {
    const before = structuredClone(value);
    redactor(["token", "*.password"])(value);
    expect(value).toEqual(before);
  });

  it("gives the same value when there is nothing to hide", () => {
    expect(redactor([])(value).value).toBe(value);
  });

  it("does not go down without end", () => {
    let deep: unknown = "T-9";
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    expect(JSON.stringify(redactor(["token"])(deep).value)).not.toContain("T-9");
  });
});
