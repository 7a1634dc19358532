/** A client of the API server that shows every event of a watch in order, and nothing it does not know. */
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { createInterface } from "node:readline";
import { fieldAt, listAt, textAt } from "./fields.ts";

export interface Api {
  readonly get: (path: string) => Promise<unknown>;
  readonly post: (path: string, body: unknown) => Promise<unknown>;
  readonly put: (path: string, body: unknown) => Promise<unknown>;
  readonly delete: (path: string) => Promise<unknown>;
  /** A JSON merge patch, or one of another type. */
  readonly patch: (path: string, body: unknown, type?: PatchType) => Promise<unknown>;
  /**
   * Lists the collection at `path`, then reports each later change in the order of the store.
   * There is never a gap: it would hide the moments that the tests look for. A watch that can't go on
   * calls `broken`.
   */
  readonly watch: (path: string, watcher: Watcher) => Promise<() => void>;
}

export type PatchType = "merge-patch+json" | "json-patch+json" | "apply-patch+yaml";

export interface Watcher {
  readonly event: (type: EventType, object: unknown) => void;
  readonly broken: (reason: Error) => void;
}

export type EventType = "ADDED" | "MODIFIED" | "DELETED";

export interface Access {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
}

/** A client that trusts `ca` and nothing else. */
export function connect({ server, ca, token }: Access): Api {
  const agent = new Agent({ keepAlive: true, ca });

  const send = (
    method: string,
    path: string,
    body?: unknown,
    type: PatchType = "merge-patch+json",
  ): Promise<IncomingMessage> =>
    new Promise((done, fail) => {
      const headers = {
        authorization: `Bearer ${token}`,
        "content-type": method === "PATCH" ? `application/${type}` : "application/json",
      };
      const sent = request(new URL(path, server), { method, agent, headers }, done);
      sent.once("error", fail);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });

  const read = async (response: IncomingMessage, asked: string): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(Buffer.from(chunk));
    const text = Buffer.concat(chunks).toString("utf8");
    const status = response.statusCode ?? 0;
    if (status >= 300) throw new Error(`${asked}: ${status} ${text}`);
    return text;
  };

  const ask = async (method: string, path: string, body?: unknown, type?: PatchType): Promise<unknown> => {
    const response = await send(method, path, body, type);
    const text = await read(response, `${method} ${path}`);
    return (response.headers["content-type"] ?? "").startsWith("application/json") ? JSON.parse(text) : text;
  };

  return {
    get: (path) => ask("GET", path),
    post: (path, body) => ask("POST", path, body),
    put: (path, body) => ask("PUT", path, body),
    delete: (path) => ask("DELETE", path),
    patch: (path, body, type) => ask("PATCH", path, body, type),
    watch: async (path, watcher) => {
      const list = await ask("GET", path);
      for (const item of listAt(list, "items")) watcher.event("ADDED", item);
      let version = textAt(list, "metadata", "resourceVersion");
      let stopped = false;
      let current: IncomingMessage | undefined;

      // The server hangs up on whom it finds slow. After the last version that was heard it goes on
      // without a gap, or says that it can't.
      const follow = async (): Promise<void> => {
        const asked = `${path}?watch=true&resourceVersion=${version}`;
        const response = await send("GET", asked);
        if (response.statusCode !== 200) await read(response, `GET ${asked}`);
        current = response;
        response.on("error", () => undefined);
        response.once("close", () => {
          if (!stopped) follow().catch(end);
        });
        const lines = createInterface(response);
        // It repeats the errors of its input, and an error that nobody listens to ends the process.
        lines.on("error", () => undefined);
        lines.on("line", (line) => {
          if (stopped) return;
          const event = parseEvent(line);
          if (event === undefined) return end(new Error(`GET ${asked}: ${line}`));
          version = textAt(event.object, "metadata", "resourceVersion");
          watcher.event(event.type, event.object);
        });
      };
      const end = (reason: unknown): void => {
        if (!stopped) watcher.broken(reason instanceof Error ? reason : new Error(String(reason)));
        stopped = true;
        current?.destroy();
      };
      await follow();
      return () => {
        stopped = true;
        current?.destroy();
      };
    },
  };
}

/** Undefined for what is no event of an object: the server's error. */
function parseEvent(line: string): { type: EventType; object: unknown } | undefined {
  const event: unknown = JSON.parse(line);
  const type = fieldAt(event, "type");
  const known = type === "ADDED" || type === "MODIFIED" || type === "DELETED";
  return known ? { type, object: fieldAt(event, "object") } : undefined;
}
