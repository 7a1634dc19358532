import { protectsCopy } from "../../base/copies.ts";
import { VERSION_OF } from "../../base/keys.ts";
import { parseTime } from "../../base/times.ts";
import type { Cluster, Preconditions } from "../../platform/ports/cluster.ts";
import { fieldsOf, textOf, textOrEmpty, valueAt } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { listPath, resourceName } from "../status/live-kinds.ts";
import type { Unseen } from "../status/status-report.ts";
import type { CopyKind } from "./copies-report.ts";
import { isName } from "./named-copies.ts";
import { listing, notReadable } from "./not-readable.ts";

/** A protected copy in the cluster. */
export interface LiveCopy extends Preconditions {
  readonly kind: CopyKind;
  readonly namespace: string;
  readonly name: string;
  readonly source: string;
  readonly createdAt: Date;
  /** Its path on the API server. */
  readonly path: string;
}

export interface LiveCopies {
  readonly copies: readonly LiveCopy[];
  readonly unprotected: number;
  readonly unseen: readonly Unseen[];
}

const METADATA = 500;

export const COPY_KINDS = [
  { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true, isOptional: false },
  // Few users version Secrets, and a list of metadata needs the right to read their values.
  { apiVersion: "v1", kind: "Secret", plural: "secrets", namespaced: true, isOptional: true },
] as const;

/** Lists the copies of a namespace, or of all: only their metadata. */
export async function readCopies(cluster: Cluster, namespace: string | undefined): Promise<LiveCopies> {
  const copies: LiveCopy[] = [];
  const unseen: Unseen[] = [];
  let unprotected = 0;
  for (const kind of COPY_KINDS) {
    let found: LiveCopy[] = [];
    let others = 0;
    const query = { limit: METADATA, metadataOnly: true, labelSelector: VERSION_OF };
    const answer = await cluster.list(listPath(kind, namespace), query, {
      begin: () => {
        found = [];
        others = 0;
      },
      take: (objects) => {
        for (const object of objects) {
          const copy = copyOf(object, kind);
          if (copy === "unprotected") others += 1;
          else if (copy !== undefined) found.push(copy);
        }
      },
    });
    if (answer === "forbidden" && kind.isOptional) unseen.push({ what: resourceName(kind), because: "forbidden" });
    else if (answer !== "found") throw notReadable(cluster, listing([resourceName(kind)], namespace));
    for (const copy of found) copies.push(copy);
    unprotected += others;
  }
  return { copies, unprotected, unseen };
}

/** The copy that an object is; undefined for any other object, and for one that is being deleted. */
function copyOf(object: Json, kind: (typeof COPY_KINDS)[number]): LiveCopy | "unprotected" | undefined {
  const { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp, labels, annotations } = fieldsOf(
    valueAt(object, ["metadata"]),
  );
  // A server or proxy may not know the selector.
  const source = textOf(fieldsOf(labels)[VERSION_OF]);
  const createdAt = parseTime(textOrEmpty(creationTimestamp));
  if (source === undefined || createdAt === undefined || deletionTimestamp !== undefined) return undefined;
  if (!isName(name) || !isName(namespace) || !isFilled(uid) || !isFilled(resourceVersion)) return undefined;
  if (!protectsCopy((key) => textOf(fieldsOf(annotations)[key]))) return "unprotected";
  const path = `${listPath(kind, namespace)}/${name}`;
  return { kind: kind.kind, namespace, name, source, createdAt, uid, resourceVersion, path };
}

function isFilled(value: Json | undefined): value is string {
  return typeof value === "string" && value !== "";
}
