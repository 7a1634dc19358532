import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { VERSION } from "../../base/version.ts";
import type { Answer } from "../ports/cluster.ts";
import type { Json } from "../../yaml/read/node.ts";
import type { Client } from "./cluster-config.ts";
import {
  badStatus,
  codeOf,
  failure,
  noCredentials,
  refusedCredentials,
  TOO_LONG,
  tooSlow,
  unreachable,
} from "./cluster-failures.ts";

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
