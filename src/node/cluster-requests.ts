import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { withoutUserInfo } from "../base/user-info.ts";
import { RollstampError } from "../base/errors.ts";
import { sizeWords, type Limits } from "../base/limits.ts";
import { VERSION } from "../base/version.ts";
import { printable } from "../findings/results/terminal.ts";
import type { Answer, Deletion, Preconditions } from "../platform/ports/cluster.ts";
import type { FoundConfig } from "./kube-config.ts";
import type { Json } from "../yaml/read/node.ts";

export type FoundCluster = Extract<FoundConfig, { is: "found" }>;

export interface Client extends FoundCluster {
  readonly timeoutMs: number;
  readonly limits: Limits;
}

export const JSON_ONLY = "application/json";

const MOST_TRIES = 4;
const LONGEST_WAIT_SECONDS = 10;

/** Requests a path. Throws a RollstampError for a failure. */
export function ask(client: Client, path: string, accept: typeof JSON_ONLY): Promise<Answer>;
export function ask(client: Client, path: string, accept: string): Promise<Answer | "gone">;
export async function ask(client: Client, path: string, accept: string): Promise<Answer | "gone"> {
  const { status, text } = await sendWithRetries(client, { method: "GET", path, accept });
  if (status === 200) return { is: "found", body: readJson(client, text) };
  if (status === 403) return { is: "forbidden" };
  if (status === 404) return { is: "notFound" };
  if (status === 410) return "gone";
  throw badStatus(client, status);
}

/** Deletes the object at a path if it is still the one that was read. Throws a RollstampError for a failure. */
export async function remove(client: Client, path: string, preconditions: Preconditions): Promise<Deletion> {
  const body = JSON.stringify({ kind: "DeleteOptions", apiVersion: "v1", preconditions });
  const { status } = await sendWithRetries(client, { method: "DELETE", path, accept: JSON_ONLY, body });
  if (status === 200 || status === 202) return "deleted";
  if (status === 403) return "forbidden";
  if (status === 404) return "notFound";
  if (status === 409) return "changed";
  throw badStatus(client, status);
}

interface Request {
  readonly method: "GET" | "DELETE";
  readonly path: string;
  readonly accept: string;
  readonly body?: string;
}

