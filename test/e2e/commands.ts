/** The programs that the tests run: kubectl, and rollstamp as it ships. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { inRoot } from "../support/paths.ts";
import { type Cluster, install } from "./cluster.ts";

export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Who merges an apply: kubectl, by the last-applied annotation, or the server, by field owners. */
export type ApplyMode = "client" | "server";

export const APPLY_MODES: readonly ApplyMode[] = ["client", "server"];

const MODE_FLAGS: Readonly<Record<ApplyMode, readonly string[]>> = {
  client: [],
  server: ["--server-side", "--field-manager=e2e"],
};

/**
 * kubectl knows the built-in kinds by itself: without the server's schema, which takes it a second
 * to read each time, its patches of them are the same.
 */
export const QUICK: readonly string[] = ["--validate=false", "--openapi-patch=false"];

let kubectlPath: string | undefined;

/** Runs kubectl as an administrator; the caller judges the status. */
export function kubectl(cluster: Cluster, args: readonly string[], input = ""): Promise<Ran> {
  // What kubectl caches of a server it keeps under the server's address: of no use after the test.
  const common = [`--kubeconfig=${cluster.kubeconfig}`, `--cache-dir=${join(cluster.folder, "kubectl")}`];
  kubectlPath ??= install("kubectl.sh");
  return run(kubectlPath, [...common, ...args], input);
}

/** Applies manifests; a refusal is an error with kubectl's words. */
export async function apply(
  cluster: Cluster,
  mode: ApplyMode,
  manifests: string,
  namespace = "default",
  flags: readonly string[] = QUICK,
): Promise<void> {
  const args = ["apply", ...MODE_FLAGS[mode], ...flags, ...within(namespace), "-f", "-"];
  succeeded(`kubectl ${args.join(" ")}`, await kubectl(cluster, args, manifests));
}

/** What another apply would change; empty for nothing. */
export async function diff(
  cluster: Cluster,
  mode: ApplyMode,
  manifests: string,
  namespace = "default",
): Promise<string> {
  const args = ["diff", ...MODE_FLAGS[mode], ...within(namespace), "-f", "-"];
  const ran = await kubectl(cluster, args, manifests);
  // Status 1 means differences; a higher status means an error.
  return ran.status > 1 ? succeeded(`kubectl ${args.join(" ")}`, ran) : ran.stdout;
}

/** kubectl refuses objects of other namespaces where one is given, be it the default. */
function within(namespace: string): readonly string[] {
  return namespace === "default" ? [] : ["--namespace", namespace];
}

/** Runs the shipped command; `nodeArgs` are for Node itself. */
export function rollstamp(args: readonly string[], input = "", nodeArgs: readonly string[] = []): Promise<Ran> {
  return run(process.execPath, [...nodeArgs, inRoot("dist/rollstamp.cjs"), ...args], input);
}

/** A command that watches. */
export interface Watching {
  /** The next line of its standard output. */
  readonly line: () => Promise<string>;
  /** How it ended, with the lines that nobody has read. */
  readonly ended: () => Promise<Ran>;
}

/** Starts the shipped command. */
export function startRollstamp(args: readonly string[]): Watching {
  const child = spawn(process.execPath, [inRoot("dist/rollstamp.cjs"), ...args], { stdio: ["ignore", "pipe", "pipe"] });
  // What watches for ever must not outlive the test.
  process.once("exit", () => child.kill("SIGKILL"));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const stderr: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  const status = new Promise<number>((done, fail) => {
    child.once("error", fail);
    child.once("close", (code) => done(code ?? -1));
  });
  const said = (): string => Buffer.concat(stderr).toString("utf8");
  return {
    line: async () => {
      const { done, value } = await lines.next();
      if (done === true) throw new Error(`no further line: ${said()}`);
      return value;
    },
    ended: async () => {
      let stdout = "";
      for (let next = await lines.next(); next.done !== true; next = await lines.next()) stdout += `${next.value}\n`;
      return { status: await status, stdout, stderr: said() };
    },
  };
}

/** The manifests with their stamps. */
export async function stamp(manifests: string): Promise<string> {
  return succeeded("rollstamp", await rollstamp([], manifests));
}

/** The output of a program that must have succeeded. */
export function succeeded(what: string, { status, stdout, stderr }: Ran): string {
  if (status !== 0) throw new Error(`${what}: status ${status}\n${stderr}`);
  return stdout;
}

/** Runs a program to its end; the caller judges the status. */
export function run(
  program: string,
  args: readonly string[],
  input = "",
  env: NodeJS.ProcessEnv = process.env,
): Promise<Ran> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], env });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    child.once("error", fail);
    child.once("close", (code) => {
      const text = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString("utf8");
      done({ status: code ?? -1, stdout: text(stdout), stderr: text(stderr) });
    });
    // A program that fails early does not read its input: its status tells, not the broken pipe.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}
