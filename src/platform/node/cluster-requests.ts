import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { withoutUserInfo } from "../../applications/tools/masked-words.ts";
import { RollstampError } from "../../base/errors.ts";
import { sizeWords, type Limits } from "../../base/limits.ts";
import { VERSION } from "../../base/version.ts";
import { printable } from "../../findings/results/terminal.ts";
import type { Answer } from "../ports/cluster.ts";
import type { FoundConfig } from "./kube-config.ts";
import type { Json } from "../../yaml/read/node.ts";

/** A cluster that a kubeconfig names. */
export type FoundCluster = Extract<FoundConfig, { is: "found" }>;

/** A cluster that can be asked. */
export interface Client extends FoundCluster {
  readonly timeoutMs: number;
  readonly limits: Limits;
}

export const JSON_ONLY = "application/json";

const MOST_TRIES = 4;
const LONGEST_WAIT_SECONDS = 10;

/** Asks for a path, again where the server has too much to do. Throws a RollstampError for what is a failure. */
export function ask(client: Client, path: string, accept: typeof JSON_ONLY): Promise<Answer>;
export function ask(client: Client, path: string, accept: string): Promise<Answer | "gone">;
export async function ask(client: Client, path: string, accept: string): Promise<Answer | "gone"> {
  for (let tries = 1; ; tries++) {
    const { status, retryAfter, text } = await send(client, path, accept);
    if (status === 200) return { is: "found", body: readJson(client, text) };
    if (status === 403) return { is: "forbidden" };
    if (status === 404) return { is: "notFound" };
    if (status === 410) return "gone";
    if (status === 401) throw refusedCredentials(client);
    const mayPass = status === 429 || status === 503;
    if (!mayPass || tries >= MOST_TRIES) throw badStatus(client, status);
    await sleep(1000 * Math.min(retryAfter, LONGEST_WAIT_SECONDS));
  }
}

function readJson(client: Client, text: string): Json {
  try {
    const body: Json = JSON.parse(text);
    return body;
  } catch {
    throw failure(client, "does not answer with JSON", "Check the address: is this the API server?");
  }
}

interface Received {
  readonly status: number;
  readonly retryAfter: number;
  readonly text: string;
}

async function send(client: Client, path: string, accept: string): Promise<Received> {
  const options = await requestOptions(client);
  const signal = AbortSignal.timeout(client.timeoutMs);
  try {
    const response = await begin(client, path, { accept, zipped: true, signal, options });
    return await receive(response, client.limits.inputSize);
  } catch (cause) {
    throw signal.aborted ? tooSlow(client) : unreachable(client, cause);
  }
}

export interface Asking {
  readonly accept: string;
  readonly zipped: boolean;
  readonly signal: AbortSignal;
  readonly options: RequestOptions;
}

/** Sends a request, and gives the beginning of its answer. Throws the system's errors. */
export function begin(client: Client, path: string, asking: Asking): Promise<IncomingMessage> {
  const { accept, zipped, signal, options } = asking;
  const headers = {
    ...options.headers,
    Accept: accept,
    ...(zipped ? { "Accept-Encoding": "gzip" } : {}),
    "User-Agent": `rollstamp/${VERSION}`,
  };
  const url = new URL(`${client.server.replace(/\/+$/u, "")}${path}`);
  return open(url, { ...options, method: "GET", headers, signal });
}

async function open(url: URL, options: RequestOptions): Promise<IncomingMessage> {
  const start = url.protocol === "http:" ? httpRequest : httpsRequest;
  for (;;) {
    const request = start(url, options);
    try {
      return await new Promise<IncomingMessage>((done, fail) => request.on("response", done).on("error", fail).end());
    } catch (cause) {
      // A server closes connections that it takes for unused, be it at the moment of the next request. There are
      // only so many of them; then comes a new one, and what that one says counts.
      if (!request.reusedSocket || !CLOSED.has(codeOf(cause))) throw cause;
    }
  }
}

const CLOSED = new Set(["ECONNRESET", "EPIPE"]);

const unzip = promisify(gunzip);

/** Reads an answer of so many bytes at most, unzipped: what answers may be no API server. */
async function receive(response: IncomingMessage, most: number): Promise<Received> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) continue;
    length += chunk.length;
    if (length > most) throw Object.assign(new Error("too long"), { code: TOO_LONG });
    chunks.push(chunk);
  }
  if (!response.complete) throw new Error("cut off");
  const body = Buffer.concat(chunks);
  const isZipped = response.headers["content-encoding"] === "gzip";
  const plain = isZipped ? await unzip(body, { maxOutputLength: most }) : body;
  return {
    status: response.statusCode ?? 0,
    retryAfter: Number(response.headers["retry-after"] ?? "1") || 1,
    text: plain.toString("utf8"),
  };
}

/** Credentials may come from a program or from another server, which may fail or hang as well. */
export async function requestOptions(client: Client): Promise<RequestOptions> {
  const controller = new AbortController();
  try {
    return await Promise.race([
      client.requestOptions(),
      sleep(client.timeoutMs, undefined, { signal: controller.signal }).then(() => {
        throw new Error("no answer");
      }),
    ]);
  } catch (cause) {
    throw noCredentials(client, cause);
  } finally {
    controller.abort();
  }
}

// As src/platform/node/kube-config.ts names it, which is a bundle of its own.
const OF_A_REPOSITORY: typeof import("./kube-config.ts").OF_A_REPOSITORY = "OfARepository";

