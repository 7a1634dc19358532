import { posix } from "node:path";
import type { Keys } from "../digest/hash-v1.ts";
import { get, getString, isTrue, itemsOf, kindOf } from "../manifest/node.ts";
import { NONE, type YamlTree } from "../manifest/tree.ts";
import type { ReferencedKind } from "../sources/types.ts";
import type { Reference, Via } from "./types.ts";

// The places of a pod spec that name ConfigMaps and Secrets (k8s.io/api core/v1, types.go:
// EnvVarSource, EnvFromSource, VolumeSource). imagePullSecrets don't reach a container.

/** The SecretProviderClass driver of the Secrets Store CSI. */
const SECRETS_STORE_DRIVER = "secrets-store.csi.k8s.io";

const CONTAINER_LISTS = ["initContainers", "containers", "ephemeralContainers"] as const;

/** Where references are read from, and what they have in common. */
export interface ReferenceScope {
  readonly tree: YamlTree;
  readonly namespace: string;
}

interface Container {
  readonly node: number;
  readonly name: string;
  readonly field: string;
}

/** Every reference of a pod spec, in the order in which it stands there. */
export function podSpecReferences(scope: ReferenceScope, podSpec: number, field: string): Reference[] {
  const containers = CONTAINER_LISTS.flatMap((list) =>
    readContainers(scope, get(scope.tree, podSpec, list), `${field}.${list}`),
  );
  return [
    ...containers.flatMap((container) => containerReferences(scope, container)),
    ...volumesReferences(scope, get(scope.tree, podSpec, "volumes"), `${field}.volumes`, containers),
  ];
}

/** The references of the containers in a list. */
export function containersReferences(scope: ReferenceScope, list: number, field: string): Reference[] {
  return readContainers(scope, list, field).flatMap((container) => containerReferences(scope, container));
}

function readContainers(scope: ReferenceScope, list: number, field: string): Container[] {
  return itemsOf(scope.tree, list).map((node, i) => ({
    node,
    name: getString(scope.tree, node, "name") ?? String(i),
    field: `${field}[${i}]`,
  }));
}

function containerReferences(scope: ReferenceScope, container: Container): Reference[] {
  const { tree } = scope;
  return [
    ...envReferences(scope, get(tree, container.node, "env"), `${container.field}.env`, [container.name]),
    ...itemsOf(tree, get(tree, container.node, "envFrom")).flatMap((entry, i) =>
      ENV_FROM.flatMap(({ key, kind }) => {
        const reference = get(tree, entry, key);
        const name = getString(tree, reference, "name");
        if (name === undefined || name === "") return [];
        return [whole(scope, kind, name, "envFrom", reference, `${container.field}.envFrom[${i}].${key}`, [container.name])];
      }),
    ),
  ];
}

const ENV_FROM: readonly { key: string; kind: ReferencedKind }[] = [
  { key: "configMapRef", kind: "ConfigMap" },
  { key: "secretRef", kind: "Secret" },
];

const ENV_VALUE_FROM: readonly { key: string; kind: ReferencedKind }[] = [
  { key: "configMapKeyRef", kind: "ConfigMap" },
  { key: "secretKeyRef", kind: "Secret" },
];

/** The references of a list of environment variables: each shows one key. */
export function envReferences(scope: ReferenceScope, list: number, field: string, containers: readonly string[]): Reference[] {
  const { tree } = scope;
  return itemsOf(tree, list).flatMap((entry, i) =>
    ENV_VALUE_FROM.flatMap(({ key, kind }): Reference[] => {
      const reference = get(tree, get(tree, entry, "valueFrom"), key);
      const name = getString(tree, reference, "name");
      const shown = getString(tree, reference, "key");
      if (name === undefined || name === "" || shown === undefined) return [];
      return [
        {
          kind,
          namespace: scope.namespace,
          name,
          keys: new Set([shown]),
          requiredKeys: [shown],
          via: "env",
          optional: isTrue(tree, get(tree, reference, "optional")),
          containers,
          field: `${field}[${i}].valueFrom.${key}`,
          node: reference,
        },
      ];
    }),
  );
}

function whole(
  scope: ReferenceScope,
  kind: ReferencedKind,
  name: string,
  via: Via,
  node: number,
  field: string,
  containers: readonly string[],
): Reference {
  return {
    kind,
    namespace: scope.namespace,
    name,
    keys: "*",
    requiredKeys: [],
    via,
    optional: isTrue(scope.tree, get(scope.tree, node, "optional")),
    containers,
    field,
    node,
  };
}

/** How containers mount one volume. */
interface Mounts {
  readonly containers: readonly string[];
  /** The paths inside the volume that containers see; "*" where one sees all of it. */
  readonly paths: "*" | readonly string[];
}

/** The references of a list of volumes. Each counts, mounted or not: a sidecar may be injected. */
export function volumesReferences(
  scope: ReferenceScope,
  list: number,
  field: string,
  containers: readonly Container[] = [],
): Reference[] {
  return itemsOf(scope.tree, list).flatMap((volume, i) => {
    const name = getString(scope.tree, volume, "name");
    return volumeReferences(scope, volume, `${field}[${i}]`, mountsOf(scope.tree, name, containers));
  });
}

