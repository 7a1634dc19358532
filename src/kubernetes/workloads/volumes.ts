import { posix } from "node:path";
import { nameAt } from "../../yaml/read/items.ts";
import { get, getString, itemsOf, kindOf } from "../../yaml/read/node.ts";
import { NONE, type YamlTree } from "../../yaml/read/tree.ts";
import { TRUST_BUNDLE, type ReferencedKind } from "../../base/referenced-kinds.ts";
import { isSourceKey } from "../../base/names.ts";
import { addTo, onceForText } from "../../base/grouped.ts";
import type { Container } from "./containers.ts";
import { whole, type ReferenceScope } from "./reference-scope.ts";
import { shownBundles, stampedBundles } from "./trust-bundles.ts";
import type { Mount, Reference, Via, VolumeUse } from "./types.ts";

/** The driver of the Secrets Store CSI, which names a SecretProviderClass. */
const SECRETS_STORE_DRIVER = "secrets-store.csi.k8s.io";

/** The references of a list of volumes. Unmounted volumes count too: a sidecar may be injected. */
export function volumesReferences(scope: ReferenceScope, list: number, field: string, views: Views): Reference[] {
  const named = new Set<string | undefined>();
  return itemsOf(scope.tree, list).flatMap((volume, i) => {
    const name = nameAt(scope.tree, volume, "name");
    const view = views(name);
    // The API server refuses a second volume of a name. The keys of all mounts would count again for each.
    const seen = named.has(name) ? { ...view, keys: [] } : view;
    named.add(name);
    return volumeReferences(scope, volume, `${field}[${i}]`, seen);
  });
}

/** How containers see one volume. */
interface View {
  readonly use: VolumeUse;
  readonly containers: readonly string[];
  /** The keys that containers mount by subPath. Without one the kubelet makes an empty folder, on which most containers fail. */
  readonly keys: readonly string[];
  /** The paths inside the volume that containers see; "*" if one sees everything. */
  readonly paths: "*" | ReadonlySet<string>;
  /** Whether containers see a path, or a parent folder of it. */
  readonly shows: (path: string) => boolean;
}

/** How containers see the volumes of a pod, by name. */
export type Views = (volume: string | undefined) => View;

/** A volume about which nothing else is known. */
const SEEN_WHOLE: View = { use: { name: "", mounts: [] }, containers: [], keys: [], paths: "*", shows: () => true };

/** How containers see the volumes of a pod. All mounts are read once, whatever the number of volumes. */
export function viewsOf(tree: YamlTree, containers: readonly Container[]): Views {
  const mounts = new Map<string, Seen[]>();
  for (const { node, name, field } of containers) {
    for (const mount of itemsOf(tree, get(tree, node, "volumeMounts"))) {
      const volume = nameAt(tree, mount, "name");
      if (volume === undefined) continue;
      const expression = getString(tree, mount, "subPathExpr") ?? "";
      const subPath = getString(tree, mount, "subPath") ?? "";
      const mountPath = getString(tree, mount, "mountPath") ?? "";
      const seen: Seen = {
        mount: { container: name, field, mountPath, subPath: subPath || expression },
        // The value of an expression is known only in the pod.
        path: expression === "" ? pathInside(subPath) : undefined,
      };
      addTo(mounts, volume, seen);
    }
  }
  const view = onceForText((volume) => viewOf(volume, mounts.get(volume) ?? []));
  return (volume = "") => view(volume);
}

/** A mount, and the path inside the volume that it shows; undefined for everything. */
interface Seen {
  readonly mount: Mount;
  readonly path: string | undefined;
}

function viewOf(name: string, seen: readonly Seen[]): View {
  const mounts = seen.map(({ mount }) => mount);
  const use = { name, mounts };
  const containers = [...new Set(mounts.map(({ container }) => container))];
  const keys = [...new Set(mounts.flatMap(({ subPath }) => (isSourceKey(subPath) ? [subPath] : [])))];
  const paths = new Set<string>();
  for (const { path } of seen) {
    if (path === undefined) return { use, containers, keys, paths: "*", shows: () => true };
    paths.add(path);
  }
  return paths.size === 0
    ? { use, containers, keys, paths: "*", shows: () => true }
    : { use, containers, keys, paths, shows: isBelow(paths) };
}

/** The path inside a volume that a subPath names; undefined for everything. */
function pathInside(subPath: string): string | undefined {
  const path = posix.normalize(subPath).replace(/\/$/u, "");
  return path === "." || path === "" || path.startsWith("..") ? undefined : path;
}

interface Folder {
  isOne: boolean;
  readonly inside: Map<string, Folder>;
}

/** Checks whether a path is one of several, or below one, step by step instead of comparing all. */
function isBelow(paths: ReadonlySet<string>): (path: string) => boolean {
  const root: Folder = { isOne: false, inside: new Map() };
  for (const path of paths) {
    let folder = root;
    for (const step of path.split("/")) {
      const next = folder.inside.get(step) ?? { isOne: false, inside: new Map<string, Folder>() };
      folder.inside.set(step, next);
      folder = next;
    }
    folder.isOne = true;
  }
  return (path) => {
    let folder: Folder | undefined = root;
    for (const step of path.split("/")) {
      folder = folder.inside.get(step);
      if (folder === undefined) return false;
      if (folder.isOne) return true;
    }
    return false;
  };
}

const VOLUME_SOURCES: readonly { key: string; kind: ReferencedKind; name: string }[] = [
  { key: "configMap", kind: "ConfigMap", name: "name" },
  { key: "secret", kind: "Secret", name: "secretName" },
];

const PROJECTED_SOURCES: readonly { key: string; kind: ReferencedKind }[] = [
  { key: "configMap", kind: "ConfigMap" },
  { key: "secret", kind: "Secret" },
];