/** The remedy for credentials that are not taken. */
const LOG_IN = "Log in again, or choose another --context; 'kubectl auth whoami' must work.";

/** The error for credentials that can't be had. What is said of it is told without what may be one. */
export function noCredentials({ context }: Client, cause: unknown): RollstampError {
  const head = `there are no credentials for context '${context}'`;
  if (cause instanceof Error && cause.name === OF_A_REPOSITORY) {
    return new RollstampError(
      "config",
      `${head}: its kubeconfig came with a commit and names a program, which is not run`,
      {
        remedy: "Put the kubeconfig outside of the repository, if you know what it runs.",
      },
    );
  }
  const remedy = "Log in again; 'kubectl auth whoami' must work.";
  if (
    codeOf(cause) === "ENOENT" &&
    cause instanceof Error &&
    "syscall" in cause &&
    String(cause.syscall).startsWith("spawn")
  ) {
    return new RollstampError("system", `${head}: the program that gets them is not there`, {
      remedy: "Install what the kubeconfig names as the user's exec command, and put it on PATH.",
    });
  }
  // The words of these are a parser's, and quote what a program printed.
  const [said = ""] =
    cause instanceof SyntaxError || cause instanceof TypeError
      ? ["what its program printed is no ExecCredential"]
      : (cause instanceof Error ? cause.message : "").trim().split("\n");
  const told = withoutCredentials(said);
  return new RollstampError("system", `${head}${told === "" ? "" : `: ${printable(told)}`}`, { remedy });
}

/** What a program says, without what is quoted, what is long enough for a token, and what stands behind a name for one. */
function withoutCredentials(said: string): string {
  return withoutUserInfo(said.slice(0, 500))
    .replace(/"[^"]*"|'[^']*'|`[^`]*`/gu, (quoted) => (isPlain(quoted.slice(1, -1)) ? quoted : "…"))
    .replace(/\b((?:\w*(?:token|secret|password|passwd|key|code|assertion))\s*(?:[:=]|is)\s*)\S+/giu, "$1…")
    .replace(/(\b(?:bearer|basic)\s+)\S+/giu, "$1…")
    .replace(/[\w+/=.~-]{20,}/gu, (word) => (isPlain(word) ? word : "…"));
}

/** True for a path, a host, a word: letters with slashes, dots and hyphens between them. */
function isPlain(text: string): boolean {
  return /^(?:https?:\/\/)?[/.~-]*[A-Za-z]{1,19}(?:[/.~-]+[A-Za-z]{1,19})*\/?$/u.test(text);
}

/** The system's code of a failure; empty where it has none. */
export function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}

/** The error for a cluster that fails. */
export function failure({ context, server }: Client, what: string, remedy: string, mayPass = false): RollstampError {
  return new RollstampError("system", `the cluster of context '${context}' at ${withoutUserInfo(server)} ${what}`, {
    remedy,
    mayPass,
  });
}

/** The error for credentials that the cluster does not take. */
export function refusedCredentials({ context }: Client): RollstampError {
  return new RollstampError(
    "system",
    `the cluster of context '${context}' does not take its credentials (401): they may have expired`,
    { remedy: LOG_IN },
  );
}

/** The error for an answer that is none, such as 500. */
export function badStatus(client: Client, status: number): RollstampError {
  const what = `answers with status ${status}`;
  // What has too much to do, is being started or stopped, or has lost its etcd.
  return failure(client, what, "Check the server with 'kubectl get --raw /readyz'.", status === 429 || status >= 500);
}

/** The error for an answer that takes too long. */
export function tooSlow(client: Client): RollstampError {
  const what = `does not answer within ${client.timeoutMs / 1000} seconds`;
  return failure(client, what, "Check the connection, or give a longer --request-timeout.", true);
}

/** The code for an answer of more bytes than an input may have, as zlib calls it. */
export const TOO_LONG = "ERR_BUFFER_TOO_LARGE";

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "is not reached: nothing listens there",
  ENOTFOUND: "is not reached: its name is unknown",
  EAI_AGAIN: "is not reached: its name can't be looked up",
  EHOSTUNREACH: "is not reached: there is no way to it",
  ENETUNREACH: "is not reached: there is no way to it",
  ETIMEDOUT: "is not reached in time",
};

/** The error for a cluster that can't be reached. */
export function unreachable(client: Client, cause: unknown): RollstampError {
  const code = codeOf(cause);
  if (code === TOO_LONG) {
    const what = `gives an answer of more than ${sizeWords(client.limits.inputSize)}`;
    return failure(client, what, "Check the address: is this the API server? --max-input-size raises the limit.");
  }
  // What the other side says of ours; all else about certificates is what we say of its.
  if (/_ALERT_(?:\w+_)?(?:CERTIFICATE|UNKNOWN_CA)/u.test(code))
    return failure(client, `does not take the client certificate (${code}): it may have expired`, LOG_IN);
  const isCertificate = /CERT|SIGNATURE|SELF_SIGNED|ALTNAME|ERR_TLS|ERR_SSL|EPROTO/u.test(code);
  const what = isCertificate
    ? `is not trusted (${code})`
    : (REASONS[code] ?? `stopped in the middle of an answer${code === "" ? "" : ` (${code})`}`);
  const remedy = isCertificate
    ? "Check the certificate authority in the kubeconfig."
    : "Check that the cluster runs and can be reached: 'kubectl get --raw /readyz' must work.";
  return failure(client, what, remedy, !isCertificate);
}
