import assert from "node:assert/strict";
import { CONFIG_HASH_DEFAULTS } from "../../../src/stamping/function/config-hash.ts";
import { readManifests, type Item } from "../../../src/yaml/read/items.ts";
import { findWorkloads } from "../../../src/kubernetes/workloads/find-workloads.ts";
import type { PodTemplate, Workload } from "../../../src/kubernetes/workloads/types.ts";
import { workloadKinds } from "../../../src/kubernetes/workloads/workload-kinds.ts";
import { readTree } from "../../support/trees.ts";

/** The objects of an input, each in YAML's flow style. */
export function itemsOf(...objects: readonly string[]): readonly Item[] {
  return readManifests(readTree(objects.map((text) => `${text}\n`).join("---\n"), "input.yaml")).items;
}

/** An object by its kind and content. */
export function object(kind: string, spec: string, metadata = "name: web", apiVersion = "v1"): string {
  return `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {${metadata}}, spec: {${spec}}}`;
}

/** What the tests need: the workload `web` of an input. */
export interface Web {
  readonly items: readonly Item[];
  readonly workloads: readonly Workload[];
  readonly workload: Workload;
  readonly template: PodTemplate;
}

/** The workload `web` among objects; the default namespace is `default`. */
export function webOf(...objects: readonly string[]): Web {
  const items = itemsOf(...objects);
  const workloads = findWorkloads(items, {
    ...CONFIG_HASH_DEFAULTS,
    kinds: workloadKinds(CONFIG_HASH_DEFAULTS),
  });
  const workload = workloads.find(({ item }) => item.name === "web");
  const template = workload?.templates[0];
  assert.ok(workload !== undefined && template !== undefined);
  return { items, workloads, workload, template };
}

/** A Deployment with a pod spec, and other objects. */
export function deployment(pod: string, { more = [] }: { readonly more?: readonly string[] } = {}): Web {
  const spec = `template: {metadata: {labels: {app: web}}, spec: {${pod}}}`;
  return webOf(object("Deployment", spec, "name: web", "apps/v1"), ...more);
}