export function volumeReferences(
  scope: ReferenceScope,
  volume: number,
  field: string,
  view: View = SEEN_WHOLE,
): Reference[] {
  const { tree } = scope;
  const found: Reference[] = [];
  for (const { key, kind, name } of VOLUME_SOURCES) {
    const source = get(tree, volume, key);
    const named = nameAt(tree, source, name);
    if (named !== undefined && named !== "")
      found.push(files(scope, kind, named, "volume", source, `${field}.${key}`, view));
  }
  for (const reference of projectedReferences(scope, get(tree, volume, "projected"), `${field}.projected`, view))
    found.push(reference);
  const csi = get(tree, volume, "csi");
  if (getString(tree, csi, "driver") === SECRETS_STORE_DRIVER) {
    const named = nameAt(tree, get(tree, csi, "volumeAttributes"), "secretProviderClass");
    const path = `${field}.csi.volumeAttributes.secretProviderClass`;
    found.push(...forDriver(scope, "SecretProviderClass", named, "csi", csi, path, view));
  }
  return [...found, ...driverSecrets(scope, volume, field, view)];
}

/** The references of the sources of a projected volume. */
export function projectedReferences(
  scope: ReferenceScope,
  projected: number,
  field: string,
  view: View = SEEN_WHOLE,
): Reference[] {
  const { tree } = scope;
  return itemsOf(tree, get(tree, projected, "sources")).flatMap((projection, i) => [
    ...PROJECTED_SOURCES.flatMap(({ key, kind }) => {
      const source = get(tree, projection, key);
      const named = nameAt(tree, source, "name");
      if (named === undefined || named === "") return [];
      return [files(scope, kind, named, "projected", source, `${field}.sources[${i}].${key}`, view)];
    }),
    ...trustBundles(scope, projection, `${field}.sources[${i}]`, view),
  ]);
}

/** The ClusterTrustBundles that a source of a projected volume shows, as far as they are in the input or have a stamp. */
function trustBundles(scope: ReferenceScope, projection: number, field: string, view: View): Reference[] {
  const node = get(scope.tree, projection, "clusterTrustBundle");
  if (node === NONE) return [];
  const bundles = scope.trustBundles?.() ?? [];
  const reference = (name: string): Reference => ({
    ...whole(scope, TRUST_BUNDLE.kind, name, "projected", node, `${field}.clusterTrustBundle`, view.containers),
    namespace: "",
    volume: view.use,
  });
  return [
    ...shownBundles(scope.tree, node, bundles).map(({ name }) => reference(name)),
    ...stampedBundles(scope.tree, node, bundles, scope.annotations?.() ?? new Map()).map((name) => ({
      ...reference(name),
      optional: true,
    })),
  ];
}

/** The Secrets of volume drivers: `secretRef`, and CSI's `nodePublishSecretRef`. */
const DRIVER_SECRETS = ["secretRef", "nodePublishSecretRef"] as const;

// The volume kinds with such a field (core/v1, types.go).
const VOLUME_DRIVERS = ["csi", "flexVolume", "cephfs", "cinder", "iscsi", "rbd", "scaleIO", "storageos"] as const;

function driverSecrets(scope: ReferenceScope, volume: number, field: string, view: View): Reference[] {
  const { tree } = scope;
  const azureFile = get(tree, volume, "azureFile");
  const storageAccount = nameAt(tree, azureFile, "secretName");
  return [
    ...forDriver(scope, "Secret", storageAccount, "volume", azureFile, `${field}.azureFile`, view),
    ...VOLUME_DRIVERS.flatMap((driver) => {
      const source = get(tree, volume, driver);
      if (kindOf(tree, source) !== "mapping") return [];
      return DRIVER_SECRETS.flatMap((key) => {
        const reference = get(tree, source, key);
        const via: Via = driver === "csi" ? "csi" : "volume";
        const path = `${field}.${driver}.${key}`;
        return forDriver(scope, "Secret", nameAt(tree, reference, "name"), via, reference, path, view);
      });
    }),
  ];
}

/** The reference of a driver, which reads the whole source; none without a name. */
function forDriver(
  scope: ReferenceScope,
  kind: ReferencedKind,
  name: string | undefined,
  via: Via,
  node: number,
  field: string,
  view: View,
): Reference[] {
  if (name === undefined || name === "") return [];
  return [{ ...whole(scope, kind, name, via, node, field, view.containers), volume: view.use, isForDriver: true }];
}

/** Whether a source is files of a volume, which the kubelet updates, but not where they are mounted with `subPath`. */
export function isFiles({ via, isForDriver }: Pick<Reference, "via" | "isForDriver">): boolean {
  return isForDriver !== true && (via === "volume" || via === "projected");
}

/** A volume of files: it shows the keys of its `items` and of the mounted paths. */
function files(
  scope: ReferenceScope,
  kind: ReferencedKind,
  name: string,
  via: Via,
  node: number,
  field: string,
  view: View,
): Reference {
  const { tree } = scope;
  const itemsNode = get(tree, node, "items");
  const items = itemsOf(tree, itemsNode).map((item) => {
    const key = nameAt(tree, item, "key") ?? "";
    return { key, path: getString(tree, item, "path") ?? key };
  });
  return {
    ...whole(scope, kind, name, via, node, field, view.containers),
    keys:
      itemsNode === NONE || items.length === 0
        ? view.paths
        : new Set(items.filter(({ path }) => view.shows(posix.normalize(path))).map((item) => item.key)),
    requiredKeys: items.length > 0 ? items.map((item) => item.key) : via === "volume" ? view.keys : [],
    volume: view.use,
  };
}
