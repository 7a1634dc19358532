import { isScrapedPort } from "../../kubernetes/rollout/services.ts";
import { kindKey } from "../../base/identity.ts";
import type { Item } from "../../yaml/read/items.ts";
import { fieldsOf, isMapping, listOf, stableJson, textOf, textOrEmpty, valueAt } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";

// Changed objects that give up what their deletion would give up too: a Service, the autoscaler of a workload, pods and
// volumes, the key of Secrets, a version of a custom kind, or what Argo CD may apply.

/** The field by whose change others lose what the object gave them, or may lose their pods; undefined if none does. */
export function lostAccess(item: Item, from: Json, to: Json): string | undefined {
  return LOSING.get(kindKey(item))?.(from, to) ?? (mayRunImage(item) ? ofImage(from, to) : undefined);
}

/** Kinds whose images run in no pods, or only in the next ones; values of charts are compared with their rendering. */
const NOT_RUNNING: ReadonlySet<string> = new Set([
  "apiextensions.k8s.io/CustomResourceDefinition",
  "argoproj.io/Application",
  "argoproj.io/ApplicationSet",
  "caching.internal.knative.dev/Image",
  "helm.cattle.io/HelmChart",
  "helm.cattle.io/HelmChartConfig",
  "helm.toolkit.fluxcd.io/HelmRelease",
  "image.toolkit.fluxcd.io/ImageRepository",
  "opentelemetry.io/Instrumentation",
  "renovate-operator.mogenius.com/RenovateJob",
  "tekton.dev/ClusterTask",
  "tekton.dev/StepAction",
  "tekton.dev/Task",
]);

/** Whether an operator may run what `image` says: operator-fields.ts has kinds of which this is known. */
function mayRunImage(item: Item): boolean {
  return item.group.includes(".") && !NOT_RUNNING.has(kindKey(item));
}

/** Another image, outside of lists: those of pod templates are compared as such. */
function ofImage(from: Json, to: Json): string | undefined {
  const path = imageIn(valueAt(from, ["spec"]), valueAt(to, ["spec"]));
  return path === undefined ? undefined : ["spec", ...path].join(".");
}

function imageIn(from: Json | undefined, to: Json | undefined): readonly string[] | undefined {
  if (!isMapping(from) || !isMapping(to)) return undefined;
  if (stableJson(from["image"] ?? null) !== stableJson(to["image"] ?? null)) return ["image"];
  for (const [key, value] of Object.entries(to)) {
    const path = key === "image" ? undefined : imageIn(from[key], value);
    if (path !== undefined) return [key, ...path];
  }
  return undefined;
}

const LOSING: ReadonlyMap<string, (from: Json, to: Json) => string | undefined> = new Map([
  ["/Service", ofService],
  ["autoscaling/HorizontalPodAutoscaler", ofAutoscaler],
  ["keda.sh/ScaledObject", ofAutoscaler],
  // pkg/controller/statefulset: pods with other numbers are created, and those outside of the range are deleted.
  [
    "apps/StatefulSet",
    ofField(
      "spec.ordinals.start",
      (start) => start ?? 0,
      (old, now) => old !== now,
    ),
  ],
  // A claim without a class gets the default one when it is created, if the cluster has one, and keeps it
  // (plugin/pkg/admission/storage/storageclass/setdefault). Else the API server accepts a class
  // (validateStorageClassUpgradeFromNil in pkg/apis/core/validation).
  [
    "/PersistentVolumeClaim",
    ofField(
      "spec.storageClassName",
      (name) => name ?? null,
      (old, now) => old === null && now !== null,
    ),
  ],
  // A suspended CronJob runs no more, as if it were deleted.
  [
    "batch/CronJob",
    ofField(
      "spec.suspend",
      (is) => is === true,
      (old, now) => !old && now,
    ),
  ],
  // What Flux then does with Secrets that SOPS encrypted: refused-objects.ts.
  ["kustomize.toolkit.fluxcd.io/Kustomization", ofField("spec.decryption", isMapping, (old, now) => old && !now)],
  // Objects and clients of a version that is no longer served fail: which ones they are, only the cluster knows.
  [
    "apiextensions.k8s.io/CustomResourceDefinition",
    ofField("spec.versions", servedVersions, (old, now) => !old.every((name) => now.includes(name))),
  ],
  ["argoproj.io/AppProject", ofProject],
  ["argoproj.io/Application", (from, to) => ofSync(from, to, SYNC)],
  ["argoproj.io/ApplicationSet", (from, to) => ofSync(from, to, `spec.template.${SYNC}`)],
]);

