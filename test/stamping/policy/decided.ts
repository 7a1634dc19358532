import { CONFIG_HASH_DEFAULTS, type ConfigHashSpec } from "../../../src/stamping/function/config-hash.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { analyse, type Analysis } from "../../../src/stamping/pipeline.ts";
import type { Decision } from "../../../src/stamping/policy/types.ts";
import { readTree } from "../../support/trees.ts";

/** Annotations as an object has them. */
export type Annotations = Readonly<Record<string, string>>;

/** What the pipeline makes of objects. */
export function analysed(objects: readonly object[], spec: Partial<ConfigHashSpec> = {}): Analysis {
  const text = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
  return analyse([readManifests(readTree(text, "input.yaml"))], { ...CONFIG_HASH_DEFAULTS, ...spec });
}

/** A ConfigMap or Secret with one key, `a`. */
export function source(kind: string, name: string, annotations: Annotations = {}): object {
  return { apiVersion: "v1", kind, metadata: { name, annotations }, data: { a: "MQ==" } };
}

export const USES_ENV: object = { containers: [{ name: "app", envFrom: [{ configMapRef: { name: "env" } }] }] };

/** A Deployment whose container takes its environment from the ConfigMap `env`. */
export function workload(name: string, annotations: Annotations = {}, more: object = {}): object {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, annotations },
    spec: { template: { spec: USES_ENV } },
    ...more,
  };
}

/** What is decided of a workload, in words. */
export function said({ touched, selected, rule, templates }: Decision): unknown {
  const shown = templates.flatMap(({ counted, leftOut }) => [
    ...counted.map((each) => `+ ${each.reference.kind}/${each.reference.name}: ${each.rule}`),
    ...leftOut.map((each) => `- ${each.reference.kind}/${each.reference.name}: ${each.rule}`),
  ]);
  return [`${touched ? "touched" : "untouched"}, ${selected ? "selected" : "not selected"}: ${rule}`, ...shown];
}

/** What is decided of each workload, in words. */
export function decided(objects: readonly object[], spec: Partial<ConfigHashSpec> = {}): unknown[] {
  return analysed(objects, spec).decisions.map(said);
}
