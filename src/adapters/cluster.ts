import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { suggestion } from "../config/validate.ts";
import { RollstampError } from "../ground/errors.ts";
import { sourceRequire } from "../ground/source-require.ts";
import { fieldsOf, listOf, textOf } from "../config/json.ts";
import type { Json } from "../manifest/node.ts";
import { printable } from "../results/terminal.ts";
import { VERSION } from "../ground/version.ts";
import type { Answer, Cluster, ClusterOptions, ListQuery, ListReader } from "../io/cluster.ts";
import type { FoundConfig } from "./kube-config.ts";

/** Connects to the cluster that the kubeconfig names. Throws a RollstampError where there is none. */
export function connectCluster({ kubeconfig, context, environment, timeoutMs, limits }: ClusterOptions): Cluster {
  const found = findConfig({ file: kubeconfig, context, environment, timeoutMs });
  const client: Client = { ...found, timeoutMs };
  return {
    context: found.context,
    server: found.server,
    namespace: found.namespace ?? "default",
    limits,
    get: (path) => ask(client, path, JSON_ONLY),
    list: (path, query, reader) => listPages(client, path, query, reader),
  };
}

type Found = Extract<FoundConfig, { is: "found" }>;

interface Client extends Found {
  readonly timeoutMs: number;
}

/** The reader of kubeconfigs: a bundle of its own, for tests too (docs/decisions/0004-cluster-client.md). */
function loadKubeConfig(): typeof import("./kube-config.ts") {
  return typeof require === "function" ? require("./cluster.cjs") : sourceRequire(import.meta.url)("./cluster.cjs");
}

function findConfig(options: Parameters<ReturnType<typeof loadKubeConfig>["findKubeConfig"]>[0]): Found {
  const { findKubeConfig } = loadKubeConfig();
  let found: FoundConfig;
  try {
    found = findKubeConfig(options);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    // A parser's message may quote the file, which holds credentials.
    throw new RollstampError(
      "config",
      `the kubeconfig${options.file === undefined ? "" : ` '${options.file}'`} can't be read${code}`,
      {
        remedy: "Check the file with 'kubectl config view'.",
      },
    );
  }
  if (found.is === "found") return found;
  if (found.is === "none") {
    throw new RollstampError("config", "there is no kubeconfig that names a cluster", {
      remedy: "Give --kubeconfig FILE, set KUBECONFIG, or run in a pod with a service account.",
    });
  }
  const message =
    found.context === ""
      ? "the kubeconfig has no current context"
      : `the kubeconfig has no context '${found.context}'${suggestion(found.context, found.known)}`;
  throw new RollstampError("config", message, { remedy: `Give --context; known: ${found.known.join(", ")}.` });
}

const JSON_ONLY = "application/json";
const METADATA_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
// Between two pages a list may grow too old for the server (410): it is begun anew, but not for ever.
const MOST_STARTS = 3;

async function listPages(
  client: Client,
  path: string,
  { limit, fieldSelector, metadataOnly }: ListQuery,
  { begin, take }: ListReader,
): Promise<Answer["is"]> {
  const accept = metadataOnly === true ? METADATA_ONLY : JSON_ONLY;
  const selector = fieldSelector === undefined ? "" : `&fieldSelector=${encodeURIComponent(fieldSelector)}`;
  let proceed = "";
  begin();
  for (let starts = 1; ;) {
    const next = proceed === "" ? "" : `&continue=${encodeURIComponent(proceed)}`;
    const answer = await ask(client, `${path}?limit=${limit}${selector}${next}`, accept);
    if (answer === "gone") {
      if (starts >= MOST_STARTS)
        throw failure(client, "drops its lists before they are read (410)", "Try again when it has less to do.");
      starts += 1;
      proceed = "";
      begin();
      continue;
    }
    if (answer.is !== "found") return answer.is;
    const { items, metadata } = fieldsOf(answer.body);
    take(listOf(items));
    const following = textOf(fieldsOf(metadata)["continue"]) ?? "";
    if (following === "") return "found";
    // What stands between may lose the query: the first page for ever.
    if (following === proceed)
      throw failure(client, "gives the same page again and again", "Ask the API server itself, not by way of a proxy.");
    proceed = following;
  }
}

const LOG_IN = "Log in again, or choose another --context; 'kubectl auth whoami' must work.";

