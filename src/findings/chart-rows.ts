import { kindWord } from "../ground/referenced-kinds.ts";
import { wordFor } from "../ground/words.ts";
import { keysWords, nameWords, objectWords, type ResourceRef, type SourceName } from "./names.ts";
import { GENERAL, type Rows } from "./row.ts";

/** The findings about what charts write into pod templates. */
export interface ChartFindings {
  readonly "chart-label": {
    readonly selected: Labels & { readonly by: ResourceRef };
    readonly read: Labels;
    readonly defaulted: Labels;
  };
  readonly "chart-checksum": {
    readonly covers: {
      readonly workload: ResourceRef;
      readonly annotation: string;
      readonly source: SourceName;
    };
    /** The workload uses no source of the input. */
    readonly nothing: { readonly workload: ResourceRef; readonly annotations: readonly string[] };
  };
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
        message: ({ by, ...of }) => `${labelWords(of)}: a selector of ${objectWords(by)} uses it`,
        remedy: GENERAL,
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
        message: ({ workload, annotation, source }) =>
          `${objectWords(workload)} keeps '${nameWords(annotation)}': it seems to be over ${objectWords(source)}, which its pod template doesn't name`,
        remedy: ({ workload, annotation, source }) =>
          `Name the source, and the checksum goes: 'overrides: [{target: {kind: ${nameWords(workload.kind)}, name: ${nameWords(workload.name)}}, sources: [${sourceWords(source)}]}]'. If it needs no restart: 'checksumAnnotations: [${nameWords(annotation)}]'.`,
      },
      nothing: {
        message: ({ workload, annotations }) =>
          `${objectWords(workload)} keeps ${keysWords(annotations)}: it uses no ConfigMap or Secret of the input, so no stamp stands in ${wordFor(annotations.length, "its", "their")} place`,
        remedy:
          "See what the chart says of it: rollstamp migrate --render 'helm template …' CHART. Name it in 'checksumAnnotations' if nothing needs it.",
        severity: "info",
      },
    },
  },
};

function labelWords({ workload, labels }: Labels): string {
  return `${objectWords(workload)} keeps its ${wordFor(labels.length, "label")} ${keysWords(labels)}`;
}

function sourceWords({ kind, name }: SourceName): string {
  return `${kind === "Secret" || kind === "ConfigMap" ? kindWord(kind) : nameWords(kind)}/${nameWords(name)}`;
}
