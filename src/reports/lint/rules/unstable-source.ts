import { resourceRef } from "../../../findings/results/location.ts";
import { compare, metadataEntry } from "../../../kubernetes/rollout/compare.ts";
import { POD_TEMPLATE } from "../../../kubernetes/rollout/pod-types.ts";
import { changedKeys, isUnchanged } from "../../../kubernetes/sources/changed-keys.ts";
import type { SourceIndex } from "../../../kubernetes/sources/source-index.ts";
import type { Source } from "../../../kubernetes/sources/types.ts";
import type { Item } from "../../../yaml/read/items.ts";
import { NO_MARKS } from "../../../stamping/stamps/chart-marks.ts";
import { stampedAnnotations, templateData } from "../../../stamping/stamps/edit-stamps.ts";
import { workloadKey } from "../../../base/identity.ts";
import { type LintedTemplate, type LintedWorkload, type Rendering, sourceId } from "../context.ts";
import { firstField, problem, type LintRule, type Problem } from "../rule.ts";

/** A source or a pod template that differs in each rendering: its workloads would always roll out. */
export const UNSTABLE_SOURCE: LintRule<"RS013"> = {
  id: "RS013",
  about: "state",
  check: ({ sources, workloads, again }) => {
    if (again === undefined) return [];
    return [
      ...unstableSources(sources, again.sources, leftOutItems(workloads)),
      ...unstableTemplates(workloads, again),
    ];
  },
};

/** Sources that workloads use, but that count for none: they roll nothing. */
function leftOutItems(workloads: readonly LintedWorkload[]): ReadonlySet<Item> {
  const itemsOf = (which: "counted" | "leftOut"): Set<Item> =>
    new Set(
      workloads.flatMap(({ decision }) =>
        decision.templates.flatMap((template) => template[which].flatMap(({ source }) => source?.item ?? [])),
      ),
    );
  const left = itemsOf("leftOut");
  for (const item of itemsOf("counted")) left.delete(item);
  return left;
}

function unstableSources(sources: SourceIndex, again: SourceIndex, leftOut: ReadonlySet<Item>): Problem<"RS013">[] {
  const second = new Map(again.all.map((source) => [sourceId(source), source]));
  const first = new Set(sources.all.map(sourceId));
  return [
    ...sources.all.flatMap((source) => {
      if (leftOut.has(source.item)) return [];
      const other = second.get(sourceId(source));
      return other === undefined ? [onlyOnce(source)] : differing(source, sources, other, again);
    }),
    ...again.all.filter((source) => !first.has(sourceId(source))).map(onlyOnce),
  ];
}

function differing(source: Source, sources: SourceIndex, other: Source, again: SourceIndex): Problem<"RS013">[] {
  const keys = changedKeys(sources.entries(source), again.entries(other));
  if (isUnchanged(keys)) return [];
  const place = firstField(source.item, "data", "stringData", "binaryData", "spec");
  const params = { source: resourceRef(source.item), keys, seen: source.provides };
  return [problem(source.item, place, { id: "RS013", cause: "content", params })];
}

/** A random name, or the hash of random content in the suffix of kustomize. */
function onlyOnce(source: Source): Problem<"RS013"> {
  const { item } = source;
  return problem(item, firstField(item, "metadata.name"), {
    id: "RS013",
    cause: "onlyOnce",
    params: { source: resourceRef(item) },
  });
}

function unstableTemplates(workloads: readonly LintedWorkload[], again: Rendering): Problem<"RS013">[] {
  const second = new Map(
    again.workloads.map((linted) => [workloadKey(linted.workload.item, linted.workload.namespace), linted]),
  );
  return workloads.flatMap(({ workload, templates }) => {
    const { item } = workload;
    const others = second.get(workloadKey(workload.item, workload.namespace))?.templates ?? [];
    const paths = templates.flatMap((template, i) => {
      const other = others[i];
      return other === undefined ? [] : differences(template, other);
    });
    if (paths.length === 0) return [];
    const place = firstField(item, workload.templates[0]?.field ?? "spec");
    const entries = paths.map(metadataEntry);
    if (entries.every((entry) => entry?.map === "annotations")) {
      const annotations = [...new Set(entries.flatMap((entry) => entry?.key ?? []))];
      const params = { workload: resourceRef(item), annotations };
      return [problem(item, place, { id: "RS013", cause: "annotations", params })];
    }
    return [problem(item, place, { id: "RS013", cause: "template", params: { workload: resourceRef(item), paths } })];
  });
}

/** The fields where two renderings of a template differ after stamping. Stamps follow from the sources. */
function differences(a: LintedTemplate, b: LintedTemplate): string[] {
  const [from, to] = [a, b].map(({ template, desired }) =>
    templateData(template, {
      annotations: stampedAnnotations(template, desired),
      withoutLabels: (desired?.marks ?? NO_MARKS).labels,
      spec: true,
    }),
  );
  const { kind } = a.template.item;
  const quantitiesByText = kind === "StatefulSet" || kind === "DaemonSet";
  return compare(POD_TEMPLATE, from ?? null, to ?? null, { quantitiesByText }).map(({ path }) => path);
}
