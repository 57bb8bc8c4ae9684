// A project as large applications have them: tool files with ten tools each, and as many files with DTO classes.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const workspace = fileURLToPath(new URL("../../", import.meta.url));
const installed = {
  "@toolwright/core": join(workspace, "packages/core"),
  "class-validator": join(workspace, "packages/cli/node_modules/class-validator"),
  "@types/node": dirname(createRequire(join(workspace, "package.json")).resolve("@types/node/package.json")),
};

const toolsPerFile = 10;

function dtoFile(index) {
  return `import { ArrayMaxSize, IsEmail, IsIn, IsInt, IsOptional, Length, Matches, Max, Min, ValidateNested } from "class-validator";

/** How urgent something is. */
export type Urgency${index} = "low" | "normal" | "high";

export enum Channel${index} {
  Mail = "mail",
  Phone = "phone",
  Post = "post",
}

/** A postal address. */
export class Address${index} {
  /** Street and house number. */
  @Length(1, 120) street!: string;
  /** Town or city. */
  city!: string;
  /** Postal code, e.g. 420000. */
  @Matches(/^[0-9A-Z -]{3,10}$/) zip!: string;
  /** Country code of two letters. */
  @IsIn(["RU", "DE", "FR"]) country = "RU";
}

/** One line of an order. */
export class Line${index} {
  /** Article number, e.g. A-17. */
  sku!: string;
  /** How many. */
  @IsInt() @Min(1) @Max(100) count = 1;
  /** Remark for the warehouse. */
  @IsOptional() note?: string;
}

/** An order with its lines. */
export class Order${index} {
  /** Id of the order. */
  id!: string;
  /** Who ordered. */
  @IsEmail() mail!: string;
  /** Where to ship. */
  @ValidateNested() to!: Address${index};
  /** What was ordered. */
  @ValidateNested({ each: true }) @ArrayMaxSize(50) lines!: Line${index}[];
  /** When it must be there. */
  due?: Date;
  urgency?: Urgency${index};
}

export interface Card${index} {
  kind: "card";
  /** Last four digits. */
  digits: string;
}

export interface Transfer${index} {
  kind: "transfer";
  iban: string;
  bank?: { name: string; country?: string };
}

export interface Filter${index} {
  /** Words to look for. */
  text?: string;
  channels?: Channel${index}[];
  payment?: Card${index} | Transfer${index};
  page: number;
}
`;
}

function tool(file, index) {
  const described = `  /**
   * Does the work number ${index} of file ${file}, and tells what became of it.
   *
   * @param reason Why it is done, in one sentence.
   * @param page Which page, from 1.
   */`;
  const common = `@Param("Id of the customer, e.g. C-${index}.") customer: string, @Param("How many days back.") days: number`;
  const optional = `reason = "none", page = ${index + 1}`;
  const forms = [
    `  @Tool({ effect: "read" })
  find${index}(${common}, @Param("What to look for.") filter: Filter${file}, @Param("By which way.") channel: Channel${file}, @Param("How urgent.") urgency: Urgency${file} | null, ${optional}, @Param("At most so many.") limit?: number): string`,
    `  @Tool({ effect: "write", resource: "customer:{customer}" })
  place${index}(${common}, @Param("The order.") order: Order${file}, @Param("How it is paid.") payment: Card${file} | Transfer${file}, ${optional}, @Param("Since when.") since?: Date, context?: ToolContext): string`,
    `  @Tool({ effect: "write" })
  move${index}(${common}, @Param("Old address.") from: Address${file}, @Param("New address.") to: Address${file}, @Param("What changes.") part: Partial<Address${file}>, @Param("Tags.") tags: string[], ${optional}): string`,
    `  @Tool({ effect: "read", maxCalls: 3 })
  count${index}(${common}, @Param("Which lines.") lines: Pick<Line${file}, "sku" | "count">[], @Param("Bounds.") bounds: [number, number], @Param("Both or one.") both: boolean, @Param("Shape of the answer.") form: "short" | "long" | "table" = "short", ${optional}): string`,
    `  @Tool({ effect: "destructive" })
  cancel${index}(${common}, @Param("The lines to cancel.") lines: Line${file}[], @Param("Prices by side.") sides: Record<"net" | "gross", number>, ${optional}, @Param("Where to answer.") answer?: { mail?: string; channel: Channel${file} }): string`,
  ];
  return `${described}\n${forms[index % forms.length]} {\n    return customer + String(days);\n  }\n`;
}

function toolFile(file) {
  const names = ["Address", "Card", "Channel", "Filter", "Line", "Order", "Transfer", "Urgency"].map((name) => `${name}${file}`);
  const types = names.filter((name) => !/^(Address|Line|Order|Channel)/.test(name)).map((name) => `type ${name}`);
  const values = names.filter((name) => /^(Address|Line|Order|Channel)/.test(name));
  const tools = Array.from({ length: toolsPerFile }, (_, index) => tool(file, index));
  return `import { Param, Tool, Toolkit, type ToolContext } from "@toolwright/core";
import { ${[...values, ...types].join(", ")} } from "./dto/dto${file}.js";

@Toolkit({ prefix: "f${file}" })
export class Tools${file} {
${tools.join("\n")}}
`;
}

/** Writes a project with so many tools; \`remove()\` takes it away again. */
export function generateProject(tools) {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "toolwright-bench-")));
  const files = {
    "package.json": JSON.stringify({ name: "bench-app", type: "module" }),
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        ...{ target: "es2022", module: "nodenext", strict: true, experimentalDecorators: true, skipLibCheck: true },
        ...{ rootDir: "src", outDir: "dist", types: ["node"] },
      },
      include: ["src"],
    }),
  };
  for (let file = 0; file < tools / toolsPerFile; file += 1) {
    files[`src/tools${file}.ts`] = toolFile(file);
    files[`src/dto/dto${file}.ts`] = dtoFile(file);
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  for (const [name, folder] of Object.entries(installed)) {
    const link = join(directory, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(folder, link, "dir");
  }
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
