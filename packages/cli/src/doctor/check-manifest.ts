import { isDeepStrictEqual } from "node:util";
import { type PackageManifest, type ToolManifest, ToolwrightError } from "@toolwright/core";
import { buildProject } from "../build-project.js";
import type { BuildResult } from "../build-result.js";
import { manifestsIn } from "../emit/generated-module.js";
import type { BuildProblem } from "../problem.js";
import { type Finding, type PackageJson, textsOf } from "./finding.js";
import type { Patient } from "./patient.js";

const file = "toolwright.manifest.json";
/** Names have 64 characters at most, and an app may put a prefix before them. */
const longestName = 48;
/** Of one definition as it is sent, at every step of every run. */
const largestDefinition = 8_192;

/** Whether the build is up to date, and all that it has to say: descriptions, effects, names. */
export async function checkBuild({ folder }: Patient): Promise<readonly Finding[]> {
  try {
    return findingsOf(await buildProject({ cwd: folder, check: true }));
  } catch (error) {
    if (!ToolwrightError.is(error, "BUILD_CONFIG")) throw error;
    // Its message ends with the fix, which has its own place here.
    const [message = error.message] = error.message.split("\n");
    return [{ code: error.code, severity: "error", file: "tsconfig.json", message, fix: error.fix ?? "" }];
  }
}

function findingsOf(result: BuildResult): readonly Finding[] {
  const told = [...result.problems.map(asFinding("error")), ...result.warnings.map(asFinding("warning"))];
  const stale = result.files.filter(({ state }) => state === "stale").map(({ path }) => path);
  if (stale.length === 0) return told;
  const tools = result.staleTools.length === 0 ? "" : `: ${result.staleTools.join(", ")}`;
  return [
    ...told,
    {
      code: "DOCTOR_STALE",
      severity: "error",
      file: stale[0] ?? file,
      message: `${stale.join(" and ")} ${stale.length === 1 ? "is" : "are"} not what the sources make${tools}.`,
      fix: "Run `npx toolwright build`, compile, and commit what it writes.",
      repair: { kind: "build" },
    },
  ];
}

const asFinding =
  (severity: Finding["severity"]) =>
  ({ code, file: place, line, column, subject, reason, fix }: BuildProblem): Finding => ({
    code: code ?? "BUILD_FAILED",
    severity,
    file: place,
    line,
    column,
    message: `${subject}: ${reason}`,
    fix,
  });

/** Whether the manifest is there, is published, is this package's, and is what the compiled code says. */
export async function checkManifest(patient: Patient): Promise<readonly Finding[]> {
  const manifest = patient.manifest();
  if (manifest === undefined) return [missing(patient)];
  const found: Finding[] = [];
  const { name, version } = patient.packageJson;
  if (manifest.package !== name || manifest.version !== version) {
    found.push({
      code: "DOCTOR_OTHER_MANIFEST",
      severity: "error",
      file,
      message: `The manifest is of ${manifest.package}@${manifest.version}, and the package is ${String(name)}@${String(version)}.`,
      fix: "Run `npx toolwright build` after each change of name or version.",
      repair: { kind: "build" },
    });
  }
  const { files } = await patient.packed();
  if (!files.some(({ path }) => path === file)) found.push(notPublished());
  const compiled = files.find(({ path }) => /(^|\/)toolwright\.generated\.[cm]?js$/.test(path));
  const text = compiled === undefined ? undefined : patient.read(compiled.path);
  const toolkits = text === undefined ? [] : manifestsIn(text);
  if (compiled !== undefined && toolkits.length > 0 && !isDeepStrictEqual(toolkits, manifest.toolkits)) {
    found.push({
      code: "DOCTOR_OLD_CODE",
      severity: "error",
      file: compiled.path,
      message: "The compiled module has other tools than the manifest: a registry would refuse the package at its first call.",
      fix: "Compile again (`npm run build`) before you publish.",
    });
  }
  return [...found, ...checkSecrets(manifest), ...checkTools(manifest.toolkits?.flatMap(({ tools }) => tools) ?? [])];
}

