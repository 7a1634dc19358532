import type { Json } from "../../yaml/read/node.ts";

export type JsonObject = { readonly [key: string]: Json };

/** The default of a field: a value, or one that is computed from the object's other fields. */
type Default = Json | ((object: JsonObject) => Json);

const FILE_MODE = 0o644;

// Kubernetes 1.34, pkg/apis/core/v1/defaults.go and the declared defaults in zz_generated.defaults.go. Defaults of bare
// Pods only (enableServiceLinks, requests from limits) do not apply to pod templates.
/** What the API server fills in for absent fields of a pod template, by type and field. */
export const POD_DEFAULTS: Readonly<Record<string, Readonly<Record<string, Default>>>> = {
  PodSpec: {
    dnsPolicy: "ClusterFirst",
    restartPolicy: "Always",
    schedulerName: "default-scheduler",
    securityContext: {},
    terminationGracePeriodSeconds: 30,
  },
  Container: containerDefaults(),
  EphemeralContainer: containerDefaults(),
  ContainerPort: { protocol: "TCP" },
  Probe: { failureThreshold: 3, periodSeconds: 10, successThreshold: 1, timeoutSeconds: 1 },
  HTTPGetAction: { path: "/", scheme: "HTTP" },
  GRPCAction: { service: "" },
  ObjectFieldSelector: { apiVersion: "v1" },
  FileKeySelector: { optional: false },
  Volume: {
    emptyDir: (volume) => (Object.keys(volume).every((key) => key === "name" || volume[key] === null) ? {} : null),
  },
  SecretVolumeSource: { defaultMode: FILE_MODE },
  ConfigMapVolumeSource: { defaultMode: FILE_MODE },
  DownwardAPIVolumeSource: { defaultMode: FILE_MODE },
  ProjectedVolumeSource: { defaultMode: FILE_MODE },
  ServiceAccountTokenProjection: { expirationSeconds: 3600 },
  HostPathVolumeSource: { type: "" },
  ImageVolumeSource: { pullPolicy: (volume) => pullPolicy(volume["reference"]) },
  ISCSIVolumeSource: { iscsiInterface: "default" },
  RBDVolumeSource: { keyring: "/etc/ceph/keyring", pool: "rbd", user: "admin" },
  AzureDiskVolumeSource: { cachingMode: "ReadWrite", fsType: "ext4", kind: "Shared", readOnly: false },
  ScaleIOVolumeSource: { fsType: "xfs", storageMode: "ThinProvisioned" },
  PersistentVolumeClaimSpec: { volumeMode: "Filesystem" },
};

function containerDefaults(): Readonly<Record<string, Default>> {
  return {
    imagePullPolicy: (container) => pullPolicy(container["image"]),
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
  };
}

/** An image without a digest, and with the tag `latest` or none, is always pulled. */
export function pullPolicy(image: Json | undefined): "Always" | "IfNotPresent" {
  if (typeof image !== "string" || image === "" || image.includes("@")) return "IfNotPresent";
  const tag = /:([^/:]+)$/u.exec(image)?.[1] ?? "latest";
  return tag === "latest" ? "Always" : "IfNotPresent";
}

/** Old names of fields: the API server reads them if the new name is absent (conversion.go). */
export const ALIASES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  PodSpec: { serviceAccount: "serviceAccountName" },
};

/** The default of a field; undefined if it has none. */
export function defaultOf(struct: string, field: string, object: JsonObject): Json | undefined {
  const defaults = POD_DEFAULTS[struct];
  const value = defaults !== undefined && Object.hasOwn(defaults, field) ? defaults[field] : undefined;
  return typeof value === "function" ? value(object) : value;
}