function mountsOf(tree: YamlTree, volume: string | undefined, containers: readonly Container[]): Mounts {
  const names: string[] = [];
  const paths: string[] = [];
  let all = false;
  for (const container of containers) {
    for (const mount of itemsOf(tree, get(tree, container.node, "volumeMounts"))) {
      if (getString(tree, mount, "name") !== volume) continue;
      names.push(container.name);
      const subPath = posix.normalize(getString(tree, mount, "subPath") ?? "").replace(/\/$/u, "");
      const isExpression = (getString(tree, mount, "subPathExpr") ?? "") !== "";
      if (isExpression || subPath === "." || subPath === "" || subPath.startsWith("..")) all = true;
      else paths.push(subPath);
    }
  }
  return { containers: [...new Set(names)], paths: all || paths.length === 0 ? "*" : paths };
}

const VOLUME_SOURCES: readonly { key: string; kind: ReferencedKind; name: string }[] = [
  { key: "configMap", kind: "ConfigMap", name: "name" },
  { key: "secret", kind: "Secret", name: "secretName" },
];

const PROJECTED_SOURCES: readonly { key: string; kind: ReferencedKind }[] = [
  { key: "configMap", kind: "ConfigMap" },
  { key: "secret", kind: "Secret" },
];

function volumeReferences(scope: ReferenceScope, volume: number, field: string, mounts: Mounts): Reference[] {
  const { tree } = scope;
  const found: Reference[] = [];
  for (const { key, kind, name } of VOLUME_SOURCES) {
    const source = get(tree, volume, key);
    const named = getString(tree, source, name);
    if (named !== undefined && named !== "") found.push(files(scope, kind, named, "volume", source, `${field}.${key}`, mounts));
  }
  itemsOf(tree, get(tree, get(tree, volume, "projected"), "sources")).forEach((projection, i) => {
    for (const { key, kind } of PROJECTED_SOURCES) {
      const source = get(tree, projection, key);
      const named = getString(tree, source, "name");
      const at = `${field}.projected.sources[${i}].${key}`;
      if (named !== undefined && named !== "") found.push(files(scope, kind, named, "projected", source, at, mounts));
    }
  });
  const csi = get(tree, volume, "csi");
  if (getString(tree, csi, "driver") === SECRETS_STORE_DRIVER) {
    const named = getString(tree, csi, "volumeAttributes", "secretProviderClass");
    const at = `${field}.csi.volumeAttributes.secretProviderClass`;
    if (named !== undefined && named !== "") {
      found.push(whole(scope, "SecretProviderClass", named, "csi", csi, at, mounts.containers));
    }
  }
  return [...found, ...driverSecrets(scope, volume, field, mounts)];
}

/** The Secrets that volume drivers are given: `secretRef`, and CSI's `nodePublishSecretRef`. */
const DRIVER_SECRETS = ["secretRef", "nodePublishSecretRef"] as const;

function driverSecrets(scope: ReferenceScope, volume: number, field: string, mounts: Mounts): Reference[] {
  const { tree } = scope;
  return VOLUME_DRIVERS.flatMap((driver) => {
    const source = get(tree, volume, driver);
    if (kindOf(tree, source) !== "mapping") return [];
    return DRIVER_SECRETS.flatMap((key) => {
      const reference = get(tree, source, key);
      const name = getString(tree, reference, "name");
      if (name === undefined || name === "") return [];
      const via: Via = driver === "csi" ? "csi" : "volume";
      return [whole(scope, "Secret", name, via, reference, `${field}.${driver}.${key}`, mounts.containers)];
    });
  });
}

// The volume kinds that have such a field (core/v1, types.go).
const VOLUME_DRIVERS = ["csi", "flexVolume", "cephfs", "cinder", "iscsi", "rbd", "scaleIO", "storageos"] as const;

/** A volume of files: the keys that it shows are those of `items`, and of the paths that are mounted. */
function files(
  scope: ReferenceScope,
  kind: ReferencedKind,
  name: string,
  via: Via,
  node: number,
  field: string,
  mounts: Mounts,
): Reference {
  const { tree } = scope;
  const itemsNode = get(tree, node, "items");
  const items = itemsOf(tree, itemsNode).map((item) => {
    const key = getString(tree, item, "key") ?? "";
    return { key, path: getString(tree, item, "path") ?? key };
  });
  const reference = whole(scope, kind, name, via, node, field, mounts.containers);
  return {
    ...reference,
    keys: visibleKeys(itemsNode === NONE || items.length === 0 ? undefined : items, mounts.paths),
    requiredKeys: items.map((item) => item.key),
  };
}

function visibleKeys(items: readonly { key: string; path: string }[] | undefined, paths: Mounts["paths"]): Keys {
  if (items === undefined) return paths === "*" ? "*" : new Set(paths);
  const seen = items.filter(({ path }) => paths === "*" || paths.some((mounted) => isBelow(posix.normalize(path), mounted)));
  return new Set(seen.map((item) => item.key));
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
