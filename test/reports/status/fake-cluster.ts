/** An API server on loopback whose objects change. */
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
  readonly remove: (object: Live) => boolean;
  /** Ends all connections and listens no more; then does again. */
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
  /** Answers each request with a status; 0: as always. */
  readonly refuse: (status: number, matches?: RegExp) => void;
  /** Stops answering, and calls the callback for each request. */
  readonly hold: (callback: () => void) => void;
  /** What was listed so far: `deployments`, `pods`. */
  readonly requests: readonly string[];
  readonly paths: readonly string[];
  /** Waits until everything has been read once more. */
  readonly nextRound: () => Promise<void>;
  readonly run: (args: readonly string[], world?: CliWorld) => Promise<CliResult>;
}

interface Stored {
  readonly path: string;
  readonly object: Live;
}

/** Runs `work` over such a server, with a kubeconfig in a folder of its own. */
export async function withFakeCluster(
  objects: readonly Live[],
  work: (cluster: FakeCluster) => Promise<void>,
  { argo = false }: { argo?: boolean } = {},
): Promise<void> {
  const stored = new Map<string, Stored>();
  const requests: string[] = [];
  const paths: string[] = [];
  const over = new AbortController();
  let onRequest: (() => void) | undefined;
  let refused = { status: 0, matches: /./u };

  const set = (...all: readonly Live[]): void => {
    for (const object of all) stored.set(nameOf(object), { path: listPathOf(object), object });
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? "/", "http://fake");
    paths.push(url.pathname);
    requests.push(url.pathname.split("/").at(-1) ?? "");
    if (onRequest !== undefined) return onRequest();
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (refused.status !== 0 && refused.matches.test(url.pathname)) return send(refused.status, { kind: "Status" });
    if (url.pathname === "/apis")
      return send(200, {
        groups: argo ? [{ name: "argoproj.io", preferredVersion: { groupVersion: "argoproj.io/v1alpha1" } }] : [],
      });
    if (url.pathname === "/apis/argoproj.io/v1alpha1")
      return send(200, { resources: [{ name: "rollouts", kind: "Rollout", namespaced: true }] });
    const all = [...stored.values()]
      .filter(({ path }) => [path, path.replace(/\/namespaces\/[^/]+/u, "")].includes(url.pathname))
      .map(({ object }) => object);
    const start = Number(url.searchParams.get("continue") ?? "0");
    const end = start + Number(url.searchParams.get("limit") ?? "500");
    const next = end < all.length ? { continue: String(end) } : {};
    send(200, { metadata: next, items: all.slice(start, end) });
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
    await inFolder({ kubeconfig: kubeconfig(`http://127.0.0.1:${port}`) }, async (folder) => {
      await work({
        folder,
        set,
        remove: (object) => stored.delete(nameOf(object)),
        start,
        stop,
        refuse: (status, matches = /./u) => {
          refused = { status, matches };
        },
        hold: (callback) => {
          onRequest = callback;
        },
        requests,
        paths,
        nextRound: async () => {
          const rounds = (): number => requests.filter((name) => name === "replicasets").length;
          for (const before = rounds(); !over.signal.aborted && rounds() < before + 2;)
            await new Promise((done) => setTimeout(done, 5));
        },
        run: (args, world = {}) =>
          cli(args, {
            haste: 20,
            ...world,
            environment: { ...world.environment, KUBECONFIG: join(folder, "kubeconfig") },
          }),
      });
    });
  } finally {
    over.abort();
    await stop();
  }
}
