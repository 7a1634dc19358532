import { SOURCES } from "../../base/keys.ts";
import { pluralize } from "../../base/words.ts";
import { yamlText } from "../../base/yaml-text.ts";
import {
  formatKeys,
  formatList,
  formatName,
  formatObject,
  type ResourceRef,
  type SourceName,
} from "../../base/names.ts";
import { GENERAL, type Rows } from "./row.ts";

/** The findings about what charts write into pod templates. */
export interface ChartFindings {
  readonly "chart-label": {
    readonly selected: Labels & { readonly by: ResourceRef };
    /** A policy of admission names them: it may refuse pods without them. */
    readonly required: Labels & { readonly by: ResourceRef };
    readonly read: Labels;
    readonly defaulted: Labels;
  };
  readonly "chart-checksum": {
    readonly covers: Covers;
    /** The workload names sources of its own by annotation, which counts before any override. */
    readonly annotated: Covers;
    /** The workload uses no source of the input. */
    readonly nothing: { readonly workload: ResourceRef; readonly annotations: readonly string[] };
  };
  readonly "unknown-values": {
    readonly chart: { readonly object: ResourceRef; readonly chart: string };
    /** Its values are one text, in which nothing is edited. */
    readonly text: { readonly object: ResourceRef };
    /** What its chart comes from is not in the input. */
    readonly source: { readonly object: ResourceRef; readonly source: SourceName };
    /** Nothing among its values names a ConfigMap or Secret. */
    readonly none: { readonly object: ResourceRef };
  };
  readonly RS024: {
    /** `changed` are paths of fields, and names of what values and charts come from. */
    readonly notRendered: { readonly object: ResourceRef; readonly changed: readonly string[] };
  };
}

interface Covers {
  readonly workload: ResourceRef;
  readonly annotations: readonly string[];
  /** What they seem to be over. */
  readonly sources: readonly SourceName[];
  /** As a list of sources has them, with what is named already: of several lists the last counts. */
  readonly entries: readonly string[];
}

interface Labels {
  readonly workload: ResourceRef;
  readonly labels: readonly string[];
}

