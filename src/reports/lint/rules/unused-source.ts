import { isSourceKind } from "../../../base/referenced-kinds.ts";
import { groupedBy, onceFor, onceForText } from "../../../base/grouped.ts";
import { RELEASE_TYPE } from "../../../base/hosts/helm.ts";
import { LOCAL_CONFIG } from "../../../base/hosts/krm.ts";
import { isRenderedElsewhere } from "../../../findings/not-examined/elsewhere.ts";
import { annotationOf, labelsOf, type Item } from "../../../yaml/read/items.ts";
import { get, getString, itemsOf } from "../../../yaml/read/node.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { declaredObject } from "../../../kubernetes/sources/content.ts";
import type { Source } from "../../../kubernetes/sources/types.ts";
import type { LintContext, RunItems } from "../context.ts";
import { grantedIn, type GrantedKind } from "../permissions.ts";
import { indexMentions } from "../mentions.ts";
import { problem, type LintRule } from "../rule.ts";

/** A source that nothing in the input names: left over, misspelled in a reference, or read through the API. */
export const UNUSED_SOURCE: LintRule<"RS012"> = {
  id: "RS012",
  about: "state",
  check: (context) => {
    // The objects that are rendered elsewhere may use any source.
    if (context.run === undefined ? context.items.some(isRenderedElsewhere) : hasMakers(context.run)) return [];
    const used = usedItems(context);
    const isReadable = readable(context);
    // In a namespace without workloads the input is incomplete. And readable sources may be used through the API.
    const namespaces = new Set(context.workloads.map(({ workload }) => workload.namespace));
    const unused = [
      ...new Set(
        context.sources.all
          .filter(({ provides: { kind, namespace } }) => namespaces.has(namespace) && !isReadable(kind, namespace))
          .map(({ item }) => item),
      ),
    ].filter((item) => !used.has(item) && !hasOtherUse(item));
    const namesOf = namesOfSources(context);
    const mentions =
      context.run === undefined
        ? indexMentions(context.items, new Set(unused.flatMap(namesOf)), { without: OWN_NAMES })
        : mentionsIn(context.run);
    return unused.flatMap((item) => {
      if (namesOf(item).some((name) => mentions(name).some((by) => by !== item))) return [];
      const params = { source: resourceRef(item) };
      return [problem(item, { node: item.node }, { id: "RS012", cause: "unused", params })];
    });
  },
};

// Computed once for all parts of a run.
const hasMakers = onceFor(({ items }: RunItems): boolean => items.some(isRenderedElsewhere));
const mentionsIn = onceFor(({ items, names }: RunItems) => indexMentions(items, names, { without: OWN_NAMES }));

/** Whether a ServiceAccount of the input may read the sources of a namespace without naming them. */
function readable({ items, spec }: LintContext): (kind: Source["provides"]["kind"], namespace: string) => boolean {
  const isGranted = onceForText((kind: GrantedKind) =>
    grantedIn(items, kind, ["get", "list", "watch"], spec.defaultNamespace),
  );
  return (kind, namespace) => isSourceKind(kind) && isGranted(kind)(namespace);
}

// The fields in which objects name and select themselves. An equal name there is not a use of the source.
const OWN_NAMES = /^metadata\.(?:name|namespace|labels|generateName)$|(?:^|\.)(?:labels|matchLabels|selector)$/u;

/** All names of a source: its own, and those of the objects that it makes. */
function namesOfSources({ sources }: LintContext): (item: Item) => readonly string[] {
  const made = groupedBy(sources.all, ({ item }) => item);
  return (item) => [item.name, ...(made.get(item) ?? []).map(({ provides }) => provides.name)];
}

/** The objects that a pod template names, and those that are included in them. */
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
    // If several objects make a used source, only the cluster knows which one does.
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

// Usually read by an Ingress, the kubelet or the control plane, not by a pod (core/v1, SecretType).
const TYPES_FOR_OTHERS: readonly string[] = [
  "kubernetes.io/tls",
  "kubernetes.io/dockerconfigjson",
  "kubernetes.io/dockercfg",
  "kubernetes.io/service-account-token",
  "bootstrap.kubernetes.io/token",
  RELEASE_TYPE,
];

// Applications select the objects that they read through the API by these labels: Grafana's sidecar, Argo CD's
// settings, OpenShift's network operator (which injects certificates) and console.
const READ_BY_LABEL: readonly string[] = [
  "grafana_dashboard",
  "grafana_datasource",
  "grafana_alert",
  "argocd.argoproj.io/secret-type",
  "config.openshift.io/inject-trusted-cabundle",
  "console.openshift.io/dashboard",
];

function hasOtherUse(item: Item): boolean {
  if (annotationOf(item, LOCAL_CONFIG) === "true") return true;
  const labels = labelsOf(item);
  if (READ_BY_LABEL.some((key) => labels.has(key))) return true;
  return item.kind === "Secret" && TYPES_FOR_OTHERS.includes(getString(item.tree, item.node, "type") ?? "");
}
