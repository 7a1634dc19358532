import { compare, type Change } from "../../kubernetes/rollout/compare.ts";
import { POD_TEMPLATE } from "../../kubernetes/rollout/pod-types.ts";
import type { TemplateReason } from "./plan-reasons.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";
import { shownValues } from "./hidden-values.ts";
import { isSameText } from "./same-text.ts";
import { templateData } from "../../stamping/stamps/edit-stamps.ts";

export interface TemplateView {
  readonly template: PodTemplate;
  /** The annotations as stamping leaves them. */
  readonly annotations: ReadonlyMap<string, string>;
  /** The labels that stamping removes. */
  readonly withoutLabels: ReadonlySet<string>;
}

export interface TemplateReasonOptions {
  readonly showValues: boolean;
  /** Renamed sources. They are separate reasons, so changed references to them are left out. */
  readonly renamed: ReadonlyMap<string, string>;
  /** Whether the path of the template is named, for kinds with several. */
  readonly named: boolean;
}

/** The fields that differ between two pod templates, except stamps and restarts. */
export function templateReasons(
  base: TemplateView,
  head: TemplateView,
  options: TemplateReasonOptions,
): TemplateReason[] {
  const { item, field } = head.template;
  const quantitiesByText = item.kind === "StatefulSet" || item.kind === "DaemonSet";
  // Usually only a digest changes, so specs with equal text are not decoded.
  const spec = !haveSameSpecs(base.template, head.template);
  const from = templateData(base.template, { spec, ...base });
  const to = templateData(head.template, { spec, ...head });
  return compare(POD_TEMPLATE, from, to, { quantitiesByText })
    .filter((change) => !isRenamedReference(change, options.renamed))
    .sort((a, b) => Number(isMetadata(a)) - Number(isMetadata(b)))
    .map((change) => ({
      type: "Template",
      path: change.path,
      ...(options.named ? { template: field } : {}),
      ...shownValues(change, options.showValues),
      ...(change.order === true ? { order: true } : {}),
    }));
}

function haveSameSpecs(a: PodTemplate, b: PodTemplate): boolean {
  const [from] = a.podSpecs;
  const [to] = b.podSpecs;
  if (from === undefined || to === undefined || from.field !== to.field) return false;
  return isSameText({ tree: a.item.tree, node: from.node }, { tree: b.item.tree, node: to.node });
}

function isMetadata({ path }: Change): boolean {
  return path.startsWith("metadata");
}

const REFERENCE = /(?:configMapRef|secretRef|configMapKeyRef|secretKeyRef|configMap|secret)\.(?:name|secretName)$/u;

function isRenamedReference({ path, from, to }: Change, renamed: ReadonlyMap<string, string>): boolean {
  return typeof from === "string" && REFERENCE.test(path) && renamed.get(from) === to;
}
