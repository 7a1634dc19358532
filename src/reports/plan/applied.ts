import { groupOf } from "../../base/identity.ts";
import { LAST_APPLIED } from "../../base/hosts/kubectl.ts";
import { type Json } from "../../yaml/read/node.ts";
import { isMapping, fieldsOf, textOrEmpty, textOf, valueAt } from "../../yaml/read/json.ts";
import { typeOf, type FieldType } from "../../kubernetes/rollout/pod-types.ts";
import { ownersOf } from "./managed-fields.ts";
import { mergeByClient } from "./merge-client.ts";
import { mergeByServer } from "./merge-server.ts";

/** The kinds whose merge keys are known from Kubernetes' types, as scripts/pod-template-types names them. */
const TYPED: Readonly<Record<string, string>> = {
  "apps/Deployment": "Deployment",
  "apps/StatefulSet": "StatefulSet",
  "apps/DaemonSet": "DaemonSet",
  "apps/ReplicaSet": "ReplicaSet",
  "batch/CronJob": "CronJob",
  "batch/Job": "Job",
  "/Pod": "Pod",
  "/ReplicationController": "ReplicationController",
};

/**
 * The object after an apply of a manifest, before the server sets defaults. If the object has the last-applied
 * annotation, kubectl merges it; else the server merges it by the owners of its fields. What others set (`kubectl
 * rollout restart`, an autoscaler, an injected sidecar) stays.
 */
export function applied(live: Json, next: Json): Json {
  const type = typeOfKind(next);
  const last = lastApplied(live);
  return last === undefined
    ? mergeByServer(type, ownersOf(live, next), live, next)
    : mergeByClient(type, last, live, next);
}

function typeOfKind(object: Json): FieldType | undefined {
  const { apiVersion, kind } = fieldsOf(object);
  const name = `${groupOf(textOrEmpty(apiVersion))}/${textOrEmpty(kind)}`;
  const type = Object.hasOwn(TYPED, name) ? TYPED[name] : undefined;
  return type === undefined ? undefined : typeOf(type);
}

function lastApplied(live: Json): Json | undefined {
  const text = textOf(valueAt(live, ["metadata", "annotations", LAST_APPLIED]));
  if (text === undefined) return undefined;
  try {
    const read: Json = JSON.parse(text);
    return isMapping(read) ? read : undefined;
  } catch {
    return undefined;
  }
}