/** A key whose name says that it is a secret, and that would be printed. */
function checkSecrets({ config }: Partial<PackageManifest>): readonly Finding[] {
  const { properties = {} } = (config?.schema ?? {}) as { readonly properties?: object };
  const isSecret = /(key|token|secret|password|passphrase|credentials?)$/i;
  const open = Object.keys(properties).filter((key) => isSecret.test(key) && !(config?.secrets ?? []).includes(key));
  return open.map((key) =>
    about(
      "config",
      "DOCTOR_OPEN_SECRET",
      `${key} looks like a secret, and is not declared as one`,
      `Write \`secrets: [${JSON.stringify(key)}]\` in \`defineToolPackage\`.`,
    ),
  );
}

function checkTools(tools: readonly ToolManifest[]): readonly Finding[] {
  return tools.flatMap(({ name, description, parameters }) => {
    const found: Finding[] = [];
    if (name.length > longestName)
      found.push(
        about(
          name,
          "DOCTOR_LONG_NAME",
          `it has ${name.length} characters; of the 64 that there are, an app's prefix needs some`,
          `Name it with \`@Tool({ name: "…" })\` in at most ${longestName}.`,
        ),
      );
    const size = JSON.stringify({ name, description, parameters }).length;
    if (size > largestDefinition)
      found.push(
        about(
          name,
          "DOCTOR_LARGE_TOOL",
          `its definition has ${size} characters, and is sent at every step of every run`,
          "Split the tool, or take fewer details.",
        ),
      );
    return found;
  });
}

const about = (tool: string, code: string, what: string, fix: string): Finding => ({
  code,
  severity: "warning",
  file,
  message: `${tool}: ${what}.`,
  fix,
});

const missing = (patient: Patient): Finding => ({
  code: "DOCTOR_NO_MANIFEST",
  severity: "error",
  file,
  message:
    patient.read(file) === undefined
      ? "There is no manifest, so that no registry knows the package's tools."
      : "The manifest is no JSON object.",
  fix: 'Run `npx toolwright build`, with "toolwright-tools" among the keywords of the package.json.',
  repair: { kind: "build" },
});

function notPublished(): Finding {
  const change = (packageJson: PackageJson): PackageJson =>
    Array.isArray(packageJson["files"]) ? { ...packageJson, files: [...textsOf(packageJson, "files"), file] } : packageJson;
  return {
    code: "DOCTOR_MANIFEST_NOT_PACKED",
    severity: "error",
    file: "package.json",
    message: "The manifest would not be published.",
    fix: `Add "${file}" to "files", and take it out of .npmignore.`,
    repair: { kind: "package.json", change },
  };
}

/** Whether anything would be published that should not be, or too much of it. */
export async function checkContents(patient: Patient): Promise<readonly Finding[]> {
  const { files, unpackedSize } = await patient.packed();
  const found: Finding[] = [];
  for (const { path } of files) {
    if (/(^|\/)(\.env(\.[\w-]+)?|\.npmrc|id_(rsa|ed25519)|[\w.-]+\.(pem|key|p12))$/.test(path) && !/\.env\.(example|sample)$/.test(path))
      found.push(
        packed(
          path,
          "error",
          "DOCTOR_SECRET_FILE",
          "is a file that usually has secrets, and would be published",
          'Name what is to be published in "files".',
        ),
      );
    else if (/\.(test|spec)\.[cm]?[jt]sx?$|(^|\/)__tests__\//.test(path))
      found.push(packed(path, "warning", "DOCTOR_TEST_FILE", "is a test, and would be published", 'Add "!dist/**/*.test.*" to "files".'));
  }
  if (unpackedSize > 5_000_000)
    found.push(
      packed(
        "package.json",
        "warning",
        "DOCTOR_LARGE_PACKAGE",
        `names ${Math.round(unpackedSize / 1_000_000)} MB of files to publish`,
        'Name what is needed in "files".',
      ),
    );
  return found;
}

const packed = (path: string, severity: Finding["severity"], code: string, what: string, fix: string): Finding => ({
  code,
  severity,
  file: path,
  message: `${path} ${what}.`,
  fix,
});
