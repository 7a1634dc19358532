/** An API server on loopback whose objects change: it lists them, and sends each change to the open watches. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { cli, type CliResult, type CliWorld } from "../../support/cli.ts";
import { inFolder } from "../../support/folders.ts";
import { kubeconfig } from "./fake-api.ts";
import { listPathOf, nameOf, type Live } from "./live-objects.ts";

export interface FakeCluster {
  readonly folder: string;
  /** Writes an object, new or in place of the one of its name. */
  readonly set: (...objects: readonly Live[]) => void;
  readonly remove: (object: Live) => void;
  /** Ends all connections and listens no more; then does again. */
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
  /** Ends all watches and forgets earlier changes: the next watch gets status 410. */
  readonly compact: () => void;
  /** Answers each request with a status; 0: as always. */
  readonly refuse: (status: number, matches?: RegExp) => void;
  /** Stops answering, and calls the callback for each request. */
  readonly hold: (callback: () => void) => void;
  /** The requests so far: `list deployments`, `watch pods`. */
  readonly requests: readonly string[];
  /** Waits until there are so many open watches. */
  readonly watched: (count: number) => Promise<void>;
  readonly run: (args: readonly string[], world?: CliWorld) => Promise<CliResult>;
}

interface Stored {
  readonly path: string;
  readonly object: Live;
}

/** Runs `work` over such a server, with a kubeconfig and files in a folder of its own. */
export async function withFakeCluster(
  objects: readonly Live[],
  work: (cluster: FakeCluster) => Promise<void>,
  { argo = false, files = {} }: { argo?: boolean; files?: Readonly<Record<string, string>> } = {},
): Promise<void> {
  const stored = new Map<string, Stored>();
  const open = new Map<ServerResponse, string>();
  const requests: string[] = [];
  const changes: { readonly version: number; readonly path: string; readonly line: string }[] = [];
  let version = 1;
  let oldest = 0;
  let onRequest: (() => void) | undefined;
  let refused = { status: 0, matches: /./u };

  const publish = (type: string, path: string, object: Live): void => {
    version += 1;
    const whole = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    const line = `${JSON.stringify({ type, object: whole })}\n`;
    changes.push({ version, path, line });
    for (const [response, watched] of open) if (watched === path) response.write(line);
  };
  const set = (...all: readonly Live[]): void => {
    for (const object of all) {
      const path = listPathOf(object);
      const known = stored.has(nameOf(object));
      stored.set(nameOf(object), { path, object });
      publish(known ? "MODIFIED" : "ADDED", path, object);
    }
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? "/", "http://fake");
    const isWatch = url.searchParams.has("watch");
    requests.push(`${isWatch ? "watch" : "list"} ${url.pathname.split("/").at(-1) ?? ""}`);
    if (onRequest !== undefined) return onRequest();
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (refused.status !== 0 && refused.matches.test(`${isWatch ? "watch " : ""}${url.pathname}`))
      return send(refused.status, { kind: "Status" });
    if (url.pathname === "/apis")
      return send(200, {
        groups: argo ? [{ name: "argoproj.io", preferredVersion: { groupVersion: "argoproj.io/v1alpha1" } }] : [],
      });
    if (url.pathname === "/apis/argoproj.io/v1alpha1")
      return send(200, { resources: [{ name: "rollouts", kind: "Rollout", namespaced: true }] });
    if (!isWatch) {
      const all = [...stored.values()].filter(({ path }) => path === url.pathname).map(({ object }) => object);
      const start = Number(url.searchParams.get("continue") ?? "0");
      const end = start + Number(url.searchParams.get("limit") ?? "500");
      const next = end < all.length ? { continue: String(end) } : {};
      return send(200, { metadata: { resourceVersion: String(version), ...next }, items: all.slice(start, end) });
    }
    const from = Number(url.searchParams.get("resourceVersion"));
    if (from < oldest) return send(410, { kind: "Status" });
    response.writeHead(200, { "Content-Type": "application/json" });
    response.flushHeaders();
    for (const { version: at, path, line } of changes) if (at > from && path === url.pathname) response.write(line);
    open.set(response, url.pathname);
    response.on("close", () => open.delete(response));
  };

  let server: Server | undefined;
  let port = 0;
  const start = async (): Promise<void> => {
    server = createServer(answer);
    await new Promise<void>((done) => server?.listen(port, "127.0.0.1", done));
    const address = server.address();
    port = typeof address === "object" ? (address?.port ?? 0) : 0;
  };
  const stop = async (): Promise<void> => {
    server?.closeAllConnections();
    await new Promise((done) => (server === undefined ? done(undefined) : server.close(done)));
    server = undefined;
  };

  set(...objects);
  await start();
  try {
    await inFolder({ ...files, kubeconfig: kubeconfig(`http://127.0.0.1:${port}`) }, async (folder) => {
      await work({
        folder,
        set,
        remove: (object) => {
          stored.delete(nameOf(object));
          publish("DELETED", listPathOf(object), object);
        },
        start,
        stop,
        compact: () => {
          version += 1;
          oldest = version;
          for (const response of open.keys()) response.end();
        },
        refuse: (status, matches = /./u) => {
          refused = { status, matches };
        },
        hold: (callback) => {
          onRequest = callback;
        },
        requests,
        watched: async (count) => {
          while (open.size < count) await new Promise((done) => setTimeout(done, 5));
        },
        run: (args, world = {}) =>
          cli(args, { ...world, environment: { ...world.environment, KUBECONFIG: join(folder, "kubeconfig") } }),
      });
    });
  } finally {
    await stop();
  }
}
