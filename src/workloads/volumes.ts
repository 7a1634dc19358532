import { posix } from "node:path";
import type { Keys } from "../digest/hash-v1.ts";
import { get, getString, itemsOf, kindOf } from "../manifest/node.ts";
import { NONE, type YamlTree } from "../manifest/tree.ts";
import type { ReferencedKind } from "../ground/referenced-kinds.ts";
import type { Container } from "./containers.ts";
import { whole, type ReferenceScope } from "./reference-scope.ts";
import type { Mount, Reference, Via, VolumeUse } from "./types.ts";

/** The SecretProviderClass driver of the Secrets Store CSI. */
const SECRETS_STORE_DRIVER = "secrets-store.csi.k8s.io";

/** The references of a list of volumes. Each counts, mounted or not: a sidecar may be injected. */
export function volumesReferences(
  scope: ReferenceScope,
  list: number,
  field: string,
  containers: readonly Container[],
): Reference[] {
  return itemsOf(scope.tree, list).flatMap((volume, i) => {
    const name = getString(scope.tree, volume, "name");
    return volumeReferences(scope, volume, `${field}[${i}]`, viewOf(scope.tree, name, containers));
  });
}

/** How containers see one volume. */
interface View {
  readonly use: VolumeUse;
  /** The containers that mount it, each once. */
  readonly containers: readonly string[];
  /** The paths inside the volume that containers see; "*" where one sees all of it. */
  readonly paths: "*" | readonly string[];
}

/** A volume of which nothing is known but that it is there. */
const SEEN_WHOLE: View = { use: { name: "", mounts: [] }, containers: [], paths: "*" };

function viewOf(tree: YamlTree, volume: string | undefined, containers: readonly Container[]): View {
  const mounts: Mount[] = [];
  const paths: string[] = [];
  let all = false;
  for (const container of containers) {
    for (const mount of itemsOf(tree, get(tree, container.node, "volumeMounts"))) {
      if (getString(tree, mount, "name") !== volume) continue;
      const expression = getString(tree, mount, "subPathExpr") ?? "";
      const subPath = getString(tree, mount, "subPath") ?? "";
      const { name, field } = container;
      mounts.push({
        container: name,
        field,
        mountPath: getString(tree, mount, "mountPath") ?? "",
        subPath: subPath || expression,
      });
      const path = posix.normalize(subPath).replace(/\/$/u, "");
      // What an expression gives is known in the pod only.
      if (expression !== "" || path === "." || path === "" || path.startsWith("..")) all = true;
      else paths.push(path);
    }
  }
  return {
    use: { name: volume ?? "", mounts },
    containers: [...new Set(mounts.map((mount) => mount.container))],
    paths: all || paths.length === 0 ? "*" : paths,
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

/** The references of one volume. */
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
    const named = getString(tree, source, name);
    if (named !== undefined && named !== "")
      found.push(files(scope, kind, named, "volume", source, `${field}.${key}`, view));
  }
  found.push(...projectedReferences(scope, get(tree, volume, "projected"), `${field}.projected`, view));
  const csi = get(tree, volume, "csi");
  if (getString(tree, csi, "driver") === SECRETS_STORE_DRIVER) {
    const named = getString(tree, csi, "volumeAttributes", "secretProviderClass");
    const at = `${field}.csi.volumeAttributes.secretProviderClass`;
    if (named !== undefined && named !== "") {
      found.push({ ...whole(scope, "SecretProviderClass", named, "csi", csi, at, view.containers), volume: view.use });
    }
  }
  return [...found, ...driverSecrets(scope, volume, field, view)];
}

/** The references of a projected volume's source. */
export function projectedReferences(
  scope: ReferenceScope,
  projected: number,
  field: string,
  view: View = SEEN_WHOLE,
): Reference[] {
  const { tree } = scope;
  return itemsOf(tree, get(tree, projected, "sources")).flatMap((projection, i) =>
    PROJECTED_SOURCES.flatMap(({ key, kind }) => {
      const source = get(tree, projection, key);
      const named = getString(tree, source, "name");
      if (named === undefined || named === "") return [];
      return [files(scope, kind, named, "projected", source, `${field}.sources[${i}].${key}`, view)];
    }),
  );
}

/** The Secrets that volume drivers are given: `secretRef`, and CSI's `nodePublishSecretRef`. */
const DRIVER_SECRETS = ["secretRef", "nodePublishSecretRef"] as const;

// The volume kinds that have such a field (core/v1, types.go).
const VOLUME_DRIVERS = ["csi", "flexVolume", "cephfs", "cinder", "iscsi", "rbd", "scaleIO", "storageos"] as const;

function driverSecrets(scope: ReferenceScope, volume: number, field: string, view: View): Reference[] {
  const { tree } = scope;
  return VOLUME_DRIVERS.flatMap((driver) => {
    const source = get(tree, volume, driver);
    if (kindOf(tree, source) !== "mapping") return [];
    return DRIVER_SECRETS.flatMap((key) => {
      const reference = get(tree, source, key);
      const name = getString(tree, reference, "name");
      if (name === undefined || name === "") return [];
      const via: Via = driver === "csi" ? "csi" : "volume";
      return [
        {
          ...whole(scope, "Secret", name, via, reference, `${field}.${driver}.${key}`, view.containers),
          volume: view.use,
        },
      ];
    });
  });
}

/** A volume of files: the keys that it shows are those of `items`, and of the paths that are mounted. */
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
    const key = getString(tree, item, "key") ?? "";
    return { key, path: getString(tree, item, "path") ?? key };
  });
  return {
    ...whole(scope, kind, name, via, node, field, view.containers),
    keys: visibleKeys(itemsNode === NONE || items.length === 0 ? undefined : items, view.paths),
    requiredKeys: items.map((item) => item.key),
    volume: view.use,
  };
}

function visibleKeys(items: readonly { key: string; path: string }[] | undefined, paths: View["paths"]): Keys {
  if (items === undefined) return paths === "*" ? "*" : new Set(paths);
  const seen = items.filter(
    ({ path }) => paths === "*" || paths.some((mounted) => isBelow(posix.normalize(path), mounted)),
  );
  return new Set(seen.map((item) => item.key));
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
