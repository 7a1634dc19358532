/** Manifests as a cluster holds them, with the pods that run. */
import { parseAllDocuments } from "yaml";
import { cli } from "../../support/cli.ts";
import { fieldAt, listAt, textAt } from "../../e2e/fields.ts";

const NAMESPACE = "shop";

/** Times, in the order in which they are. */
export const EARLY = "2026-01-01T00:00:00Z";
export const LATER = "2026-01-02T00:00:00Z";
export const LAST = "2026-01-03T00:00:00Z";

const PLURALS: Readonly<Record<string, string>> = {
  ConfigMap: "/api/v1/namespaces/shop/configmaps",
  Secret: "/api/v1/namespaces/shop/secrets",
  Deployment: "/apis/apps/v1/namespaces/shop/deployments",
  StatefulSet: "/apis/apps/v1/namespaces/shop/statefulsets",
  DaemonSet: "/apis/apps/v1/namespaces/shop/daemonsets",
  ReplicaSet: "/apis/apps/v1/namespaces/shop/replicasets",
  Pod: "/api/v1/namespaces/shop/pods",
  Rollout: "/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts",
  CloneSet: "/apis/apps.kruise.io/v1alpha1/namespaces/shop/clonesets",
  ExternalSecret: "/apis/external-secrets.io/v1/namespaces/shop/externalsecrets",
};

/** Discovery of the custom kinds above. */
export const CUSTOM: Readonly<Record<string, unknown>> = {
  "/apis": {
    groups: ["apps/v1", "argoproj.io/v1alpha1", "external-secrets.io/v1"].map((groupVersion) => ({
      name: groupVersion.split("/")[0],
      preferredVersion: { groupVersion },
    })),
  },
  "/apis/argoproj.io/v1alpha1": { resources: [{ name: "rollouts", kind: "Rollout", namespaced: true }] },
  "/apis/external-secrets.io/v1": {
    resources: [{ name: "externalsecrets", kind: "ExternalSecret", namespaced: true }],
  },
};

/** The manifests with the stamps of a configuration. */
export async function stamped(
  manifests: string,
  environment: Readonly<Record<string, string>> = {},
  config = "",
): Promise<string> {
  const { status, stdout, stderr } = await cli([], { stdin: list(manifests, config), environment });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

function list(manifests: string, config: string): string {
  const items = objects(manifests);
  const spec: unknown = config === "" ? {} : parseAllDocuments(config)[0]?.toJS();
  const functionConfig = { apiVersion: "rollstamp.dev/v1alpha1", kind: "ConfigHash", metadata: { name: "c" }, spec };
  return JSON.stringify({ apiVersion: "config.kubernetes.io/v1", kind: "ResourceList", functionConfig, items });
}

/** The objects of a stream or a ResourceList. */
export function objects(text: string): readonly unknown[] {
  return parseAllDocuments(text).flatMap((document): readonly unknown[] => {
    const read: unknown = document.toJS();
    return textAt(read, "kind") === "ResourceList" ? listAt(read, "items") : [read];
  });
}

export interface LiveOptions {
  /** When the pods were created; one each. */
  readonly pods?: readonly string[];
  /** When the content of sources was last written. */
  readonly written?: string;
}

/** The lists of an API server that holds these objects; each Deployment and Rollout has a ReplicaSet and pods. */
export function live(
  all: readonly unknown[],
  { pods = [EARLY], written = EARLY }: LiveOptions = {},
): Record<string, unknown[]> {
  const lists: Record<string, unknown[]> = {};
  const add = (kind: string, object: unknown): void => {
    const path = PLURALS[kind] ?? "";
    (lists[path] ??= []).push(object);
  };
  for (const object of all) {
    const kind = textAt(object, "kind");
    const uid = `${kind}-${textAt(object, "metadata", "name")}`;
    const given = fieldAt(object, "metadata");
    const metadata = {
      ...(typeof given === "object" ? given : {}),
      namespace: NAMESPACE,
      uid,
      creationTimestamp: EARLY,
      managedFields: [{ manager: "m", time: written, fieldsV1: { "f:data": {} } }],
    };
    add(kind, { ...(typeof object === "object" ? object : {}), metadata, status: { replicas: 1, updatedReplicas: 1 } });
    if (fieldAt(object, "spec", "template") === undefined && fieldAt(object, "spec", "workloadRef") === undefined)
      continue;
    if (kind === "Deployment" && fieldAt(object, "spec", "replicas") === 0) continue;
    const owned = (by: string, more: Record<string, unknown>): object => ({
      metadata: { namespace: NAMESPACE, ownerReferences: [{ uid: by, controller: true }], ...more },
    });
    add("ReplicaSet", owned(uid, { uid: `rs-${uid}` }));
    const template =
      all.find((one) => textAt(one, "metadata", "name") === textAt(object, "spec", "workloadRef", "name")) ?? object;
    const annotations = fieldAt(template, "spec", "template", "metadata", "annotations");
    const spec = fieldAt(template, "spec", "template", "spec");
    for (const creationTimestamp of pods)
      add("Pod", { ...owned(`rs-${uid}`, { creationTimestamp, annotations }), spec });
  }
  return lists;
}
