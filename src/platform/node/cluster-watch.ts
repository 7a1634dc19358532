import { setMaxListeners } from "node:events";
import { StringDecoder } from "node:string_decoder";
import type { IncomingMessage } from "node:http";
import { RollstampError } from "../../base/errors.ts";
import type { Change, WatchEnd, WatchQuery } from "../ports/cluster.ts";
import { fieldsOf, textOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import {
  badStatus,
  failure,
  refusedCredentials,
  TOO_LONG,
  tooSlow,
  unreachable,
  begin,
  JSON_ONLY,
  requestOptions,
  type Client,
} from "./cluster-requests.ts";

const METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

/** Passes on the changes of a list as the server sends them. Throws a RollstampError for a failure. */
export async function watchList(
  client: Client,
  path: string,
  query: WatchQuery,
  take: (change: Change) => void,
): Promise<WatchEnd> {
  const options = await requestOptions(client);
  const selector = query.fieldSelector === undefined ? "" : `&fieldSelector=${encodeURIComponent(query.fieldSelector)}`;
  const asked = `${path}?watch=true&allowWatchBookmarks=true&resourceVersion=${encodeURIComponent(query.resourceVersion)}&timeoutSeconds=${query.seconds}${selector}`;
  // A broken connection may stay silent forever: after the server's own timeout, wait no longer than for any response.
  const clock = AbortSignal.timeout(query.seconds * 1000 + client.timeoutMs);
  const ended = new AbortController();
  const end = (): void => ended.abort();
  // One signal ends all watches of a command. Node warns about more than ten listeners, as if they were a leak.
  setMaxListeners(0, query.signal);
  for (const signal of [clock, query.signal]) signal.addEventListener("abort", end, { once: true });
  if (query.signal.aborted) end();
  const accept = query.metadataOnly === true ? METADATA_ONLY : JSON_ONLY;
  let resourceVersion = query.resourceVersion;
  try {
    const response = await begin(client, asked, { accept, zipped: false, signal: ended.signal, options });
    const refused = await refusal(client, response);
    if (refused !== undefined) return refused;
    query.begun();
    for await (const line of linesOf(response, client.limits.inputSize)) {
      const event = readEvent(client, line);
      if (event.is === "expired") return { is: "expired" };
      resourceVersion = event.resourceVersion ?? resourceVersion;
      if (event.change !== undefined) take(event.change);
    }
  } catch (cause) {
    if (query.signal.aborted) return { is: "ended", resourceVersion };
    if (clock.aborted) throw tooSlow(client);
    throw cause instanceof RollstampError ? cause : unreachable(client, cause);
  } finally {
    query.signal.removeEventListener("abort", end);
    end();
  }
  return { is: "ended", resourceVersion };
}

/** The end of a watch that the server refused; undefined if it accepted it. */
async function refusal(client: Client, response: IncomingMessage): Promise<WatchEnd | undefined> {
  const status = response.statusCode ?? 0;
  if (status === 200) return undefined;
  response.resume();
  if (status === 410) return { is: "expired" };
  if (status === 403) return { is: "forbidden" };
  if (status === 404) return { is: "notFound" };
  throw status === 401 ? refusedCredentials(client) : badStatus(client, status);
}

/** The lines of a response; `most` is the largest size of a line. */
async function* linesOf(response: IncomingMessage, most: number): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) continue;
    const [first = "", ...rest] = decoder.write(chunk).split("\n");
    parts.push(first);
    length += chunk.length;
    if (length > most) throw Object.assign(new Error("too long"), { code: TOO_LONG });
    for (const next of rest) {
      const line = parts.join("");
      if (line !== "") yield line;
      parts = [next];
      length = next.length;
    }
  }
}

type Event =
  | { readonly is: "expired" }
  | { readonly is: "event"; readonly resourceVersion: string | undefined; readonly change: Change | undefined };

function readEvent(client: Client, line: string): Event {
  let read: Json;
  try {
    read = JSON.parse(line);
  } catch {
    throw failure(client, "does not answer with JSON", "Check the address: is this the API server?", true);
  }
  const { type, object = null } = fieldsOf(read);
  if (type === "ERROR") {
    const { code } = fieldsOf(object);
    if (code === 410) return { is: "expired" };
    throw badStatus(client, typeof code === "number" ? code : 500);
  }
  const resourceVersion = textOf(fieldsOf(fieldsOf(object)["metadata"])["resourceVersion"]);
  const is = type === "DELETED" ? "gone" : type === "ADDED" || type === "MODIFIED" ? "changed" : undefined;
  return { is: "event", resourceVersion, change: is === undefined ? undefined : { is, object } };
}
