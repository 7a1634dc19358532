import type { ConfigHashSpec } from "../function/config-hash.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { isChecksum, VERSION_LABELS } from "../../base/hosts/chart-marks.ts";
import { comparing, type Spend } from "../../base/limits.ts";
import { matchesGlob } from "../../base/glob.ts";
import { isOwnKey } from "../../base/stamp-keys.ts";
import type { Item } from "../../yaml/read/items.ts";
import { listEntry, listedSources } from "./sightings.ts";
import type { Decision } from "../policy/types.ts";
import { locationOf, resourceRef } from "../../findings/results/location.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import { isSelectedByAll, labelUses, readsLabel, type LabelUse } from "../../kubernetes/workloads/label-uses.ts";
import { podLabels } from "../../kubernetes/workloads/pod-labels.ts";
import { templateAnnotationNode, templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";
import { coverOf, type Cover } from "./checksum-cover.ts";

/**
 * What a chart wrote into a pod template and what is removed: checksums of rendered text, labels with the chart's
 * version.
 */
export interface ChartMarks {
  readonly annotations: ReadonlySet<string>;
  readonly labels: ReadonlySet<string>;
}

export const NO_MARKS: ChartMarks = { annotations: new Set(), labels: new Set() };

/** What is removed from the pod templates, with the findings about what is kept. */
export interface AllChartMarks {
  readonly marksOf: (template: PodTemplate) => ChartMarks;
  readonly findings: readonly Finding[];
}

/**
 * Finds the checksums and labels of charts that are removed from the pod templates of selected workloads (`checksums`,
 * `versionLabels`).
 */
export function chartMarks(
  items: readonly Item[],
  decisions: readonly Decision[],
  sources: SourceIndex,
  spec: ConfigHashSpec,
): AllChartMarks {
  const takesChecksums = spec.checksums === "Remove";
  const takesLabels = spec.versionLabels === "Remove";
  if (!takesChecksums && !takesLabels) return { marksOf: () => NO_MARKS, findings: [] };
  const marks = new Map<PodTemplate, ChartMarks>();
  const findings: Finding[] = [];
  const uses = labelUses(items, new Set(takesLabels ? VERSION_LABELS : []));
  const context: ChecksumContext = {
    spec,
    cover: coverOf(sources),
    spend: comparing("the globs of 'checksumAnnotations' with annotations"),
  };
  for (const decision of decisions) {
    if (!decision.touched || !decision.selected) continue;
    for (const template of decision.workload.templates) {
      const checksums = takesChecksums ? checksumsOf(decision, template, context) : NOTHING;
      const labels = takesLabels ? labelsOf(template, uses) : NOTHING;
      for (const found of [checksums, labels]) for (const finding of found.findings) findings.push(finding);
      if (checksums.gone.size + labels.gone.size > 0)
        marks.set(template, { annotations: checksums.gone, labels: labels.gone });
    }
  }
  return { marksOf: (template) => marks.get(template) ?? NO_MARKS, findings };
}

interface Gone {
  readonly gone: ReadonlySet<string>;
  readonly findings: readonly Finding[];
}

const NOTHING: Gone = { gone: new Set(), findings: [] };

interface ChecksumContext {
  readonly spec: ConfigHashSpec;
  readonly cover: Cover;
  readonly spend: Spend;
}

/**
 * Without a source in the input, no stamp replaces the checksum, so it is kept. Annotations that the configuration
 * names are removed in any case.
 */
function checksumsOf(decision: Decision, template: PodTemplate, { spec, cover, spend }: ChecksumContext): Gone {
  const { item } = template;
  const gone = new Set<string>();
  const findings: Finding[] = [];
  const kept: string[] = [];
  const over = new Map<string, readonly Source[]>();
  const usesSources = decision.templates.some(({ counted, leftOut }) =>
    [counted, leftOut].some((references) => references.some(({ source }) => source !== undefined)),
  );
  for (const [key, value] of templateAnnotations(template)) {
    if (isOwnKey(key)) continue;
    const isNamed = spec.checksumAnnotations.some((glob) =>
      matchesGlob(glob, key, (steps) => spend(steps, item.tree.limits)),
    );
    if (!isNamed && !isChecksum(key, value)) continue;
    if (!isNamed) {
      const sources = cover(decision, template, key);
      if (sources.length > 0) {
        over.set(key, sources);
        continue;
      }
      if (!usesSources) {
        kept.push(key);
        continue;
      }
    }
    gone.add(key);
  }
  if (over.size > 0) findings.push(coversFinding(decision, template, over));
  if (kept.length > 0) {
    const params = { workload: resourceRef(item), annotations: kept };
    const node = templateAnnotationNode(template, kept[0] ?? "");
    const location = locationOf(item, { node, field: template.annotationsField });
    findings.push({ id: "chart-checksum", cause: "noSources", params, ...location });
  }
  return { gone, findings };
}

/** One finding for a pod template: its remedy is one list of sources, as only the last list for a workload counts. */
function coversFinding(
  decision: Decision,
  template: PodTemplate,
  over: ReadonlyMap<string, readonly Source[]>,
): Finding {
  const { item } = template;
  const sources = [...new Set([...over.values()].flat())].map(({ provides }) => provides);
  const { entries, byAnnotation } = listedSources(decision);
  const annotations = [...over.keys()];
  const [first = ""] = annotations;
  return {
    id: "chart-checksum",
    cause: byAnnotation ? "annotated" : "uncovered",
    params: {
      workload: resourceRef(item),
      annotations,
      sources,
      entries: [...new Set([...entries, ...sources.map((source) => listEntry(source, decision.workload.namespace))])],
    },
    ...locationOf(item, {
      node: templateAnnotationNode(template, first),
      field: `${template.annotationsField}[${first}]`,
    }),
  };
}

function labelsOf(template: PodTemplate, uses: ReadonlyMap<string, LabelUse>): Gone {
  const { item } = template;
  const written = podLabels(template);
  const there = VERSION_LABELS.filter((label) => written.has(label));
  if (there.length === 0) return NOTHING;
  const location = locationOf(item, { node: template.base, field: template.field });
  const workload = resourceRef(item);
  if (isSelectedByAll(item)) {
    const params = { workload, labels: there };
    return { gone: new Set(), findings: [{ id: "chart-label", cause: "defaultSelector", params, ...location }] };
  }
  const isRead = readsLabel(template);
  const gone = new Set<string>();
  const read: string[] = [];
  const used: Record<LabelUse["as"], Map<Item, string[]>> = { selector: new Map(), policy: new Map() };
  for (const label of there) {
    const by = uses.get(label);
    if (by !== undefined) used[by.as].set(by.item, [...(used[by.as].get(by.item) ?? []), label]);
    else if (isRead(label)) read.push(label);
    else gone.add(label);
  }
  const findings: Finding[] = [
    ...[...used.selector].map(([by, labels]): Finding => {
      const params = { workload, labels, by: resourceRef(by) };
      return { id: "chart-label", cause: "selected", params, ...location };
    }),
    ...[...used.policy].map(([by, labels]): Finding => {
      const params = { workload, labels, by: resourceRef(by) };
      return { id: "chart-label", cause: "required", params, ...location };
    }),
  ];
  if (read.length > 0)
    findings.push({ id: "chart-label", cause: "read", params: { workload, labels: read }, ...location });
  return { gone, findings };
}
