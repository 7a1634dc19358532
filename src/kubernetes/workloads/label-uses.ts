import { kindKey } from "../../base/identity.ts";
import { escapeRegExp } from "../../base/stamp-keys.ts";
import { eachMapping, keysOf } from "../../yaml/read/each-mapping.ts";
import type { Item } from "../../yaml/read/items.ts";
import {
  entriesOf,
  get,
  getPath,
  getString,
  itemsOf,
  kindOf,
  resolve,
  stringOf,
  toJson,
} from "../../yaml/read/node.ts";
import { NONE, scalarText, type YamlTree } from "../../yaml/read/tree.ts";
import type { PodTemplate } from "./types.ts";

// Finds who uses a label of pods: selectors and the pods themselves. Without the label, a selector would find no pod
// and a pod would read an empty value.

/** An object that uses a label: it selects by it, or is a policy that names it. */
export interface LabelUse {
  readonly item: Item;
  readonly as: "selector" | "policy";
}

/**
 * The first object that uses each of some labels: workloads, Services, budgets, network policies, monitors, affinities,
 * spread constraints, custom kinds and policies. It does not matter which pods a selector selects.
 */
export function labelUses(items: readonly Item[], labels: ReadonlySet<string>): ReadonlyMap<string, LabelUse> {
  const uses = new Map<string, LabelUse>();
  if (labels.size === 0) return uses;
  for (const item of items) {
    if (uses.size === labels.size) break;
    if (HOLD_NO_SELECTORS.has(kindKey(item))) continue;
    for (const label of usedBy(item, labels)) if (!uses.has(label)) uses.set(label, { item, as: "selector" });
    if (!isPolicy(item)) continue;
    for (const label of labelsOfPolicy(item, labels)) if (!uses.has(label)) uses.set(label, { item, as: "policy" });
  }
  return uses;
}

/** Content of any form, and schemas. */
const HOLD_NO_SELECTORS: ReadonlySet<string> = new Set([
  "/ConfigMap",
  "/Secret",
  "apiextensions.k8s.io/CustomResourceDefinition",
]);

// `selector`, `podSelector`, `labelSelector`, `serviceMonitorSelector`: LabelSelectors, plain maps and texts;
// `labelSelectors` of Chaos Mesh, `expressionSelectors`.
const SELECTOR = /(?:^s|S)electors?$/u;
// Nodes have their own labels.
const OF_NODES = /^node/u;
/** Lists of labels: in spread constraints and affinities (core/v1), and in monitors (monitoring.coreos.com/v1). */
const LISTS = new Set(["matchLabelKeys", "mismatchLabelKeys", "podTargetLabels"]);

/** Lists whose entries select pods by `labels`, as in an Istio DestinationRule. */
const SUBSETS = "subsets";
/** Cilium prefixes a key with the origin of the label. */
const ORIGIN = /^(?:k8s|any):/u;

function isSelector(key: string): boolean {
  return SELECTOR.test(key) && !OF_NODES.test(key);
}

function usedBy({ tree, node }: Item, labels: ReadonlySet<string>): Set<string> {
  const used = new Set<string>();
  const use = (written: string | undefined): void => {
    const label = written?.replace(ORIGIN, "");
    if (label !== undefined && labels.has(label)) used.add(label);
  };
  // `matchLabels`, a plain `selector`, Istio's `workloadSelector.labels`.
  const selects = (path: readonly string[]): boolean => {
    const parent = path.at(-1) ?? "";
    if (parent === "labels") return isSelector(path.at(-2) ?? "") || path.at(-3) === SUBSETS;
    return parent === "matchLabels" || isSelector(parent);
  };
  eachMapping(tree, node, [], (mapping, pathOf) => {
    for (const keyNode of keysOf(tree, mapping)) {
      const key = scalarText(tree, resolve(tree, keyNode));
      const value = tree.next[keyNode] ?? NONE;
      if (labels.has(key.replace(ORIGIN, ""))) {
        if (selects(pathOf())) use(key);
      } else if (key === "jobLabel") use(stringOf(tree, value));
      else if (key === "key") {
        // An expression of a selector: `{key, operator, values}`.
        if (get(tree, mapping, "operator") !== NONE) use(stringOf(tree, value));
      } else if (LISTS.has(key)) for (const each of itemsOf(tree, value)) use(stringOf(tree, each));
      else if (isSelector(key)) for (const label of labels) if (stringOf(tree, value)?.includes(label)) use(label);
    }
  });
  return used;
}

/** Whether the pods of a template read one label or all labels with `fieldRef`, in an environment or a volume. */
export function readsLabel(template: PodTemplate): (label: string) => boolean {
  const { tree } = template.item;
  const read = new Set<string>();
  for (const { node } of template.podSpecs) for (const path of fieldPaths(tree, node)) read.add(path);
  return (label) => read.has("metadata.labels") || read.has(`metadata.labels['${label}']`);
}

function fieldPaths(tree: YamlTree, node: number): string[] {
  const paths: string[] = [];
  eachMapping(tree, node, [], (mapping) => {
    const path = getString(tree, mapping, "fieldPath");
    if (path !== undefined) paths.push(path.replaceAll('"', "'"));
  });
  return paths;
}

// Versions in which all labels of the pod template are the default selector (their defaults.go, before 1.16).
const DEFAULTED = /^(?:extensions\/v1beta1|apps\/v1beta1)$/u;

/** Whether all labels of the pod template are the workload's selector. */
export function isSelectedByAll({ apiVersion, tree, node }: Item): boolean {
  return DEFAULTED.test(apiVersion) && kindOf(tree, getPath(tree, node, ["spec", "selector"])) !== "mapping";
}

// Admission policies. A policy that requires a label rejects pods without it: the API server accepts the workload, but
// no new pod starts.

/** The groups whose objects are policies or templates of policies. */
const POLICY_GROUPS =
  /^(?:kyverno\.io|policies\.kyverno\.io|admissionregistration\.k8s\.io|constraints\.gatekeeper\.sh|templates\.gatekeeper\.sh|policies\.kubewarden\.io)$/u;

/** The rules are in the spec: a policy's own labels and annotations do not count. */
const OWN = new Set(["apiVersion", "kind", "metadata", "status"]);

function isPolicy({ group }: Item): boolean {
  return POLICY_GROUPS.test(group);
}

/**
 * Which of some labels a policy has in its rules: in patterns, lists, CEL, JMESPath, Rego, or texts for people. A bare word
 * counts in quotes, in an anchor of Kyverno, and after a dot.
 */
function labelsOfPolicy({ tree, node }: Item, labels: ReadonlySet<string>): readonly string[] {
  const rules = entriesOf(tree, node).filter(({ key }) => !OWN.has(key));
  const text = JSON.stringify(rules.map(({ valueNode }) => toJson(tree, valueNode)));
  return [...labels].filter((label) => {
    const before = label.includes("/") ? "" : `(?<=["'(.])`;
    return new RegExp(`${before}${escapeRegExp(label)}(?![\\w/-])`, "u").test(text);
  });
}
