import { editedManifests, type Edits } from "../yaml/edit/splice.ts";
import { apiPath } from "../base/identity.ts";
import type { Cluster } from "../platform/ports/cluster.ts";
import type { ConfigHashSpec } from "../stamping/function/config-hash.ts";
import { RollstampError } from "../base/errors.ts";
import { describe, type Item, type Manifests } from "../yaml/read/items.ts";
import { appliedJson } from "../yaml/read/kubectl-view.ts";
import { type Json } from "../yaml/read/node.ts";
import type { Limits } from "../base/limits.ts";
import { onceFor } from "../base/grouped.ts";
import { stampingUses } from "../stamping/pipeline.ts";
import { applied } from "../reports/plan/applied.ts";
import { listPath, servedKinds, type ServedKind } from "../reports/status/live-kinds.ts";
import { liveManifests, asWritten } from "../reports/status/live-objects.ts";
import { isSource } from "../base/referenced-kinds.ts";

const AT_ONCE = 8;

/** The two sides of `plan --live`. */
export interface LiveSides {
  /** What the cluster holds of the objects that a rendering would apply. */
  readonly base: readonly Manifests[];
  /** The rendering with edits, such as stamps; each workload that the cluster has as applying would leave it there. */
  readonly appliedWith: (edits: Edits) => readonly Manifests[];
}

/** Reads what the cluster holds, and works out what an apply of the rendering makes of it. */
export async function readLiveSides(
  cluster: Cluster,
  head: readonly Manifests[],
  spec: ConfigHashSpec,
): Promise<LiveSides> {
  const items = head.flatMap((manifests) => manifests.items).filter((item) => item.name !== "" && matters(spec)(item));
  const kinds = new Map<string, ServedKind>();
  for (const apiVersion of new Set(items.map((item) => item.apiVersion))) {
    for (const kind of await kindsOf(cluster, apiVersion, items)) kinds.set(`${apiVersion} ${kind.kind}`, kind);
  }
  const found: Json[] = [];
  /** What the cluster has of each workload of the rendering, with its kind. */
  const liveObjects = new Map<Item, { readonly object: Json; readonly kind: ServedKind }>();
  const waiting = [...items];
  const work = async (): Promise<void> => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
      const kind = kinds.get(`${item.apiVersion} ${item.kind}`);
      if (kind === undefined) continue;
      const objects = await readOne(cluster, item, kind, spec);
      for (const object of objects) {
        found.push(asWritten(object, kind));
        if (!isSource(item)) liveObjects.set(item, { object, kind });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return {
    base: asManifests(found, `cluster ${cluster.context}`, cluster.limits),
    appliedWith: (edits) => {
      const merged: Json[] = [];
      const left = head.map((before) => {
        const manifests = editedManifests(before, edits);
        // Edits keep the objects and their order.
        const others = manifests.items.filter((item, i) => {
          const original = before.items[i];
          const known = original === undefined ? undefined : liveObjects.get(original);
          if (known === undefined) return true;
          merged.push(asWritten(applied(known.object, appliedJson(item.tree, item.node)), known.kind));
          return false;
        });
        return { ...manifests, items: others };
      });
      return [...asManifests(merged, `cluster ${cluster.context} after the apply`, cluster.limits), ...left];
    },
  };
}

function asManifests(objects: readonly Json[], name: string, limits: Limits): Manifests[] {
  const manifests = liveManifests(objects, name, limits);
  return manifests === undefined ? [] : [manifests];
}

/** Whether an object makes a difference to stamps: gathered once for a configuration, and asked of each object. */
const matters = onceFor(stampingUses);

async function kindsOf(cluster: Cluster, apiVersion: string, items: readonly Item[]): Promise<readonly ServedKind[]> {
  const answer = await cluster.get(apiPath(apiVersion));
  // A kind that the server doesn't know has no objects yet.
  if (answer.is === "notFound") return [];
  if (answer.is === "forbidden") throw unseen(cluster, apiVersion);
  const wanted = items.map(({ group, kind }) => ({ group, kind, use: "workload" as const }));
  return servedKinds(apiVersion, answer.body, wanted);
}

/** A list of one: so the rights of `status` are enough. */
async function readOne(cluster: Cluster, item: Item, kind: ServedKind, spec: ConfigHashSpec): Promise<Json[]> {
  const found: Json[] = [];
  const query = { limit: 1, fieldSelector: `metadata.name=${item.name}` };
  const path = listPath(kind, item.namespace || spec.defaultNamespace);
  const answer = await cluster.list(path, query, {
    begin: () => found.splice(0),
    take: (objects) => {
      for (const object of objects) found.push(object);
    },
  });
  if (answer === "forbidden") throw unseen(cluster, describe(item));
  return found;
}

function unseen({ context }: Cluster, what: string): RollstampError {
  return new RollstampError("system", `the user of context '${context}' may not see ${what} (forbidden)`, {
    remedy: "Bind both ClusterRoles of docs/guides/clusters.md: what can't be seen would count as created.",
  });
}
