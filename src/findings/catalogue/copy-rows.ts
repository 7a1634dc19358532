import { formatList, formatName, formatObject, type ResourceRef } from "../../base/names.ts";
import type { Rows } from "./row.ts";

/** Findings about copies of sources (layout Versioned): parameters by id and cause. */
export interface CopyFindings {
  readonly "wrong-copy": { readonly content: { readonly copy: ResourceRef; readonly source: ResourceRef } };
  /** Only in plans: running pods have copies that the change removes. */
  readonly "leaving-copy": {
    readonly used: { readonly workload: ResourceRef; readonly copies: readonly ResourceRef[] };
  };
  readonly "not-versioned": {
    /** The source is a whole file in JSON. */
    readonly json: { readonly source: ResourceRef };
    /** `by` is a kustomization that changes the source. */
    readonly overlay: { readonly source: ResourceRef; readonly by: string };
  };
}

export const COPY_ROWS: Rows<CopyFindings> = {
  "wrong-copy": {
    severity: "error",
    title: "A copy whose content does not match its name",
    remedy:
      "Restore the copy from Git (git restore), and edit only the original. Copies that pods use must not be deleted.",
    causes: {
      content: {
        message: ({ copy, source }) =>
          `the content of ${formatObject(copy)}, a copy of ${formatObject(source)}, does not match its name: copies are immutable, so the change cannot be applied`,
      },
    },
  },
  "leaving-copy": {
    severity: "warning",
    title: "A copy that is removed while pods use it",
    remedy: "Raise 'keep' in the configuration, or set 'protect: true' and use rollstamp gc.",
    causes: {
      used: {
        brief: ({ workload }) => `old pods of ${formatObject(workload)} lose their copy`,
        message: ({ workload, copies }) =>
          `the change removes ${formatList(copies.map(formatObject), 3)}: until the rollout of ${formatObject(workload)} ends, its old pods cannot start again`,
      },
    },
  },
  "not-versioned": {
    severity: "warning",
    title: "A source that gets no copies, although the layout is Versioned",
    remedy: null,
    causes: {
      json: {
        message: ({ source }) =>
          `${formatObject(source)} gets stamps instead of copies: its file is a single JSON object`,
        remedy: "Write the file as YAML, so that it can have copies.",
      },
      overlay: {
        message: ({ source, by }) =>
          `${formatObject(source)} can't have copies: ${formatName(by)} changes it, and copies in the base would not have these changes`,
        severity: "error",
        remedy:
          "Run the function as the last transformer of the overlay instead, or exclude the source with the annotation rollstamp.dev/exclude of the workload.",
      },
    },
  },
};
