import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { mustRun, run } from "./packed.js";

/** A registry on this machine, with a folder of its own. It ends with the scope, or with the process that started it. */
export interface LocalRegistry extends AsyncDisposable {
  /** With a slash at the end. */
  readonly url: string;
  /** Settings for npm and pnpm: our packages come from here, and so does everything else, by way of the usual registry. */
  readonly everything: string;
  /** The same, but for others' packages: these come from the usual registry directly. */
  readonly ours: string;
  /** Publishes a tarball, or the package in a folder. */
  publish(what: string, cwd?: string): Promise<void>;
}

/** Starts a registry with nothing in it. */
export async function startLocalRegistry(folder: string): Promise<LocalRegistry> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "config.yaml"), "");
  // Where this machine's packages come from is a setting of the machine.
  const others = (await mustRun("npm", ["config", "get", "registry"], folder)).trim();
  const script = fileURLToPath(new URL("fixtures/registry.mjs", import.meta.url));
  const child = spawn(process.execPath, [script, folder, others], { stdio: ["pipe", "pipe", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => line.startsWith("http://") && resolve(line));
    void ended.then(() => reject(new Error(`The registry ended before it listened.\n${said}`)));
  });
  const settings = await writeSettings(folder, url);
  return {
    url,
    ...settings,
    async publish(what, cwd = folder) {
      const { code, stdout, stderr } = await run(
        "npm",
        ["publish", what, "--registry", url, "--access", "public"],
        cwd,
        userConfig(settings.everything),
      );
      if (code !== 0) throw new Error(`${what} was not published:\n${stdout}${stderr}`);
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}

/** The environment in which npm and pnpm read these settings instead of the user's own. */
export const userConfig = (file: string): NodeJS.ProcessEnv => ({
  npm_config_userconfig: file,
  npm_config_audit: "false",
  npm_config_fund: "false",
});

async function writeSettings(folder: string, url: string): Promise<{ readonly everything: string; readonly ours: string }> {
  const host = url.replace(/^http:/, "");
  // The setting by which npm proves who publishes; the registry gives the proof to whoever asks first.
  const proof = `${host}:_auth${"Token"}=${await registerPublisher(url)}\n`;
  const common = `${proof}update-notifier=false\naudit=false\nfund=false\n`;
  const files = { everything: join(folder, "everything.npmrc"), ours: join(folder, "ours.npmrc") };
  await writeFile(files.everything, `registry=${url}\n${common}`);
  await writeFile(files.ours, `@toolwright:registry=${url}\n@acme:registry=${url}\n${common}`);
  return files;
}

async function registerPublisher(url: string): Promise<string> {
  const response = await fetch(`${url}-/user/org.couchdb.user:publisher`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "publisher", password: "only-on-this-machine" }),
  });
  const { token } = (await response.json()) as { token?: string };
  if (token === undefined) throw new Error(`The registry took no publisher (status ${response.status}).`);
  return token;
}
