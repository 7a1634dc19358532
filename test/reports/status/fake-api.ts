/** An API server on loopback that serves the given objects, and fails as requested. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { join } from "node:path";
import { stringify } from "yaml";
import { cli, type CliResult, type CliWorld } from "../../support/cli.ts";
import { inFolder } from "../../support/folders.ts";
import { CERTIFICATE, CERTIFICATE_KEY } from "./fake-certificate.ts";

export interface FakeApi {
  /** path of a list → its objects. */
  readonly lists: Readonly<Record<string, readonly unknown[]>>;
  /** Further answers: path → body. */
  readonly answers?: Readonly<Record<string, unknown>>;
  readonly forbidden?: readonly string[];
  /** Answers a request instead of the server; true if it did. */
  readonly fault?: (request: IncomingMessage, response: ServerResponse, url: URL) => boolean;
  /** Each request, in order. */
  readonly seen?: (url: URL, request: IncomingMessage) => void;
}

export interface FakeRun {
  readonly args: readonly string[];
  readonly world?: CliWorld;
  /** The kubeconfig's user. The server then uses TLS: without, no credentials are sent. */
  readonly user?: unknown;
  /** Without TLS all the same. */
  readonly plain?: boolean;
  /** Put at the end of the server's address in the kubeconfig. */
  readonly end?: string;
}

/** Runs the command line in a folder of its own against such a server. */
export async function withFakeApi(
  api: FakeApi,
  { args, world = {}, user, plain = user === undefined, end = "" }: FakeRun,
): Promise<CliResult> {
  const answers = (request: IncomingMessage, response: ServerResponse): void => answer(api, request, response);
  const [scheme, server] = plain
    ? (["http", createServer(answers)] as const)
    : (["https", createSecureServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, answers)] as const);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  let result: CliResult | undefined;
  try {
    const config = kubeconfig(`${scheme}://127.0.0.1:${port}${end}`, user);
    await inFolder({ kubeconfig: config }, async (folder) => {
      const environment = {
        PATH: process.env["PATH"] ?? "",
        ...world.environment,
        KUBECONFIG: join(folder, "kubeconfig"),
      };
      result = await cli(args, { ...world, environment });
    });
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
  if (result === undefined) throw new Error("it did not run");
  return result;
}

/** A kubeconfig with one context, "fake", and the namespace "shop". */
export function kubeconfig(server: string, user: unknown = { token: "t" }): string {
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "fake",
    contexts: [{ name: "fake", context: { cluster: "fake", user: "fake", namespace: "shop" } }],
    clusters: [{ name: "fake", cluster: { server, "certificate-authority-data": btoa(CERTIFICATE) } }],
    users: [{ name: "fake", user }],
  });
}

function answer(api: FakeApi, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "/", "http://fake");
  api.seen?.(url, request);
  if (api.fault?.(request, response, url) === true) return;
  if (api.forbidden?.includes(url.pathname) === true) return send(response, 403, { kind: "Status" });
  const other = { ...DISCOVERY, ...api.answers }[url.pathname];
  if (other !== undefined) return send(response, 200, other);
  const objects = api.lists[url.pathname] ?? (KNOWN.test(url.pathname) ? [] : undefined);
  if (objects === undefined) return send(response, 404, { kind: "Status" });
  const start = Number(url.searchParams.get("continue") ?? "0");
  const end = start + Number(url.searchParams.get("limit") ?? "500");
  const isMetadata = (request.headers.accept ?? "").includes("PartialObjectMetadataList");
  const items = objects.slice(start, end).map((object) => (isMetadata ? metadataOf(object) : object));
  const metadata = end < objects.length ? { continue: String(end) } : {};
  send(response, 200, { kind: "List", metadata, items });
}

function metadataOf(object: unknown): unknown {
  return typeof object === "object" && object !== null && "metadata" in object ? { metadata: object.metadata } : object;
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
}

const KNOWN = /\/(?:deployments|statefulsets|daemonsets|cronjobs|replicasets|pods|configmaps|secrets)$/u;

const resource = (name: string, kind: string): unknown => ({ name, kind, namespaced: true });

const DISCOVERY: Readonly<Record<string, unknown>> = {
  "/apis": {
    groups: ["apps/v1", "batch/v1"].map((groupVersion) => ({
      name: groupVersion.split("/")[0],
      preferredVersion: { groupVersion },
    })),
  },
  "/apis/apps/v1": {
    resources: [
      resource("deployments", "Deployment"),
      resource("deployments/status", "Deployment"),
      resource("statefulsets", "StatefulSet"),
      resource("daemonsets", "DaemonSet"),
    ],
  },
  "/apis/batch/v1": { resources: [resource("cronjobs", "CronJob")] },
};
