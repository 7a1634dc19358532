import { SOURCES } from "../../base/keys.ts";
import { pluralize, yamlText } from "../../base/words.ts";
import {
  formatKeys,
  formatList,
  formatName,
  formatObject,
  type ResourceRef,
  type SourceName,
} from "../../base/names.ts";
import type { Rows } from "./row.ts";

/** Findings about values that charts write: parameters by id and cause. */
export interface ChartFindings {
  readonly "chart-label": {
    readonly selected: Labels & { readonly by: ResourceRef };
    /** An admission policy names the labels and may reject pods without them. */
    readonly required: Labels & { readonly by: ResourceRef };
    readonly read: Labels;
    readonly defaultSelector: Labels;
  };
  readonly "chart-checksum": {
    readonly uncovered: Covers;
    /** The workload lists sources in its own annotation, which takes precedence over overrides. */
    readonly annotated: Covers;
    /** The workload uses no source of the input. */
    readonly noSources: { readonly workload: ResourceRef; readonly annotations: readonly string[] };
  };
  readonly "unstamped-release": {
    readonly unknownChart: { readonly object: ResourceRef; readonly chart: string };
    /** Its values are one string, which rollstamp does not edit. */
    readonly stringValues: { readonly object: ResourceRef };
    /** The object that names its chart is not in the input. */
    readonly missingSource: { readonly object: ResourceRef; readonly source: SourceName };
    /** No known value names a ConfigMap or Secret. */
    readonly noReferences: { readonly object: ResourceRef };
  };
}

interface Covers {
  readonly workload: ResourceRef;
  readonly annotations: readonly string[];
  /** The sources that the checksums seem to cover. */
  readonly sources: readonly SourceName[];
  /** The complete list of sources to configure: it replaces what is configured already. */
  readonly entries: readonly string[];
}

interface Labels {
  readonly workload: ResourceRef;
  readonly labels: readonly string[];
}

export const CHART_ROWS: Rows<ChartFindings> = {
  "chart-label": {
    severity: "info",
    title: "A label with the chart's version that is kept because it is used",
    remedy: "Select by a label that does not change; then 'versionLabels: Remove' removes this one.",
    causes: {
      selected: {
        message: ({ by, ...labels }) => `${keepsLabels(labels)}: a selector of ${formatObject(by)} uses it`,
      },
      required: {
        message: ({ by, ...labels }) =>
          `${keepsLabels(labels)}: ${formatObject(by)} names it and may reject pods without it`,
        remedy: "Remove the label from the policy; then 'versionLabels: Remove' removes it from the pods.",
      },
      read: { message: (labels) => `${keepsLabels(labels)}: its pods read it`, remedy: null },
      defaultSelector: {
        message: (labels) =>
          `${keepsLabels(labels)}: without a selector, all labels of the pod template form the selector`,
        remedy: "Use an apiVersion that Kubernetes still serves, and add a selector.",
      },
    },
  },
  "chart-checksum": {
    severity: "warning",
    title: "A chart's checksum that is kept because no stamp covers its source",
    remedy: null,
    causes: {
      uncovered: {
        message: seemsToCover,
        remedy: ({ workload, annotations, sources, entries }) =>
          `To replace ${checksums(annotations)} with a stamp: '${formatOverride(workload, entries)}'. ${withoutRestart(annotations, sources)}`,
      },
      annotated: {
        message: seemsToCover,
        remedy: ({ annotations, sources, entries }) =>
          `To replace ${checksums(annotations)} with a stamp, annotate the workload: '${SOURCES}: ${formatList(entries, MOST_ENTRIES)}'. ${withoutRestart(annotations, sources)}`,
      },
      noSources: {
        message: ({ workload, annotations }) =>
          `${formatObject(workload)} keeps ${formatKeys(annotations)}: it uses no ConfigMap or Secret of the input, so no stamp would replace ${pluralize(annotations.length, "it", "them")}`,
        remedy: "To remove the checksum, list it in 'checksumAnnotations'.",
        severity: "info",
      },
    },
  },
  "unstamped-release": {
    severity: "warning",
    title: "A HelmRelease or Application that asks for stamps but cannot get them",
    remedy:
      "Add to 'workloads' the value that annotates the pods: {group, kind, podAnnotations: spec.values.podAnnotations, references: […]}.",
    causes: {
      unknownChart: {
        message: ({ object, chart }) =>
          `${formatObject(object)} gets no stamp: the value of ${chart === "" ? "its chart" : `chart ${formatName(chart)}`} that annotates the pods is unknown`,
      },
      stringValues: {
        message: ({ object }) => `${formatObject(object)} gets no stamp: its values are a string`,
        remedy: "Write them as 'valuesObject'.",
      },
      missingSource: {
        message: ({ object, source }) =>
          `${formatObject(object)} gets no stamp: ${formatObject(source)}, which names its chart, is not in the input`,
        remedy: ({ source }) =>
          `Add the ${formatName(source.kind)} to the input (--scope directory or run), or add to 'workloads' the value that annotates the pods and the values that name sources.`,
      },
      noReferences: {
        message: ({ object }) =>
          `${formatObject(object)} gets no stamp: no known value of its chart names a ConfigMap or Secret`,
        remedy: `List the sources in ${SOURCES}, add the values that name them to 'workloads', or remove the annotation. rollstamp does not read valuesFrom.`,
      },
    },
  },
};

function keepsLabels({ workload, labels }: Labels): string {
  return `${formatObject(workload)} keeps the ${pluralize(labels.length, "label")} ${formatKeys(labels)}`;
}

function seemsToCover({ workload, annotations, sources }: Covers): string {
  const covered = formatList(sources.map(formatObject), MOST_NAMED, " and ");
  return `${formatObject(workload)} keeps ${formatKeys(annotations)}, which ${pluralize(annotations.length, "seems", "seem")} to cover ${covered}: its pod template does not reference ${pluralize(sources.length, "it", "them")}, so no stamp does`;
}

function checksums(annotations: readonly string[]): string {
  return pluralize(annotations.length, "the checksum", "the checksums");
}

/** The entry to paste. A shortened list would drop sources that are configured already: then it is only described. */
function formatOverride({ kind, name }: ResourceRef, entries: readonly string[]): string {
  if (entries.length > MOST_ENTRIES) return `overrides[].sources: ${formatList(entries, MOST_ENTRIES)}`;
  const target = `{kind: ${yamlText(formatName(kind))}, name: ${yamlText(formatName(name))}}`;
  return `overrides: [{target: ${target}, sources: [${formatTexts(entries)}]}]`;
}

function withoutRestart(annotations: readonly string[], sources: readonly SourceName[]): string {
  const more = annotations.length - MOST_ENTRIES;
  const named = `'checksumAnnotations: [${formatTexts(annotations)}]'${more > 0 ? ` and ${more} more` : ""}`;
  return `If changes of ${pluralize(sources.length, "this source", "these sources")} need no restart, remove the checksum: ${named}.`;
}

function formatTexts(texts: readonly string[]): string {
  return texts
    .slice(0, MOST_ENTRIES)
    .map((text) => yamlText(formatName(text)))
    .join(", ");
}

const MOST_NAMED = 2;
const MOST_ENTRIES = 8;