/** Sends a request, again if the server is busy. */
async function sendWithRetries(client: Client, request: Request): Promise<Received> {
  for (let tries = 1; ; tries++) {
    const received = await send(client, request);
    const { status, retryAfter } = received;
    if (status === 401) throw refusedCredentials(client);
    const mayPass = status === 429 || status === 503;
    if (!mayPass || tries >= MOST_TRIES) return received;
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

async function send(client: Client, { method, path, accept, body }: Request): Promise<Received> {
  const options = await requestOptions(client);
  const signal = AbortSignal.timeout(client.timeoutMs);
  const headers = {
    ...options.headers,
    Accept: accept,
    "Accept-Encoding": "gzip",
    "User-Agent": `rollstamp/${VERSION}`,
    // Node does not count the body of a DELETE, and a server then ignores it: the preconditions would be lost.
    ...(body === undefined ? {} : { "Content-Type": JSON_ONLY, "Content-Length": Buffer.byteLength(body) }),
  };
  const url = addressOf(client, path);
  try {
    const response = await open(url, { ...options, method, headers, signal }, body);
    const received = await receive(response, client.limits.inputSize);
    // A response without a length ends where we stop reading.
    signal.throwIfAborted();
    return received;
  } catch (cause) {
    throw signal.aborted ? tooSlow(client) : unreachable(client, cause);
  }
}

/** A part of a path that would lead to another path, here or after a proxy decodes it. */
const NO_PART = /^(?:|\.{1,2}|.*(?:\\|%(?:2[ef]|25)).*)$/iu;

/** The address of a path, which contains names that others chose. As in kubectl, the server's query does not count. */
function addressOf({ server }: Client, path: string): URL {
  const wrong = path
    .replace(/\?.*/su, "")
    .split("/")
    .slice(1)
    .find((part) => NO_PART.test(part));
  if (wrong !== undefined) {
    throw new RollstampError("config", `'${wrong}' can't be part of a path of the API server`, {
      remedy: "Check the namespace: that of -n, of the context, or of the object.",
    });
  }
  const base = new URL(server);
  base.search = "";
  base.hash = "";
  return new URL(`${base.href.replace(/\/+$/u, "")}${path}`);
}

async function open(url: URL, options: RequestOptions, body: string | undefined): Promise<IncomingMessage> {
  const start = url.protocol === "http:" ? httpRequest : httpsRequest;
  for (;;) {
    const request = start(url, options);
    try {
      return await new Promise<IncomingMessage>((done, fail) =>
        request.on("response", done).on("error", fail).end(body),
      );
    } catch (cause) {
      // A server closes idle connections, possibly at the moment of the next request. The loop ends: after the few kept
      // connections comes a new one, and its answer counts.
      if (!request.reusedSocket || !CLOSED.has(codeOf(cause))) throw cause;
    }
  }
}

const CLOSED = new Set(["ECONNRESET", "EPIPE"]);

const unzip = promisify(gunzip);

/** Reads a response up to a size, unzipped: the other side may not be an API server. */
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

/** The options of a request with credentials. These may come from a program or another server, which may fail or hang. */
async function requestOptions(client: Client): Promise<RequestOptions> {
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

// The name that src/node/kube-config.ts uses, which is a separate bundle.
const OF_A_REPOSITORY: typeof import("./kube-config.ts").OF_A_REPOSITORY = "OfARepository";

/** The remedy for refused credentials. */
const LOG_IN = "Log in again, or choose another --context; 'kubectl auth whoami' must work.";

/** The error for credentials that are unavailable. The cause is shown without anything that may be a credential. */
function noCredentials({ context }: Client, cause: unknown): RollstampError {
  const head = `no credentials for context '${context}'`;
  if (cause instanceof Error && cause.name === OF_A_REPOSITORY) {
    return new RollstampError("config", `${head}: its kubeconfig is part of a commit and names ${cause.message}`, {
      remedy: "If you trust its author, move the kubeconfig out of the repository.",
    });
  }
  const remedy = "Log in again; 'kubectl auth whoami' must work.";
  if (
    codeOf(cause) === "ENOENT" &&
    cause instanceof Error &&
    "syscall" in cause &&
    String(cause.syscall).startsWith("spawn")
  ) {
    return new RollstampError("system", `${head}: the program that gets them was not found`, {
      remedy: "Install the program that the kubeconfig names as the user's exec command, and add it to PATH.",
    });
  }
  // Messages of parsers quote what the program printed.
  const [said = ""] =
    cause instanceof SyntaxError || cause instanceof TypeError
      ? ["the output of its program must be an ExecCredential"]
      : (cause instanceof Error ? cause.message : "").trim().split("\n");
  const shown = withoutCredentials(said);
  return new RollstampError("system", `${head}${shown === "" ? "" : `: ${printable(shown)}`}`, { remedy });
}

/** A message of a program without quoted text, words that are long enough for a token, and values of token-like names. */
function withoutCredentials(said: string): string {
  return withoutUserInfo(said.slice(0, 500))
    .replace(/"[^"]*"|'[^']*'|`[^`]*`/gu, (quoted) => (isPlain(quoted.slice(1, -1)) ? quoted : "…"))
    .replace(/\b((?:\w*(?:token|secret|password|passwd|key|code|assertion))\s*(?:[:=]|is)\s*)\S+/giu, "$1…")
    .replace(/(\b(?:bearer|basic)\s+)\S+/giu, "$1…")
    .replace(/[\w+/=.~-]{20,}/gu, (word) => (isPlain(word) ? word : "…"));
}

/** Whether the text is a path, a host or a word: letters with slashes, dots and hyphens between them. */
function isPlain(text: string): boolean {
  return /^(?:https?:\/\/)?[/.~-]*[A-Za-z]{1,19}(?:[/.~-]+[A-Za-z]{1,19})*\/?$/u.test(text);
}

/** The system's code of a failure; empty if it has none. */
function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}

/** The error for a cluster that fails. */
export function failure({ context, server }: Client, what: string, remedy: string, mayPass = false): RollstampError {
  return new RollstampError("system", `the cluster of context '${context}' at ${shownServer(server)} ${what}`, {
    remedy,
    mayPass,
  });
}

function refusedCredentials({ context }: Client): RollstampError {
  return new RollstampError(
    "system",
    `the cluster of context '${context}' refuses its credentials (401): they may have expired`,
    { remedy: LOG_IN },
  );
}

function badStatus(client: Client, status: number): RollstampError {
  const what = `answers with status ${status}`;
  // The server is busy, starting or stopping, or has lost its etcd.
  return failure(client, what, "Check the server with 'kubectl get --raw /readyz'.", status === 429 || status >= 500);
}

function tooSlow(client: Client): RollstampError {
  const what = `does not answer within ${client.timeoutMs / 1000} seconds`;
  return failure(client, what, "Check the connection, or increase --request-timeout.", true);
}

/** The code for a response that is larger than the limit; zlib uses the same. */
const TOO_LONG = "ERR_BUFFER_TOO_LARGE";

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "can't be reached: connection refused",
  ENOTFOUND: "can't be reached: unknown host name",
  EAI_AGAIN: "can't be reached: the host name can't be resolved",
  EHOSTUNREACH: "can't be reached: no route to the host",
  ENETUNREACH: "can't be reached: no route to the network",
  ETIMEDOUT: "can't be reached: the connection timed out",
};

/** The error for a cluster that can't be reached. */
function unreachable(client: Client, cause: unknown): RollstampError {
  const code = codeOf(cause);
  if (code === TOO_LONG) {
    const what = `sends a response larger than ${sizeWords(client.limits.inputSize)}`;
    return failure(client, what, "Check the address: is this the API server? --max-input-size raises the limit.");
  }
  // An alert is the server's verdict on our certificate; all other codes are about the server's certificate.
  if (/_ALERT_(?:\w+_)?(?:CERTIFICATE|UNKNOWN_CA)/u.test(code))
    return failure(client, `refuses the client certificate (${code}): it may have expired`, LOG_IN);
  const isCertificate = /CERT|SIGNATURE|SELF_SIGNED|ALTNAME|ERR_TLS|ERR_SSL|EPROTO/u.test(code);
  const what = isCertificate
    ? `is not trusted (${code})`
    : (REASONS[code] ?? `closed the connection during a response${code === "" ? "" : ` (${code})`}`);
  const remedy = isCertificate
    ? "Check the certificate authority in the kubeconfig."
    : "Check that the cluster runs and can be reached: 'kubectl get --raw /readyz' must work.";
  return failure(client, what, remedy, !isCertificate);
}

/** An address without tokens, and without what is before its last `@`: a password also where it is not a valid URL. */
export function shownServer(server: string): string {
  return withoutUserInfo(server)
    .replace(/^([a-z][a-z0-9+.-]{0,30}:\/*)?.*@/isu, "$1…@")
    .slice(0, 200);
}