export const CHART_ROWS: Rows<ChartFindings> = {
  "chart-label": {
    severity: "info",
    title: "A label with the chart's version that stays, as something uses it",
    remedy: "Select by a label that stays the same, and versionLabels: Remove takes this one.",
    docs: "docs/findings.md#chart-label",
    causes: {
      selected: {
        message: ({ by, ...of }) => `${labelWords(of)}: a selector of ${formatObject(by)} uses it`,
        remedy: GENERAL,
      },
      required: {
        message: ({ by, ...of }) => `${labelWords(of)}: ${formatObject(by)} names it, and may refuse pods without it`,
        remedy: "Where no policy names it any more, versionLabels: Remove takes it.",
      },
      read: {
        message: (of) => `${labelWords(of)}: its pods read it`,
        remedy: null,
      },
      defaulted: {
        message: (of) => `${labelWords(of)}: it has no selector of its own, so all its labels are one`,
        remedy: "Give it an apiVersion that current Kubernetes serves, and a selector.",
      },
    },
  },
  "chart-checksum": {
    severity: "warning",
    title: "A chart's checksum that stays, as no stamp seems to cover what it is over",
    remedy: null,
    docs: "docs/findings.md#chart-checksum",
    causes: {
      covers: {
        message: coversWords,
        remedy: ({ workload, annotations, sources, entries }) =>
          `${nameThem(annotations, sources)}: '${entryWords(workload, entries)}'. ${elseWords(annotations, sources)}`,
      },
      annotated: {
        message: coversWords,
        remedy: ({ annotations, sources, entries }) =>
          `${nameThem(annotations, sources, " by its own annotation")}: '${SOURCES}: ${formatList(entries, MOST_ENTRIES)}'. ${elseWords(annotations, sources)}`,
      },
      nothing: {
        message: ({ workload, annotations }) =>
          `${formatObject(workload)} keeps ${formatKeys(annotations)}: it uses no ConfigMap or Secret of the input, so no stamp stands in ${pluralize(annotations.length, "its", "their")} place`,
        remedy:
          "Look in the chart's templates what it is over (rollstamp migrate CHART lists the lines). Name it in 'checksumAnnotations' if nothing needs it.",
        severity: "info",
      },
    },
  },
  "unknown-values": {
    severity: "warning",
    title: "Values of a chart of which it isn't known where stamps go",
    remedy:
      "Name the value that annotates the pods in 'workloads': {group, kind, podAnnotations: spec.values.podAnnotations, references: […]}.",
    docs: "docs/findings.md#unknown-values",
    causes: {
      chart: {
        message: ({ object, chart }) =>
          `${formatObject(object)} gets no stamp: where ${chart === "" ? "its chart" : `the chart ${formatName(chart)}`} takes the annotations of its pods from isn't known`,
        remedy: GENERAL,
      },
      text: {
        message: ({ object }) => `${formatObject(object)} gets no stamp: its values are a text`,
        remedy: "Write them as 'valuesObject'.",
      },
      source: {
        message: ({ object, source }) =>
          `${formatObject(object)} gets no stamp: which chart it installs isn't known, as ${formatObject(source)} is not in the input`,
        remedy: ({ source }) =>
          `Give the ${formatName(source.kind)} together with it (--scope directory or run); or name the value that annotates the pods in 'workloads', with the values that name sources.`,
      },
      none: {
        message: ({ object }) =>
          `${formatObject(object)} asks for stamps and gets none: no value of it that is known names a ConfigMap or Secret`,
        remedy: `Name them in ${SOURCES}, or in an entry of 'workloads' the values that do; or take the annotation out. What valuesFrom gives is not looked into.`,
      },
    },
  },
  RS024: {
    severity: "warning",
    title: "Changed values of a HelmRelease or an Application, of which nothing was rendered",
    remedy:
      "Plan what comes of it: over applications (plan --git A..B, with helm on PATH), or between two renderings of your own.",
    docs: "docs/rules/RS024.md",
    causes: {
      notRendered: {
        message: ({ object, changed }) =>
          `${formatObject(object)} changes (${formatList(changed, MOST_CHANGES)}), and what it makes was not rendered: what rolls there, this plan can't tell`,
        remedy: GENERAL,
      },
    },
  },
};

function labelWords({ workload, labels }: Labels): string {
  return `${formatObject(workload)} keeps its ${pluralize(labels.length, "label")} ${formatKeys(labels)}`;
}

function coversWords({ workload, annotations, sources }: Covers): string {
  const over = formatList(sources.map(formatObject), MOST_NAMED, " and ");
  return `${formatObject(workload)} keeps ${formatKeys(annotations)}: ${pluralize(annotations.length, "it seems", "they seem")} to be over ${over}, which its pod template doesn't name`;
}

function nameThem(annotations: readonly string[], sources: readonly SourceName[], how = ""): string {
  return `Name the ${pluralize(sources.length, "source")}${how}, and the ${pluralize(annotations.length, "checksum goes", "checksums go")}`;
}

/** The entry to paste. One that had to be cut would take away what is named already: then it is said in words. */
function entryWords({ kind, name }: ResourceRef, entries: readonly string[]): string {
  if (entries.length > MOST_ENTRIES) return `overrides[].sources: ${formatList(entries, MOST_ENTRIES)}`;
  const target = `{kind: ${yamlText(formatName(kind))}, name: ${yamlText(formatName(name))}}`;
  return `overrides: [{target: ${target}, sources: [${textsWords(entries)}]}]`;
}

function elseWords(annotations: readonly string[], sources: readonly SourceName[]): string {
  const more = annotations.length - MOST_ENTRIES;
  const named = `'checksumAnnotations: [${textsWords(annotations)}]'${more > 0 ? ` and ${more} more` : ""}`;
  return `If ${pluralize(sources.length, "it needs", "they need")} no restart: ${named}.`;
}

function textsWords(texts: readonly string[]): string {
  return texts
    .slice(0, MOST_ENTRIES)
    .map((text) => yamlText(formatName(text)))
    .join(", ");
}

const MOST_NAMED = 2;
const MOST_CHANGES = 3;
const MOST_ENTRIES = 8;
