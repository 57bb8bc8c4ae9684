import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { ToolError } from "@toolwright/core";
import { checkStrictSchema, toolContext } from "@toolwright/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { compile, installInto, temporaryFolder } from "../test-support/new-package.js";
import { runHere } from "../test-support/run-in-process.js";
import { buildProject } from "./build-project.js";
import { manifestsIn } from "./emit/generated-module.js";
import { importOpenApi } from "./openapi/import-openapi.js";

const document = (name: string): string => fileURLToPath(new URL(`../test-support/openapi/${name}`, import.meta.url));
const tsconfig = {
  compilerOptions: {
    ...{ target: "es2024", module: "nodenext", rootDir: "src", outDir: "dist", strict: true, exactOptionalPropertyTypes: true },
    ...{ noUncheckedIndexedAccess: true, noUnusedLocals: true, noUnusedParameters: true, verbatimModuleSyntax: true },
    ...{ isolatedModules: true, skipLibCheck: true, experimentalDecorators: true, types: ["node"] },
  },
  include: ["src"],
};

/** A project into which documents are imported. */
function project(): { readonly folder: string; read(path: string): string } {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "app", type: "module" }));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
  installInto(folder);
  return { folder, read: (path) => readFileSync(join(folder, path), "utf8") };
}

/** Imports a document, builds and compiles what was written, and gives what the model would see of each tool. */
async function importAndBuild(folder: string, file: string) {
  const { code, out } = await runHere("import", "openapi", file, "--out", join(folder, "src"), "--json");
  const result = JSON.parse(out) as ReturnType<typeof importOpenApi> & { files: string[]; warnings: string[] };
  const built = await buildProject({ cwd: folder, cache: false });
  expect({ code, problems: built.problems }).toEqual({ code: 0, problems: [] });
  await compile(folder);
  const tools = manifestsIn(readFileSync(join(folder, "src/toolwright.generated.ts"), "utf8")).flatMap((toolkit) => toolkit.tools);
  for (const { parameters } of tools) expect(checkStrictSchema(parameters)).toEqual([]);
  return { ...result, warned: built.warnings, tools };
}

