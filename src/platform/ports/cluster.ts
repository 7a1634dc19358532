import type { Limits } from "../../base/limits.ts";
import type { Json } from "../../yaml/read/node.ts";
import type { Environment } from "./environment.ts";

export interface ClusterOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly environment: Environment;
  /** The longest time for one complete response. */
  readonly timeoutMs: number;
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
  readonly labelSelector?: string;
  /** Request only the metadata of the objects. */
  readonly metadataOnly?: boolean;
}

/** Receives a list page by page. A page is freed before the next one is requested. */
export interface ListReader {
  /** The list begins. It begins again if it has become too old for the server: discard what was received. */
  readonly begin: () => void;
  readonly take: (items: readonly Json[]) => void;
}

/** The object that a deletion is about: another one of the same name, or a later version of it, stays. */
export interface Preconditions {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** What became of a deletion. `changed`: the preconditions do not hold. */
export type Deletion = "deleted" | "changed" | "notFound" | "forbidden";

/** Access to a cluster. Only `rollstamp gc --delete` writes. */
export interface Cluster {
  readonly context: string;
  readonly server: string;
  /** The namespace of the context. */
  readonly namespace: string;
  readonly limits: Limits;
  readonly get: (path: string) => Promise<Answer>;
  readonly list: (path: string, query: ListQuery, reader: ListReader) => Promise<Answer["is"]>;
  readonly remove: (path: string, preconditions: Preconditions) => Promise<Deletion>;
}