function ofService(from: Json, to: Json): string | undefined {
  const [reached, still] = [reachOf(from), reachOf(to)];
  if (reached <= 0 || still === -1) return undefined;
  if (still < reached) return still === 0 ? "spec.externalName" : "spec.type";
  // A headless Service has the addresses of its pods all the same.
  if (textOf(valueAt(to, ["spec", "clusterIP"])) === "None") return undefined;
  const open = new Set(portsOf(to).map(({ key }) => key));
  return portsOf(from).some(({ key, name }) => !isScrapedPort(name) && !open.has(key)) ? "spec.ports" : undefined;
}

function ofAutoscaler(from: Json, to: Json): string | undefined {
  const [old, now] = [from, to].map((one) => {
    const { kind, name } = fieldsOf(valueAt(one, ["spec", "scaleTargetRef"]));
    // The default of KEDA.
    return stableJson([kind ?? "Deployment", name ?? null]);
  });
  return old === now ? undefined : "spec.scaleTargetRef";
}

/** A field by whose change from one value to another others lose something. */
function ofField<T>(
  path: string,
  read: (value: Json | undefined) => T,
  isLost: (old: T, now: T) => boolean,
): (from: Json, to: Json) => string | undefined {
  const readIn = (object: Json): T => read(valueAt(object, path.split(".")));
  return (from, to) => (isLost(readIn(from), readIn(to)) ? path : undefined);
}

/** The names of the served versions of a custom kind. */
function servedVersions(versions: Json | undefined): readonly string[] {
  return listOf(versions).flatMap((version) => {
    const { name, served } = fieldsOf(version);
    return served === true ? [textOrEmpty(name)] : [];
  });
}

const SYNC = "spec.syncPolicy.automated";

/** Once Argo CD syncs or prunes automatically, it also applies earlier changes that nobody synced, and deletes what they left in the cluster. */
function ofSync(from: Json, to: Json, path: string): string | undefined {
  const [old, now] = [from, to].map((one) => {
    const automated = valueAt(one, path.split("."));
    const { enabled, prune } = fieldsOf(automated);
    const isAutomated = isMapping(automated) && enabled !== false;
    return { isAutomated, isPruned: isAutomated && prune === true };
  });
  if (old?.isAutomated === false && now?.isAutomated === true) return path;
  return old?.isPruned === false && now?.isPruned === true ? `${path}.prune` : undefined;
}

/** The lists of an AppProject, and whether each denies what it names. */
const PROJECT_LISTS: Readonly<Record<string, boolean>> = {
  "spec.destinations": false,
  "spec.sourceRepos": false,
  "spec.clusterResourceWhitelist": false,
  "spec.namespaceResourceWhitelist": false,
  "spec.clusterResourceBlacklist": true,
  "spec.namespaceResourceBlacklist": true,
};

/** The kinds that a project permits in namespaces if it lists none. */
const ALL_KINDS: Json = [{ group: "*", kind: "*" }];

/** Argo CD applies no more changes of Applications that need what the project no longer permits. */
function ofProject(from: Json, to: Json): string | undefined {
  return Object.entries(PROJECT_LISTS).find(([path, denies]) => {
    const [old, now] = [from, to].map((one) => {
      const list = valueAt(one, path.split("."));
      return listOf(list ?? (path === "spec.namespaceResourceWhitelist" ? ALL_KINDS : undefined));
    });
    return !(denies ? areIn(now, old) : areIn(old, now));
  })?.[0];
}

const MOST_PATTERNS = 100;

/** Whether a list has all entries of another one, or entries that differ from these only by a `*`. */
function areIn(entries: readonly Json[] = [], list: readonly Json[] = []): boolean {
  const known = new Set(list.map(stableJson));
  const patterns = list
    .filter((one) => Object.values(isMapping(one) ? one : [one]).includes("*"))
    .slice(0, MOST_PATTERNS);
  return entries.every((entry) => known.has(stableJson(entry)) || patterns.some((one) => covers(one, entry)));
}

function covers(pattern: Json, entry: Json): boolean {
  if (!isMapping(pattern)) return true;
  return Object.entries(pattern).every(([key, value]) => value === "*" || value === fieldsOf(entry)[key]);
}

/** The types of Services, each with the clients of the ones before it. The first one has none: requests go to another name. */
const TYPES: readonly string[] = ["ExternalName", "ClusterIP", "NodePort", "LoadBalancer"];

/** How far clients of a Service may be; -1 for another type. */
function reachOf(service: Json): number {
  return TYPES.indexOf(textOrEmpty(valueAt(service, ["spec", "type"])) || "ClusterIP");
}

function portsOf(service: Json): readonly { readonly key: string; readonly name: string }[] {
  return listOf(valueAt(service, ["spec", "ports"])).map((one) => {
    const { name, port, protocol } = fieldsOf(one);
    return { key: stableJson([port ?? null, textOrEmpty(protocol) || "TCP"]), name: textOrEmpty(name) };
  });
}