describe("a document of a pet store", () => {
  const { folder, read } = project();
  let imported: Awaited<ReturnType<typeof importAndBuild>>;
  let server: Server;
  let address: string;
  const requests: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[] = [];
  let answer: { status: number; type?: string; body: string; location?: string };
  type Method = (...parameters: readonly unknown[]) => Promise<unknown>;
  let tools: Readonly<Record<"listPets" | "createPet" | "getPet" | "replacePet" | "deletePet", Method>>;
  let others: Readonly<Record<"health", Method>>;
  const secret = "s3cret/key+with=signs";

  beforeAll(async () => {
    imported = await importAndBuild(folder, document("petstore.yaml"));
    server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      const { method = "", url = "", headers } = request;
      requests.push({ method, url, headers, body });
      response.writeHead(answer.status, {
        "content-type": answer.type ?? "application/json",
        connection: "close",
        ...(answer.location !== undefined && { location: answer.location }),
      });
      response.end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const load = (name: string): Promise<Record<string, new (config: object) => never>> =>
      import(pathToFileURL(join(folder, "dist", name)).href);
    const config = { baseUrl: `${address}/v1/`, apiKey: secret };
    tools = new ((await load("pets-tools.js"))["PetsTools"] as never as new (config: object) => typeof tools)(config);
    others = new ((await load("pet-store-tools.js"))["PetStoreTools"] as never as new (config: object) => typeof others)({
      baseUrl: address,
    });
  }, 60_000);
  beforeEach(() => {
    requests.length = 0;
    answer = { status: 200, body: '{"ok":true}' };
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  test("becomes tools with the effects of their methods, and nothing is left out", () => {
    expect(imported.notes).toEqual([]);
    expect(imported.tools.map(({ name, effect, idempotent }) => [name, effect, idempotent ?? false])).toEqual(
      [
        ["list_pets", "read", false],
        ["create_pet", "write", false],
        ["get_pet", "read", false],
        ["replace_pet", "write", true],
        ["delete_pet", "destructive", true],
        ["health", "read", false],
      ].sort(
        (one, other) => imported.tools.findIndex(({ name }) => name === one[0]) - imported.tools.findIndex(({ name }) => name === other[0]),
      ),
    );
    expect(imported.toolkits.map(({ className }) => className)).toEqual(["PetsTools", "PetStoreTools"]);
    expect(imported.declaration).toBe(
      'export default defineToolPackage({ config: PetStoreConfig, secrets: ["apiKey"], needs: { hosts: ["eu.petstore.example"] }, create: (config) => [new PetsTools(config), new PetStoreTools(config)] });',
    );
    expect(read("src/pet-store-config.ts")).toContain('baseUrl = "https://eu.petstore.example/v1";');
  });

  test("parameters and bodies keep their rules, and what only answers have is no argument", () => {
    const parameters = (name: string) => imported.tools.find((tool) => tool.name === name)?.parameters.properties;
    expect(parameters("list_pets")).toMatchObject({
      limit: { type: ["number", "null"], description: "How many at most. Default: 20.", minimum: 1, maximum: 100, multipleOf: 1 },
      status: { items: { enum: ["available", "sold"] } },
    });
    const pet = parameters("create_pet")?.["body"];
    expect(Object.keys(pet?.properties ?? {})).toEqual(["name", "born", "tags", "owner"]);
    expect(pet?.properties?.["born"]).toMatchObject({ format: "date" });
  });

  test("a request is what the document says", async () => {
    expect(await tools.listPets({ limit: 5, status: ["sold", "available"], tagIds: [1, 2] }, toolContext())).toEqual({ ok: true });
    await tools.replacePet({ petId: "a/b ?#", body: { name: "Rex", owner: null } }, toolContext());
    await others.health(toolContext());
    expect(requests).toMatchObject([
      { method: "GET", url: "/v1/pets?limit=5&status=sold&status=available&tag-ids=1%2C2", headers: { "x-api-key": secret }, body: "" },
      {
        method: "PUT",
        url: "/v1/pets/a%2Fb%20%3F%23",
        headers: { "content-type": "application/json" },
        body: '{"name":"Rex","owner":null}',
      },
      { method: "GET", url: "/health" },
    ]);
    expect(requests[2]?.headers).not.toHaveProperty("x-api-key");
  });

  test.each(["..", ".", ""])("an id of %j cannot lead to another path", async (petId) => {
    await expect(tools.deletePet({ petId }, toolContext())).rejects.toMatchObject({ code: "PET_STORE_ARGUMENT" });
    expect(requests).toEqual([]);
  });

  test.each([
    [404, false],
    [429, true],
    [503, true],
  ])("status %d of a read is a ToolError with it, and no secret in its words", async (status, retryable) => {
    answer = { status, body: `no such pet; your key was ${secret} (${encodeURIComponent(secret)})` };
    const error: unknown = await tools.getPet({ petId: "1" }, toolContext()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ToolError);
    expect(error).toMatchObject({ code: `PET_STORE_HTTP_${status}`, retryable });
    expect((error as Error).message).toContain(`status ${status}): no such pet; your key was [secret] ([secret])`);
  });

  test("of a write that may have happened it is no ToolError, so that its outcome is unknown", async () => {
    answer = { status: 502, body: "bad gateway" };
    const error: unknown = await tools.createPet({ body: { name: "Rex" } }, toolContext()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(ToolError);
    answer = { status: 422, body: "no" };
    await expect(tools.createPet({ body: { name: "Rex" } }, toolContext())).rejects.toMatchObject({ code: "PET_STORE_HTTP_422" });
  });

  test("without its secret a call says which is missing, and sends nothing", async () => {
    const { PetsTools } = (await import(pathToFileURL(join(folder, "dist/pets-tools.js")).href)) as {
      PetsTools: new (config: object) => typeof tools;
    };
    await expect(new PetsTools({ baseUrl: address }).getPet({ petId: "1" }, toolContext())).rejects.toMatchObject({
      code: "PET_STORE_CREDENTIALS",
      message: expect.stringContaining("has not configured apiKey") as string,
    });
    expect(requests).toEqual([]);
  });

  test("the call's signal ends a request, and the secret is not printed", async () => {
    const stop = new AbortController();
    stop.abort(new Error("enough"));
    await expect(tools.getPet({ petId: "1" }, toolContext({ signal: stop.signal }))).rejects.toThrow("enough");
    expect(inspect(tools, { depth: 10, showHidden: true })).not.toContain(secret);
  });

  test("an answer that leads elsewhere is not followed, text is text, nothing is null", async () => {
    answer = { status: 302, body: "", location: "/v1/pets" };
    await expect(tools.getPet({ petId: "1" }, toolContext())).rejects.toMatchObject({ code: "PET_STORE_UNREACHABLE" });
    expect(requests).toHaveLength(1);
    answer = { status: 200, type: "text/plain", body: "fine" };
    expect(await tools.getPet({ petId: "1" }, toolContext())).toBe("fine");
    answer = { status: 204, body: "" };
    expect(await tools.deletePet({ petId: "1" }, toolContext())).toBeNull();
    answer = { status: 200, type: "image/png", body: "1234" };
    expect(await tools.getPet({ petId: "1" }, toolContext())).toEqual({ contentType: "image/png", bytes: 4 });
    answer = { status: 200, body: "x".repeat(2_000_001) };
    await expect(tools.getPet({ petId: "1" }, toolContext())).rejects.toMatchObject({ code: "PET_STORE_TOO_LARGE" });
  });
});

describe("a document of everything odd", () => {
  const { folder, read } = project();
  let imported: Awaited<ReturnType<typeof importAndBuild>>;
  beforeAll(async () => void (imported = await importAndBuild(folder, document("nasty.json"))), 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("tells all that did not become a tool, or not as it says", () => {
    expect(imported.notes.map(({ kind, where, reason }) => `${kind}  ${where}: ${reason}`)).toEqual(
      readFileSync(document("nasty.notes.txt"), "utf8").trimEnd().split("\n"),
    );
  });

  test("names are identifiers, and no two are one", () => {
    const methods = imported.toolkits.flatMap((toolkit) => toolkit.methods);
    expect(methods).toEqual(expect.arrayContaining(["listThings", "listThings2", "callConstructor", "login"]));
    expect(new Set(imported.tools.map(({ name }) => name)).size).toBe(methods.length);
    const { properties } = imported.tools.find(({ name }) => name === "list_things")?.parameters ?? {};
    expect(Object.keys(properties ?? {})).toEqual(["filterName", "filter", "xTraceId", "xTraceId2", "where", "class", "query42", "ids"]);
  });

  test("kinds of an object are told apart, a type may refer to itself, null stays null", () => {
    const types = read("src/world-of-things-x-types.ts");
    expect(types).toMatch(/export interface Circle \{\n {2}kind: "round";/);
    expect(types).toMatch(/export interface Square \{\n {2}kind: "Square";\n {2}side: number;\n {2}inner\?: Circle \| Square;/);
    expect(types).toContain("left?: Tree | null;");
    expect(types).toContain('class?: "a" | "b" | null;');
  });

  test("a key of idempotency is the call's own, and makes a write idempotent", () => {
    expect(imported.tools.find(({ name }) => name === "list_things2")).toMatchObject({ effect: "write", idempotent: true });
    expect(read("src/world-of-things-x-tools.ts")).toContain('"Idempotency-Key": context.idempotencyKey');
  });
});

describe("the command toolwright import openapi", () => {
  let folder: string;
  const write = (path: string, text: string | object): string => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), typeof text === "string" ? text : JSON.stringify(text));
    return join(folder, path);
  };
  const minimal = (more: object = {}): object => ({ openapi: "3.0.0", info: { title: "T", version: "1" }, paths: {}, ...more });
  const withBody = (schema: object): object =>
    minimal({
      paths: {
        "/a": {
          post: {
            operationId: "a",
            requestBody: { required: true, content: { "application/json": { schema } } },
            responses: { 200: { description: "ok" } },
          },
        },
      },
    });
  beforeEach(() => void (folder = temporaryFolder()));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test.each([
    ["an address", () => "https://api.example/openapi.json", "is an address, and nothing is fetched"],
    ["a file that is not there", () => join(folder, "none.yaml"), "There is no "],
    ["what is no document", () => write("a.yaml", "{ [ :"), "cannot be read"],
    [
      "Swagger 2",
      () => write("a.json", { swagger: "2.0", info: { title: "T", version: "1" }, paths: {} }),
      "no OpenAPI 3 document but one of Swagger 2",
    ],
    ["an invalid document", () => write("a.json", { openapi: "3.0.0", info: {}, paths: {} }), "is no valid OpenAPI document"],
    [
      "a reference to an address",
      () => write("a.json", withBody({ $ref: "http://127.0.0.1:9/x.json" })),
      "refers to http://127.0.0.1:9/x.json, and nothing is fetched",
    ],
    [
      "a reference out of the folder",
      () => (write("secret.json", {}), write("api/a.json", withBody({ $ref: "../secret.json" }))),
      "which is outside of its folder",
    ],
  ])("refuses %s, and writes nothing", async (_, file, sentence) => {
    const { code, out, error } = await runHere("import", "openapi", file(), "--out", join(folder, "out"));
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(error).toContain(sentence);
  });

  test("reads files beside the document", async () => {
    write("api/schemas/new.yaml", "type: object\nrequired: [name]\nproperties: { name: { type: string } }\n");
    const file = write("api/a.json", withBody({ $ref: "schemas/new.yaml" }));
    expect((await runHere("import", "openapi", file, "--out", join(folder, "out"))).code).toBe(0);
    expect(readFileSync(join(folder, "out/t-types.ts"), "utf8")).toContain("name: string;");
  });

  test("overwrites nothing", async () => {
    const file = write("a.json", withBody({ type: "object", properties: { b: { type: "string" } } }));
    write("out/t-config.ts", "mine");
    const { code, error } = await runHere("import", "openapi", file, "--out", join(folder, "out"));
    expect(code).toBe(1);
    expect(error).toContain("there is already: t-config.ts\nNothing was written.");
    expect(readFileSync(join(folder, "out/t-config.ts"), "utf8")).toBe("mine");
  });

  test("says so when no operation can be a tool", async () => {
    const file = write("a.json", withBody({ type: "object", additionalProperties: true }));
    expect(await runHere("import", "openapi", file, "--out", join(folder, "out"))).toEqual({
      code: 1,
      out: "",
      error: "skipped  POST /a: body: it is an object with free keys\nNo operation of the document can be a tool; nothing was written.",
    });
  });

  test.each([
    [{ allOf: [{ type: "string" }, { type: "integer" }] }, "it would have to be both string and integer"],
    [{ allOf: [{ enum: ["a"] }, { enum: ["b"] }] }, "no value is in both of its lists"],
    [{ type: "array" }, "it is a list of anything"],
    [{ $ref: "#/components/schemas/None" }, undefined],
    [{ enum: [{ a: 1 }] }, "its values are no plain ones"],
  ])("%j is skipped with its reason", (schema, reason) => {
    const { notes, files } = importOpenApi(withBody(schema) as never);
    expect(files).toEqual([]);
    expect(notes[0]).toMatchObject({
      kind: "skipped",
      where: "POST /a",
      reason: expect.stringContaining(reason ?? "names nothing") as string,
    });
  });
});
