import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { expectStrict } from "../test-support/expect-strict.js";
import { closed, numberOrNull, orNull, reference, text, textOrNull } from "../test-support/schema-forms.js";
import { temporaryProject } from "../test-support/temporary-project.js";
import { buildProject } from "./build-project.js";
import type { BuildResult } from "./build-result.js";
import { outputsIn } from "./emit/generated-module.js";

const imports = 'import { Output, Tool } from "@toolwright/core";\nimport * as v from "class-validator";\n';

interface Built extends BuildResult {
  readonly text: string;
}

async function build(source: string): Promise<Built> {
  using project = temporaryProject({ "src/a.ts": imports + source });
  const result = await buildProject({ cwd: project.directory, cache: false });
  return { ...result, text: result.ok ? readFileSync(join(project.directory, "src/toolwright.generated.ts"), "utf8") : "" };
}

const tripPlan = `/** One day of a trip. */
export class Day { date!: Date; /** Sights, in order. */ @v.ArrayMaxSize(5) sights!: string[]; note?: string }
/** A plan for one trip. */
@Output()
export class TripPlan {
  /** Where to. */
  city!: string;
  /** Day by day. */
  days!: Day[];
  /** The best one. */
  best?: Day;
  /** In euros. */
  budget = 100;
}
`;

describe("classes with @Output", () => {
  test("have the schema of text.format, and a decode plan that makes instances", async () => {
    const { ok, problems, warnings, outputs, tools, text: module } = await build(tripPlan);
    expect({ ok, problems, warnings, outputs, tools }).toEqual({ ok: true, problems: [], warnings: [], outputs: ["TripPlan"], tools: [] });
    const [output] = outputsIn(module);
    expect(output).toEqual({
      format: 1,
      className: "TripPlan",
      name: "TripPlan",
      description: "A plan for one trip.",
      schema: closed(
        {
          city: { type: "string", description: "Where to." },
          days: { type: "array", description: "Day by day.", items: reference("Day") },
          best: { ...orNull(reference("Day")), description: "The best one." },
          budget: { ...numberOrNull, description: "In euros. Default: 100." },
        },
        {
          $defs: {
            Day: closed(
              {
                date: { type: "string", format: "date-time" },
                sights: { type: "array", description: "Sights, in order.", maxItems: 5, items: text },
                note: textOrNull,
              },
              { description: "One day of a trip." },
            ),
          },
        },
      ),
      decode: {
        optional: ["best", "budget"],
        dto: "TripPlan",
        properties: { days: { items: { ref: "Day" } }, best: { anyOf: [{ ref: "Day" }, null] } },
        defs: { Day: { optional: ["note"], dto: "Day", properties: { date: { date: true } } } },
      },
    });
    if (output !== undefined) expectStrict(output.schema);
    expect(module).toContain('import { registerOutput } from "@toolwright/core/generated";');
    expect(module).toContain('import { Day, TripPlan as TripPlan_ } from "./a.js";');
    expect(module).toMatch(
      /\n\}, \{ classes: \{ Day, TripPlan: TripPlan_ \} \}\);\nexport type TripPlan = InstanceType<typeof TripPlan>;\n$/,
    );
  });

  test("take name and description from the decorator", async () => {
    const { text: module } = await build(`@Output({ name: "answer", description: "What it is." }) export class A { /** It. */ a!: string }
      @Output("Only described.") export class B { /** It. */ b!: string }`);
    expect(outputsIn(module).map(({ name, description }) => [name, description])).toEqual([
      ["answer", "What it is."],
      ["B", "Only described."],
    ]);
  });

  test("may refer to themselves, be generic bases' children, and be what a tool takes", async () => {
    const {
      ok,
      problems,
      text: module,
    } = await build(`export class Page<T> { /** Found. */ items!: T[] }
      /** A tree. */ @Output() export class Tree extends Page<string> { /** Below. */ children!: Tree[] }
      export class A { /** Takes one whole tree. */ @Tool({ effect: "read" }) run(tree: Tree, again: string): void {} }`);
    expect({ ok, problems }).toEqual({ ok: true, problems: [] });
    const [output] = outputsIn(module);
    expect(output?.schema.properties).toEqual({
      children: { type: "array", description: "Below.", items: reference("Tree") },
      items: { type: "array", description: "Found.", items: text },
    });
    expect(output?.decode).toMatchObject({
      dto: "Tree",
      properties: { children: { items: { ref: "Tree" } } },
      defs: { Tree: { dto: "Tree" } },
    });
    expect(module).toContain('import { A as A_, Tree as Tree_ } from "./a.js";');
    expect(module.match(/classes: \{ Tree: Tree_ \}/g)).toHaveLength(2);
  });

  test.each([
    ["not exported", "@Output() class A { a!: string }", "A", /The class A is not exported/],
    ["abstract", "@Output() export abstract class A { a!: string }", "A", /A is abstract/],
    ["without properties", "@Output() export class A { private a = 1 }", "A", /no public data property/],
    ["with type parameters", "@Output() export class A<T> { a!: T }", "A", /cannot have type parameters/],
    ["with a type that no schema can say", "@Output() export class A { a!: Record<string, number> }", "A.a", /free keys/],
    ["without a name", "@Output() export default class { a!: string }", "(class without a name)", /needs a name/],
    ["with a name that the API refuses", '@Output({ name: "a b" }) export class A { a!: string }', "A", /"a b" is not accepted/],
    ["without parentheses", "@Output export class A { a!: string }", "A", /without parentheses/],
    ["with an unknown option", '@Output({ title: "x" } as never) export class A { a!: string }', "A", /`name` and `description`/],
    ["with options that are not constant", "@Output(String(Math.random())) export class A { a!: string }", "A", /not known at build time/],
    [
      "that is a class of tools too",
      'import { Tool as T } from "@toolwright/core"; /** It. */ @Output() export class A { a!: string; /** Does the one thing. */ @T({ effect: "read" }) run(): void {} }',
      "A",
      /both tools and @Output/,
    ],
  ])("are refused when %s", async (_, source, subject, reason) => {
    const { ok, problems } = await build(source);
    expect(ok).toBe(false);
    expect(problems.map((problem) => problem.subject)).toEqual([subject]);
    expect(problems[0]?.reason).toMatch(reason);
  });

  test("two exported classes of one name are refused", async () => {
    using project = temporaryProject({
      "src/a.ts": `${imports}/** One. */ @Output() export class Same { /** It. */ a!: string }`,
      "src/b.ts": `${imports}export class Same { /** Does the one thing. */ @Tool({ effect: "read" }) run(): void {} }`,
    });
    const { problems } = await buildProject({ cwd: project.directory, cache: false });
    expect(problems.map(({ file, subject }) => [file, subject])).toEqual([
      ["src/a.ts", "Same"],
      ["src/b.ts", "Same"],
    ]);
  });

  test("without descriptions are remarked on", async () => {
    const { warnings } = await build("@Output() export class A { a!: string }");
    expect(warnings.map(({ reason }) => reason)).toEqual([
      "The output has no description, so the model has only its name.",
      "`a` has no description, so the model has only its name.",
    ]);
  });
});
