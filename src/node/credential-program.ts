import { accessSync, constants } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import process from "node:process";
import type { Environment } from "../platform/ports/environment.ts";
import { fieldsOf, listOf, textOf, textsOf, type Entry } from "./kube-config-files.ts";
import { runChild } from "./processes.ts";

/** What a program returns as an ExecCredential: a token, a certificate with its key, or both. */
export interface Credential {
  readonly token: string;
  /** PEM, as is the key. */
  readonly certificate: string;
  readonly key: string;
}

export interface ProgramOptions {
  readonly environment: Environment;
  readonly timeoutMs: number;
}

/** No credential is longer. */
const MOST = 1 << 20;

/**
 * Returns the credential of a user's `exec` command, which runs again when the credential has expired. A program may wait for
 * a person who is not there, print without end, or leave a child: runChild ends it. Throws an Error.
 */
export function credentialProgram({ fields, file }: Entry, options: ProgramOptions): () => Promise<Credential> {
  const exec = fieldsOf(fields["exec"]);
  const variables = listOf(exec["env"]).map((item) => [
    textOf(fieldsOf(item), "name"),
    textOf(fieldsOf(item), "value"),
  ]);
  const info = { kind: "ExecCredential", apiVersion: textOf(exec, "apiVersion"), spec: { interactive: false } };
  const program = programOf(textOf(exec, "command"), options.environment, file);
  const args = textsOf(exec, "args");
  const environment = {
    ...options.environment,
    ...Object.fromEntries(variables),
    KUBERNETES_EXEC_INFO: JSON.stringify(info),
  };
  let last: Returned | undefined;
  return async () => {
    if (last === undefined || !(last.until > Date.now())) last = await run(program, args, { ...options, environment });
    return last.credential;
  };
}

interface Returned {
  readonly credential: Credential;
  /** A time in milliseconds. */
  readonly until: number;
}

async function run(program: string, args: readonly string[], options: ProgramOptions): Promise<Returned> {
  const ran = await runChild(program, args, { ...options, cwd: process.cwd(), most: MOST });
  if (ran.is === "notStarted") throw Object.assign(new Error("not started"), { code: ran.code, syscall: "spawn" });
  if (ran.is === "tooMuch") throw new Error("its program prints too much");
  if (ran.is === "timedOut") throw new Error("no answer");
  if (ran.is === "failed") throw new Error(ran.stderr);
  return credentialOf(JSON.parse(ran.stdout.toString("utf8")));
}

function credentialOf(printed: unknown): Returned {
  const status = fieldsOf(fieldsOf(printed)["status"]);
  const token = textOf(status, "token");
  const certificate = textOf(status, "clientCertificateData");
  const key = textOf(status, "clientKeyData");
  if ((certificate === "") !== (key === "") || (token === "" && key === "")) throw new TypeError("no credential");
  const expires = textOf(status, "expirationTimestamp");
  return { credential: { token, certificate, key }, until: expires === "" ? Infinity : Date.parse(expires) };
}

/** Finds a program as kubectl does: a path starts at the kubeconfig's folder; a name is searched in absolute folders. */
function programOf(command: string, environment: Environment, file: string): string {
  if (isAbsolute(command) || process.platform === "win32") return command;
  if (command.includes("/")) return resolve(dirname(file), command);
  const folders = (environment["PATH"] ?? "").split(delimiter).filter(isAbsolute);
  // Not found: a name without a slash would also be searched in the current folder.
  return folders.map((folder) => join(folder, command)).find(isProgram) ?? join("/nonexistent", command);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
