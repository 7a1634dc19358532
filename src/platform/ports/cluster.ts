import type { Limits } from "../../base/limits.ts";
import type { Json } from "../../yaml/read/node.ts";
import type { Environment } from "./environment.ts";

export interface ClusterOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly environment: Environment;
  /** The longest time for one complete response. */
  readonly timeoutMs: number;
  /** Limits for responses. */
  readonly limits: Limits;
}

/** A response that is not a failure. Many clusters answer "forbidden" or "not found": reports show that. */
export type Answer =
  | { readonly is: "found"; readonly body: Json }
  | { readonly is: "forbidden" }
  | { readonly is: "notFound" };

export interface ListQuery {
  readonly limit: number;
  readonly fieldSelector?: string;
  /** Request only the metadata of the objects. */
  readonly metadataOnly?: boolean;
}

/** Receives a list page by page. A page is freed before the next one is requested. */
export interface ListReader {
  /** The list begins. It begins again if it has become too old for the server: discard what was received. */
  readonly begin: () => void;
  readonly take: (items: readonly Json[]) => void;
  /** The list is complete. A watch can continue from this version. */
  readonly end?: (resourceVersion: string) => void;
}

export interface WatchQuery extends Pick<ListQuery, "fieldSelector" | "metadataOnly"> {
  /** The version of the list after which changes are sent. */
  readonly resourceVersion: string;
  /** When the server ends the watch; then it is started again. */
  readonly seconds: number;
  /** Ends the watch at once. */
  readonly signal: AbortSignal;
  /** The server has accepted the watch. */
  readonly begun: () => void;
}

/** A change of an object in a list. */
export interface Change {
  readonly is: "changed" | "gone";
  readonly object: Json;
}

/** How a watch ended. `expired`: the server no longer knows the changes, so the list must be read again. */
export type WatchEnd =
  | { readonly is: "ended"; readonly resourceVersion: string }
  | { readonly is: "expired" | "forbidden" | "notFound" };

/** Read access to a cluster. */
export interface Cluster {
  readonly context: string;
  readonly server: string;
  /** The namespace of the context. */
  readonly namespace: string;
  /** Limits for responses. */
  readonly limits: Limits;
  readonly get: (path: string) => Promise<Answer>;
  readonly list: (path: string, query: ListQuery, reader: ListReader) => Promise<Answer["is"]>;
  /** Passes each change of a list to `take` until the watch ends. */
  readonly watch: (path: string, query: WatchQuery, take: (change: Change) => void) => Promise<WatchEnd>;
}
