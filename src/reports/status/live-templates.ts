import { fieldsOf, listOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { CONTAINER_LISTS } from "../../kubernetes/workloads/containers.ts";
import { asWritten, at, plain } from "./live-objects.ts";

// Where the kinds of Kubernetes itself have their pod template.
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  "apps/v1 Deployment": ["template"],
  "apps/v1 StatefulSet": ["template"],
  "apps/v1 DaemonSet": ["template"],
  "batch/v1 Job": ["template"],
  "batch/v1 CronJob": ["jobTemplate", "spec", "template"],
};

/**
 * What is kept of a workload: its metadata, what decides how it rolls (src/kubernetes/rollout), and of its pod template what may
 * name a source (where src/kubernetes/workloads/references.ts looks). Of a custom kind, whose fields its own CRD knows, all but its status.
 */
export function asTemplate(object: Json, type: { readonly apiVersion: string; readonly kind: string }): Json {
  const path = TEMPLATES[`${type.apiVersion} ${type.kind}`];
  const written = asWritten(object, type);
  if (path === undefined) return written;
  const template = at(object, "spec", ...path);
  const pods = at(template, "spec");
  const kept = plain({
    metadata: at(template, "metadata"),
    spec: plain({
      ...Object.fromEntries(CONTAINER_LISTS.map((list) => [list, containers(at(pods, list))])),
      volumes: at(pods, "volumes"),
    }),
  });
  const { replicas, paused, strategy, updateStrategy } = fieldsOf(at(object, "spec"));
  const inSpec = path.reduceRight<Json>((inner, name) => ({ [name]: inner }), kept);
  const spec = plain({ ...fieldsOf(inSpec), replicas, paused, strategy, updateStrategy });
  return plain({ ...type, metadata: at(written, "metadata"), spec });
}

function containers(list: Json | undefined): Json | undefined {
  if (list === undefined) return undefined;
  return listOf(list).map((container) => {
    const { name, env, envFrom, volumeMounts } = fieldsOf(container);
    const references = listOf(env).filter((variable) => at(variable, "valueFrom") !== undefined);
    return plain({ name, env: references.length > 0 ? references : undefined, envFrom, volumeMounts });
  });
}
