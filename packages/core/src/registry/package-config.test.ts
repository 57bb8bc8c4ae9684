import { Type } from "class-transformer";
import { IsInt, IsOptional, IsString, ValidateNested } from "class-validator";
import { describe, expect, it } from "vitest";
import { ToolwrightError } from "../index.js";
import { makeConfig } from "./package-config.js";

class Database {
  @IsString()
  host = "localhost";

  @IsInt()
  port!: number;
}

class Config {
  @IsString()
  key!: string;

  @IsOptional()
  @ValidateNested()
  @Type(() => Database)
  database?: Database;

  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => Database)
  replicas?: Database[];
}

async function messageOf(given: object | undefined): Promise<string> {
  const error: unknown = await makeConfig("p", { config: Config, environment: undefined }, given).catch((reason: unknown) => reason);
  if (!ToolwrightError.is(error, "REGISTRY_CONFIG")) throw new Error("It did not fail as it should.", { cause: error });
  return error.message;
}

describe("a configuration whose class has rules", () => {
  it("comes as instances, its parts too", async () => {
    const config = (await makeConfig(
      "p",
      { config: Config, environment: undefined },
      { key: "k", database: { port: 5 }, replicas: [{ host: "a", port: 6 }] },
    )) as Config;
    expect(config).toBeInstanceOf(Config);
    expect(config.database).toBeInstanceOf(Database);
    expect(config.database).toEqual({ host: "localhost", port: 5 });
    expect(config.replicas?.[0]).toBeInstanceOf(Database);
  });

  it.each<readonly [object | undefined, string]>([
    [undefined, 'there is none, and it does not hold without: key (isString).\nFix: Give `config` in `allow["p"]`.'],
    [{ key: 5 }, 'it does not hold: key (isString).\nFix: Correct `config` in `allow["p"]`.'],
    [{ key: "k", kez: "secret" }, "kez (there is no such key, or it has no class-validator decorator)"],
    [{ key: "k", database: { port: "secret" } }, "database (a part of it)"],
    [{ key: "k", replicas: [{ port: 1 }, { port: "secret" }] }, "replicas (a part of it)"],
    [{ key: "k", database: "secret" }, "database"],
  ])("names the keys that do not hold, and no value: %j", async (given, text) => {
    const message = await messageOf(given);
    expect(message).toContain("The configuration of p is wrong: ");
    expect(message).toContain(text);
    expect(message).not.toContain("secret");
  });
});

it("takes a declared field that has no rule", async () => {
  class Loose {
    @IsString()
    url = "";

    note = "";
  }
  expect(await makeConfig("p", { config: Loose, environment: undefined }, { url: "u" })).toEqual({ url: "u", note: "" });
  expect(await makeConfig("p", { config: Loose, environment: undefined }, { url: "u", note: "n" })).toEqual({ url: "u", note: "n" });
});
