import { RELEASE_TYPE } from "../../ground/hosts/helm.ts";
import { LOCAL_CONFIG } from "../../ground/hosts/krm.ts";
import { annotationOf, type Item } from "../../manifest/items.ts";
import { get, getString, itemsOf } from "../../manifest/node.ts";
import { resourceRef } from "../../results/location.ts";
import { declaredObject } from "../../sources/content.ts";
import type { Source } from "../../sources/types.ts";
import type { LintContext } from "../context.ts";
import { problem, type LintRule } from "../rule.ts";

/** A source that no pod template uses: left over, or used by something that is not a pod. */
export const UNUSED_SOURCE: LintRule<"RS012"> = {
  id: "RS012",
  check: (context) => {
    const used = usedItems(context);
    const seen = new Set<Item>();
    return context.sources.all.flatMap(({ item }) => {
      if (used.has(item) || seen.has(item) || hasOtherUse(item)) return [];
      seen.add(item);
      const params = { source: resourceRef(item) };
      return [problem(item, { node: item.node }, { id: "RS012", cause: "unused", params })];
    });
  },
};

/** The objects that a pod template names, or that go into one that it names. */
function usedItems({ workloads, sources }: LintContext): ReadonlySet<Item> {
  const used = new Set<Item>();
  const names = new Set<string>();
  const use = (kind: Source["provides"]["kind"], namespace: string, name: string, by: Item): void => {
    const source = sources.find(kind, namespace, name, by);
    if (source === undefined) return;
    used.add(source.item);
    names.add(nameOf(source));
  };
  for (const { workload, templates } of workloads) {
    for (const { template, seen } of templates) {
      for (const { kind, namespace, name } of [...template.references, ...seen])
        use(kind, namespace, name, workload.item);
      for (const name of pullSecrets(template)) use("Secret", workload.namespace, name, workload.item);
    }
  }
  for (const source of sources.all) {
    // Another maker of a name that is used: which of them makes it, the cluster tells.
    if (names.has(nameOf(source))) used.add(source.item);
    for (const made of source.declared?.templateSources?.(declaredObject(source.item)) ?? []) {
      use(made.kind, source.provides.namespace, made.name, source.item);
    }
  }
  return used;
}

function nameOf({ provides }: Source): string {
  return `${provides.kind}/${provides.namespace}/${provides.name}`;
}

function pullSecrets({
  item: { tree },
  podSpecs,
}: LintContext["workloads"][number]["templates"][number]["template"]): string[] {
  return podSpecs.flatMap((spec) =>
    itemsOf(tree, get(tree, spec.node, "imagePullSecrets")).flatMap((entry) => getString(tree, entry, "name") ?? []),
  );
}

// Read by an Ingress, the kubelet or the control plane, as a rule not by a pod (core/v1, SecretType).
const TYPES_FOR_OTHERS: readonly string[] = [
  "kubernetes.io/tls",
  "kubernetes.io/dockerconfigjson",
  "kubernetes.io/dockercfg",
  "kubernetes.io/service-account-token",
  "bootstrap.kubernetes.io/token",
  RELEASE_TYPE,
];

function hasOtherUse(item: Item): boolean {
  if (annotationOf(item, LOCAL_CONFIG) === "true") return true;
  return item.kind === "Secret" && TYPES_FOR_OTHERS.includes(getString(item.tree, item.node, "type") ?? "");
}
