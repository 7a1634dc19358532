import { comparing } from "../../base/limits.ts";
import { matchesSelector, type LabelSelector } from "../../base/selector.ts";
import { addTo } from "../../base/grouped.ts";
import { podLabels } from "../../kubernetes/workloads/pod-labels.ts";
import type { LintContext, LintedTemplate, LintedWorkload } from "./context.ts";

/** A pod template with what its pods are selected by. */
export interface LintedPods {
  readonly linted: LintedWorkload;
  readonly template: LintedTemplate;
  readonly labels: ReadonlyMap<string, string>;
}

/** Finds the pod templates of a namespace that a selector takes. */
export type FindPods = (namespace: string, selector: LabelSelector) => readonly LintedPods[];

/** Looking at one pod template for one selector takes as long as so many steps of comparing characters. */
const STEPS_OF_PODS = 300;

/**
 * Indexes the pod templates by their labels: many selectors over many workloads cost no more than what they find. A
 * selector that names no label that has to be there finds nothing: to look through all for each of them would be a
 * product.
 */
export function indexPods({ workloads }: Pick<LintContext, "workloads">): FindPods {
  const byLabel = new Map<string, LintedPods[]>();
  const byNamespace = new Map<string, LintedPods[]>();
  for (const linted of workloads) {
    const { namespace } = linted.workload;
    for (const template of linted.templates) {
      const pods = { linted, template, labels: podLabels(template.template) };
      addTo(byNamespace, namespace, pods);
      for (const [key, value] of pods.labels) addTo(byLabel, labelKey(namespace, key, value), pods);
    }
  }
  const found = new Map<string, readonly LintedPods[]>();
  const spend = comparing("selectors with pods");
  const limits = workloads[0]?.workload.item.tree.limits;
  return (namespace, selector) => {
    const id = JSON.stringify([namespace, selector]);
    const known = found.get(id);
    const some = known ?? candidates(namespace, selector);
    // Whoever asks goes over what is found.
    if (limits !== undefined) spend(some.length * (STEPS_OF_PODS + selector.length), limits);
    if (known !== undefined) return known;
    const pods = some.filter(({ labels }) => matchesSelector(selector, labels));
    found.set(id, pods);
    return pods;
  };

  /** Those that have the rarest of the labels that the selector asks for. */
  function candidates(namespace: string, selector: LabelSelector): readonly LintedPods[] {
    if (selector.length === 0) return byNamespace.get(namespace) ?? [];
    const lists = selector
      .filter(({ operator }) => operator === "In")
      .map(({ key, values }) => values.flatMap((value) => byLabel.get(labelKey(namespace, key, value)) ?? []));
    return lists.reduce((least, list) => (list.length < least.length ? list : least), lists[0] ?? []);
  }
}

function labelKey(namespace: string, key: string, value: string): string {
  return `${namespace}\n${key}\n${value}`;
}