const MOST_TRIES = 4;
const LONGEST_WAIT_SECONDS = 10;

function ask(client: Client, path: string, accept: typeof JSON_ONLY): Promise<Answer>;
function ask(client: Client, path: string, accept: string): Promise<Answer | "gone">;
async function ask(client: Client, path: string, accept: string): Promise<Answer | "gone"> {
  for (let tries = 1; ; tries++) {
    const { status, retryAfter, text } = await send(client, path, accept);
    if (status === 200) return { is: "found", body: readJson(client, text) };
    if (status === 403) return { is: "forbidden" };
    if (status === 404) return { is: "notFound" };
    if (status === 410) return "gone";
    if (status === 401) {
      throw new RollstampError(
        "system",
        `the cluster of context '${client.context}' does not take its credentials (401): they may have expired`,
        { remedy: LOG_IN },
      );
    }
    const mayPass = status === 429 || status === 503;
    if (!mayPass || tries >= MOST_TRIES) {
      throw failure(client, `answers with status ${status}`, "Check the server with 'kubectl get --raw /readyz'.");
    }
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
  const url = new URL(`${client.server.replace(/\/+$/u, "")}${path}`);
  const options = await credentials(client);
  const headers = {
    ...options.headers,
    Accept: accept,
    "Accept-Encoding": "gzip",
    "User-Agent": `rollstamp/${VERSION}`,
  };
  const signal = AbortSignal.timeout(client.timeoutMs);
  try {
    return await receive(await open(url, { ...options, method: "GET", headers, signal }));
  } catch (cause) {
    if (signal.aborted) {
      throw failure(
        client,
        `does not answer within ${client.timeoutMs / 1000} seconds`,
        "Check the connection, or give a longer --request-timeout.",
      );
    }
    throw unreachable(client, cause);
  }
}

/** The beginning of an answer. */
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

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}

const unzip = promisify(gunzip);
// More than a page has, and less than memory: what answers may be no API server.
const MOST_BYTES = 256 * 1024 * 1024;
// As zlib calls it.
const TOO_LONG = "ERR_BUFFER_TOO_LARGE";

async function receive(response: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) continue;
    length += chunk.length;
    if (length > MOST_BYTES) throw Object.assign(new Error("too long"), { code: TOO_LONG });
    chunks.push(chunk);
  }
  if (!response.complete) throw new Error("cut off");
  const body = Buffer.concat(chunks);
  const isZipped = response.headers["content-encoding"] === "gzip";
  const plain = isZipped ? await unzip(body, { maxOutputLength: MOST_BYTES }) : body;
  return {
    status: response.statusCode ?? 0,
    retryAfter: Number(response.headers["retry-after"] ?? "1") || 1,
    text: plain.toString("utf8"),
  };
}

/** Credentials may come from a program or from another server, which may fail or hang as well. */
async function credentials(client: Client): Promise<RequestOptions> {
  const controller = new AbortController();
  try {
    return await Promise.race([
      client.requestOptions(),
      sleep(client.timeoutMs, undefined, { signal: controller.signal }).then(() => {
        throw new Error("no answer");
      }),
    ]);
  } catch (cause) {
    const [said = ""] = (cause instanceof Error ? cause.message : "").trim().split("\n");
    throw new RollstampError(
      "system",
      `there are no credentials for context '${client.context}'${said === "" ? "" : `: ${printable(said)}`}`,
      { remedy: "Log in again; 'kubectl auth whoami' must work." },
    );
  } finally {
    controller.abort();
  }
}

function failure({ context, server }: Client, what: string, remedy: string): RollstampError {
  return new RollstampError("system", `the cluster of context '${context}' at ${server} ${what}`, { remedy });
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "is not reached: nothing listens there",
  ENOTFOUND: "is not reached: its name is unknown",
  EAI_AGAIN: "is not reached: its name can't be looked up",
  EHOSTUNREACH: "is not reached: there is no way to it",
  ENETUNREACH: "is not reached: there is no way to it",
  ETIMEDOUT: "is not reached in time",
  [TOO_LONG]: `gives an answer of more than ${MOST_BYTES / 1024 / 1024} MB`,
};

function unreachable(client: Client, cause: unknown): RollstampError {
  const code = codeOf(cause);
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
  return failure(client, what, remedy);
}
