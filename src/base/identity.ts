// What identifies kinds and objects. Keys compare and sort identities; nothing reads them back.

/** An object: its kind with the API group (the core group if none is given), namespace and name. */
interface Identified {
  readonly group?: string;
  readonly apiVersion?: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** Identifies a kind in its API group. */
export function kindKey({ group, kind }: { readonly group: string; readonly kind: string }): string {
  return `${group}/${kind}`;
}

/** Identifies an object, whatever the version of its API. Keys sort by namespace, kind and name. */
export function objectKey(object: Identified, namespace: string = object.namespace ?? ""): string {
  const group = object.group ?? groupOf(object.apiVersion ?? "");
  return joined(namespace, `${group}/${object.kind}`, object.name);
}

/** Identifies a workload. `extensions` and `apps` serve the same objects: kubectl applies either as an update. */
export function workloadKey(workload: Identified, namespace: string = workload.namespace ?? ""): string {
  const group = workload.group ?? groupOf(workload.apiVersion ?? "");
  return joined(namespace, `${group === "extensions" ? "apps" : group}/${workload.kind}`, workload.name);
}

/** A name that has a line break is not valid in Kubernetes, but must not look like another object either. */
function joined(namespace: string, kind: string, name: string): string {
  const key = `${namespace}\n${kind}\n${name}`;
  return key.indexOf("\n", namespace.length + kind.length + 2) < 0 && !namespace.includes("\n") && !kind.includes("\n")
    ? key
    : JSON.stringify([namespace, kind, name]);
}

// An apiVersion of an object: `apps/v1`, or `v1` for the core group.

/** The group of an apiVersion; "" for the core group. */
export function groupOf(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(apiVersion.indexOf("/"), 0));
}

/** The version without its group. */
export function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf("/") + 1);
}

/** The path of a group and version on an API server. */
export function apiPath(apiVersion: string): string {
  const path = apiVersion.split("/").map(encodeURIComponent).join("/");
  return groupOf(apiVersion) === "" ? `/api/${path}` : `/apis/${path}`;
}
