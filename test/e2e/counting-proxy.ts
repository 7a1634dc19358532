/** A proxy between a client and the API server that counts requests and bytes. */
import { readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent, createServer, request } from "node:https";
import { join } from "node:path";
import type { Cluster } from "./cluster.ts";

/** A request with what came of it. */
export interface Exchange {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly status: number;
  readonly bytes: number;
}

export interface CountingProxy {
  /** The kubeconfig of user "nobody", by way of the proxy. */
  readonly kubeconfig: string;
  /** Since the last time that it was asked. */
  readonly take: () => { readonly exchanges: readonly Exchange[]; readonly connections: number };
  /** Called for each request before it goes on. */
  onRequest: (path: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Listens on loopback with the API server's own certificate. */
export async function startProxy(cluster: Cluster): Promise<CountingProxy> {
  const read = (name: string): string => readFileSync(join(cluster.folder, "certificates", name), "utf8");
  const ca = read("apiserver.crt");
  const agent = new Agent({ keepAlive: true, ca });
  const config = readFileSync(cluster.powerless, "utf8");
  const server = /server: (\S+)/u.exec(config)?.[1] ?? "";
  let exchanges: Exchange[] = [];
  let connections = 0;

  const forward = (asked: IncomingMessage, answer: ServerResponse): void => {
    const url = new URL(asked.url ?? "/", server);
    const sent = request(url, { method: asked.method, agent, headers: { ...asked.headers, host: url.host } }, (got) => {
      let bytes = 0;
      answer.writeHead(got.statusCode ?? 0, got.headers);
      got.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      got.on("error", () => answer.destroy());
      got.on("end", () =>
        exchanges.push({ path: url.pathname, query: url.searchParams, status: got.statusCode ?? 0, bytes }),
      );
      got.pipe(answer);
    });
    sent.on("error", () => answer.destroy());
    asked.pipe(sent);
  };
  const listening = createServer({ cert: ca, key: read("apiserver.key") }, (asked, answer) => {
    proxy.onRequest(asked.url ?? "/").then(
      () => forward(asked, answer),
      () => answer.destroy(),
    );
  });
  listening.on("secureConnection", () => {
    connections += 1;
  });
  await new Promise<void>((done) => listening.listen(0, "127.0.0.1", done));
  const address = listening.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const kubeconfig = join(cluster.folder, "proxy.kubeconfig");
  writeFileSync(kubeconfig, config.replace(server, `https://127.0.0.1:${port}`), { mode: 0o600 });
  const proxy: CountingProxy = {
    kubeconfig,
    take: () => {
      const taken = { exchanges, connections };
      exchanges = [];
      connections = 0;
      return taken;
    },
    onRequest: () => Promise.resolve(),
    stop: async () => {
      listening.closeAllConnections();
      await new Promise((done) => listening.close(done));
      agent.destroy();
    },
  };
  return proxy;
}
