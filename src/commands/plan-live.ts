import type { Cluster } from "../io/cluster.ts";
import type { ConfigHashSpec } from "../config/config-hash.ts";
import { RollstampError } from "../ground/errors.ts";
import { describe, type Item, type Manifests } from "../manifest/items.ts";
import { toJson, type Json } from "../manifest/node.ts";
import { liveBase } from "../plan/live-base.ts";
import { workloadKinds } from "../workloads/workload-kinds.ts";
import { DECLARED_KINDS } from "../sources/declared-kinds.ts";
import { listPath, servedKinds, type ServedKind } from "../status/live-kinds.ts";
import { liveManifests } from "../status/live-manifests.ts";
import { asWritten } from "../status/live-objects.ts";

const AT_ONCE = 8;

/** What the cluster holds of the objects that a rendering would apply: the base of `plan --live`. */
export async function readLiveBase(
  cluster: Cluster,
  head: readonly Manifests[],
  spec: ConfigHashSpec,
): Promise<readonly Manifests[]> {
  const items = head.flatMap((manifests) => manifests.items).filter((item) => item.name !== "" && matters(item, spec));
  const kinds = new Map<string, ServedKind>();
  for (const apiVersion of new Set(items.map((item) => item.apiVersion))) {
    for (const kind of await kindsOf(cluster, apiVersion, items)) kinds.set(`${apiVersion} ${kind.kind}`, kind);
  }
  const found: Json[] = [];
  const left = [...items];
  const work = async (): Promise<void> => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) {
      const kind = kinds.get(`${item.apiVersion} ${item.kind}`);
      if (kind !== undefined) found.push(...(await readOne(cluster, item, kind, spec)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const manifests = liveManifests(found, `cluster ${cluster.context}`, cluster.limits);
  return manifests === undefined ? [] : [manifests];
}

function matters({ group, kind }: Item, spec: ConfigHashSpec): boolean {
  if (group === "" && (kind === "ConfigMap" || kind === "Secret")) return true;
  return [...workloadKinds(spec), ...DECLARED_KINDS].some((row) => row.group === group && row.kind === kind);
}

async function kindsOf(cluster: Cluster, apiVersion: string, items: readonly Item[]): Promise<readonly ServedKind[]> {
  const path = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const answer = await cluster.get(path);
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
  const head = toJson(item.tree, item.node);
  const path = listPath(kind, item.namespace || spec.defaultNamespace);
  const answer = await cluster.list(path, query, {
    begin: () => found.splice(0),
    take: (objects) => {
      for (const object of objects) found.push(asWritten(isSource(item) ? object : liveBase(object, head), kind));
    },
  });
  if (answer === "forbidden") throw unseen(cluster, describe(item));
  return found;
}

function isSource({ group, kind }: Item): boolean {
  return group === "" && (kind === "ConfigMap" || kind === "Secret");
}

function unseen({ context }: Cluster, what: string): RollstampError {
  return new RollstampError("system", `the user of context '${context}' may not see ${what} (forbidden)`, {
    remedy: "Bind both ClusterRoles of docs/live.md: what can't be seen would count as created.",
  });
}
