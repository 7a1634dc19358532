import type { Limits } from "../../base/limits.ts";
import type { Json } from "../../yaml/read/node.ts";
import type { Environment } from "./environment.ts";

export interface ClusterOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly environment: Environment;
  /** How long one answer may take, all of it. */
  readonly timeoutMs: number;
  /** What no answer may go beyond. */
  readonly limits: Limits;
}

/** An answer that is no failure: forbidden and not found are what many clusters say, and it is told. */
export type Answer =
  | { readonly is: "found"; readonly body: Json }
  | { readonly is: "forbidden" }
  | { readonly is: "notFound" };

export interface ListQuery {
  readonly limit: number;
  readonly fieldSelector?: string;
  /** Only the metadata of the objects: what else is in them never leaves the server. */
  readonly metadataOnly?: boolean;
}

/** Takes a list page by page; a page is let go before the next one is asked for. */
export interface ListReader {
  /** The list begins; it may do so again, when it has grown too old for the server: what was taken is void. */
  readonly begin: () => void;
  readonly take: (items: readonly Json[]) => void;
  /** The list is complete, as of this version of it: where a watch goes on. */
  readonly end?: (resourceVersion: string) => void;
}

export interface WatchQuery extends Pick<ListQuery, "fieldSelector" | "metadataOnly"> {
  /** The version of the list after which changes are told. */
  readonly resourceVersion: string;
  /** After so long the server ends it; it is begun anew then. */
  readonly seconds: number;
  /** Ends it at once. */
  readonly signal: AbortSignal;
  /** The server has taken it. */
  readonly begun: () => void;
}

/** A change of an object in a list. */
export interface Change {
  readonly is: "changed" | "gone";
  readonly object: Json;
}

/** How a watch has ended; `expired`: what has changed since is forgotten, and the list has to be read anew. */
export type WatchEnd =
  | { readonly is: "ended"; readonly resourceVersion: string }
  | { readonly is: "expired" | "forbidden" | "notFound" };

/** A cluster, to be read only. */
export interface Cluster {
  readonly context: string;
  readonly server: string;
  /** The namespace of the context. */
  readonly namespace: string;
  /** What no answer may go beyond. */
  readonly limits: Limits;
  readonly get: (path: string) => Promise<Answer>;
  readonly list: (path: string, query: ListQuery, reader: ListReader) => Promise<Answer["is"]>;
  /** Tells each change of a list, until the watch ends. */
  readonly watch: (path: string, query: WatchQuery, take: (change: Change) => void) => Promise<WatchEnd>;
}
