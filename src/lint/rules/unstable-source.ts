import { resourceRef } from "../../results/location.ts";
import { compare } from "../../rollout/compare.ts";
import { POD_TEMPLATE } from "../../rollout/pod-types.ts";
import { changedKeys, isUnchanged } from "../../sources/changed-keys.ts";
import type { SourceIndex } from "../../sources/source-index.ts";
import type { Source } from "../../sources/types.ts";
import { templateData } from "../../stamps/stamped-template.ts";
import { identityOf } from "../../workloads/identity.ts";
import { templateAnnotations } from "../../workloads/template-annotations.ts";
import type { PodTemplate } from "../../workloads/types.ts";
import type { LintedWorkload, Rendering } from "../context.ts";
import { firstField, problem, type LintRule, type Problem } from "../rule.ts";
import { sourceId } from "../source-id.ts";

/** A source or a pod template that is another one at each rendering: its workloads would roll each time. */
export const UNSTABLE_SOURCE: LintRule<"RS013"> = {
  id: "RS013",
  check: ({ sources, workloads, again }) => {
    if (again === undefined) return [];
    return [...unstableSources(sources, again.sources), ...unstableTemplates(workloads, again)];
  },
};

function unstableSources(sources: SourceIndex, again: SourceIndex): Problem<"RS013">[] {
  const second = new Map(again.all.map((source) => [sourceId(source), source]));
  const first = new Set(sources.all.map(sourceId));
  return [
    ...sources.all.flatMap((source) => {
      const other = second.get(sourceId(source));
      return other === undefined ? [onlyOnce(source)] : differing(source, sources, other, again);
    }),
    ...again.all.filter((source) => !first.has(sourceId(source))).map(onlyOnce),
  ];
}

function differing(source: Source, sources: SourceIndex, other: Source, again: SourceIndex): Problem<"RS013">[] {
  const keys = changedKeys(sources.entries(source), again.entries(other));
  if (isUnchanged(keys)) return [];
  const at = firstField(source.item, "data", "stringData", "binaryData", "spec");
  const params = { source: resourceRef(source.item), keys };
  return [problem(source.item, at, { id: "RS013", cause: "differs", params })];
}

/** A name that is made at random, or from random content, as kustomize's suffix is. */
function onlyOnce(source: Source): Problem<"RS013"> {
  const { item } = source;
  return problem(item, firstField(item, "metadata.name"), {
    id: "RS013",
    cause: "once",
    params: { source: resourceRef(item) },
  });
}

function unstableTemplates(workloads: readonly LintedWorkload[], again: Rendering): Problem<"RS013">[] {
  const second = new Map(again.workloads.map(({ workload }) => [identityOf(workload), workload]));
  return workloads.flatMap(({ workload }) => {
    const { item } = workload;
    const others = second.get(identityOf(workload))?.templates ?? [];
    const paths = workload.templates.flatMap((template, i) => {
      const other = others[i];
      return other === undefined ? [] : differences(template, other);
    });
    if (paths.length === 0) return [];
    const at = firstField(item, workload.templates[0]?.field ?? "spec");
    return [problem(item, at, { id: "RS013", cause: "template", params: { workload: resourceRef(item), paths } })];
  });
}

/** The fields by which two renderings of a template differ; stamps follow from the sources, which are told themselves. */
function differences(a: PodTemplate, b: PodTemplate): string[] {
  const [from, to] = [a, b].map((template) =>
    templateData(template, { annotations: templateAnnotations(template), withoutLabels: new Set(), spec: true }),
  );
  const quantitiesByText = a.item.kind === "StatefulSet" || a.item.kind === "DaemonSet";
  return compare(POD_TEMPLATE, from ?? null, to ?? null, { quantitiesByText }).map(({ path }) => path);
}
