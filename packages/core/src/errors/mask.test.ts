import { describe, expect, it } from "vitest";
import { leavesOf, maskSecrets, maskValues } from "./mask.js";

describe("maskSecrets", () => {
  it.each([
    ["connect postgres://app:pw@db.internal:5432/x failed", "pw@"],
    ["connect postgres://app:p@ss/w@db failed", "p@ss"],
    ["connect postgres://app:pa/ss@db failed", "pa/ss"],
    ["connect postgres://app:1234/ss@db failed", "1234/ss"],
    ["fetch https://tok-123@api.example.com/npm failed", "tok-123"],
    ["dial app:pw123@db.internal failed", "pw123"],
    ["401 for key sk-proj-abcDEF_123", "abcDEF"],
    ["header Authorization: Bearer abc.def-123", "abc.def"],
    ["header authorization: basic dXNlcjpwdw==", "dXNlcjpwdw"],
    ["token eyJhbGciOi.eyJzdWIiOi.c2ln was refused", "eyJzdWIi"],
    ["AWS AKIAIOSFODNN7EXAMPLE", "IOSFODNN"],
    ["push with ghp_abcdefghij0123456789", "abcdefghij"],
    ["GET /v1?api_key=T-123&x=1", "T-123"],
    ["refresh_token=T-123", "T-123"],
    ['body {"user":"u","password":"T 123"} refused', "T 123"],
    [String.raw`body "{\"token\":\"T 123\"}" refused`, "T 123"],
    [`{"secret":"${"T 123 ".repeat(300)}"}`, "T 123"],
    ['cut off {"token":"T 123', "T 123"],
    ["pwd: 'T 123'", "T 123"],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----", "MIIabc"],
    ["-----BEGIN PRIVATE KEY-----\nMIIabc cut", "MIIabc"],
  ])("hides the secret of %s", (text, secret) => {
    expect(text).toContain(secret);
    expect(maskSecrets(text)).not.toContain(secret);
    expect(maskSecrets(text)).toContain("[hidden]");
  });

  it.each([
    "connect ECONNREFUSED 127.0.0.1:5432",
    "https://api.example.com/v1/orders?id=7 answered 404",
    "task-list of user@example.com is empty",
    "a basic check of the password failed at 12:30",
    "Unexpected token } in JSON at position 3",
    "at run (file:///srv/app/node_modules/@scope/tools/dist/index.js:10:5)",
    "at run (file:///srv/app/node_modules/.pnpm/@scope+tools@1.0.0/node_modules/@scope/tools/index.js:10:5)",
    String.raw`at run (file:///C:/app/node_modules/@scope/tools/index.js:10:5)`,
    String.raw`at run (C:\app\node_modules\@scope\tools\index.js:10:5)`,
    "GET https://cdn.example.com/npm/@scope/tools@1.0.0/index.js answered 404",
    "GET http://localhost:4873/@scope/tools answered 404",
  ])("leaves %s alone", (text) => {
    expect(maskSecrets(text)).toBe(text);
  });

  it("ends soon whatever the text", () => {
    for (const part of ["a:", "a://", "token=", '"token":"', "sk-", "bearer ", "x@", "eyJaaaaa.", "-----BEGIN PRIVATE KEY-----"]) {
      expect(maskSecrets(part.repeat(20_000 / part.length)).length).toBeGreaterThan(0);
    }
  }, 5_000);
});

describe("maskValues", () => {
  it("hides values, the longest first", () => {
    expect(maskValues("no order A-12345 of A-123", new Set(["A-123", "A-12345"]), "[x]")).toBe("no order [x] of [x]");
  });

  it("hides short values as whole words only", () => {
    expect(maskValues("n is not in none, 7 of 17", new Set(["n", "7"]), "[x]")).toBe("[x] is not in none, [x] of 17");
  });

  it("takes no value for a pattern, in either place", () => {
    expect(maskValues("a.* and $& and [b", new Set(["a.*", "$&", "[b"]), "$&")).toBe("$& and $& and $&");
  });

  it("hides what a text quotes of the beginning of a long value, and a value inside JSON", () => {
    const letter = 'Dear Ms Novak,\nthe account "7" is closed, and so on and so on';
    const values = new Set([letter]);
    expect(maskValues(`bad body: ${letter.slice(0, 30)}…`, values, "[x]")).toBe("bad body: [x]…");
    expect(maskValues(`bad body: ${JSON.stringify({ letter })}`, values, "[x]")).toBe('bad body: {"letter":"[x]"}');
  });
});

describe("leavesOf", () => {
  it("gives texts and numbers at any depth, no keys", () => {
    expect([...leavesOf({ a: ["x", { b: 5 }], c: null, d: true })].sort()).toEqual(["5", "x"]);
  });

  it("is bounded", () => {
    const values = Array.from({ length: 10_000 }, (_, index) => `v${index}`);
    expect(leavesOf(values).size).toBeLessThanOrEqual(5_000);
  });
});
