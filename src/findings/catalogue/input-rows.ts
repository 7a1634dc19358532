import { counted } from "../../base/words.ts";
import { formatList, formatName, formatObject, type ResourceRef, type SourceName } from "../../base/names.ts";
import type { Rows } from "./row.ts";

/** Findings about the input: files and objects. Parameters by id and cause. */
export interface InputFindings {
  /** `problem` is the message of the reader: it never holds text of the file. */
  readonly "unreadable-manifest": {
    readonly unreadable: { readonly problem: string };
    /** Only in plans: BASE could read it. */
    readonly becameTemplate: { readonly problem: string };
    /** Only in plans: a template that differs. */
    readonly changedTemplate: { readonly problem: string };
  };
  readonly "duplicate-object": {
    readonly severalFiles: {
      readonly object: ResourceRef;
      readonly first: string;
      readonly second: string;
      /** How many more objects are in several files. */
      readonly more: number;
      /** The folders and files that are checked separately. */
      readonly parts: readonly string[];
    };
  };
  readonly "ambiguous-source": {
    readonly ambiguous: AmbiguousSource;
    /** One of the sources differs between the two sides of a plan. */
    readonly changed: AmbiguousSource;
  };
  readonly "kustomize-input": { readonly skipped: { readonly paths: readonly string[] } };
}

interface AmbiguousSource {
  readonly workload: ResourceRef;
  readonly source: SourceName;
  readonly places: readonly string[];
  /** How many more places there are. */
  readonly more: number;
}

export const INPUT_ROWS: Rows<InputFindings> = {
  "unreadable-manifest": {
    severity: "error",
    title: "A file that looks like a manifest but cannot be read",
    remedy: "Fix the file, or list it in .krmignore if it is not a manifest.",
    causes: {
      unreadable: { message: ({ problem }) => `file not examined: ${formatName(problem)}` },
      becameTemplate: {
        message: ({ problem }) =>
          `file not examined: BASE could read it, but now ${formatName(problem)}. What happens to its objects is unknown`,
        remedy: "Write manifests without {{, or compare what the template renders: plan --git A..B --render 'COMMAND'.",
      },
      changedTemplate: {
        message: ({ problem }) =>
          `file not examined: it changes, but ${formatName(problem)}. What happens to its objects is unknown`,
        remedy: "Compare what the template renders: plan --git A..B --render 'COMMAND'.",
      },
    },
  },
  "duplicate-object": {
    severity: "warning",
    title: "An object that is in several files",
    remedy:
      "No action if the files are renderings of several environments, tests or examples. Otherwise remove one of the duplicates, or list a file in .krmignore. --scope all makes duplicates an error; --scope directory and --scope file check each folder or file separately.",
    causes: {
      severalFiles: {
        message: ({ object, first, second, more, parts }) =>
          `${formatObject(object)} is in ${formatName(first)} and in ${formatName(second)}${more === 0 ? "" : `, and ${counted(more, "more object is", "more objects are")} in several files`}. Checked separately: ${formatList(parts, MOST_PARTS, " and ")}`,
      },
    },
  },
  "ambiguous-source": {
    severity: "warning",
    title: "A reference to a source that is in several places",
    remedy: "Pass only folders that are applied together, or their rendering.",
    causes: {
      ambiguous: { message: (params) => `${formatAmbiguous(params)}: it is unknown which one applies` },
      changed: {
        severity: "error",
        message: (params) =>
          `${formatAmbiguous(params)}: one of them changes, so it is unknown whether the workload rolls out`,
      },
    },
  },
  "kustomize-input": {
    severity: "warning",
    title: "Files that are input for kustomize",
    remedy:
      "Let kustomize run rollstamp (rollstamp init kustomize), or stamp them with --kustomize-input. A stamp in a base or patch becomes stale when an overlay changes the content.",
    causes: {
      skipped: { message: ({ paths }) => `input for kustomize, skipped: ${formatList(paths, MOST_PATHS)}` },
    },
  },
};

const MOST_PATHS = 3;
const MOST_PARTS = 6;
const MOST_PLACES = 3;

function formatAmbiguous({ workload, source, places, more }: AmbiguousSource): string {
  const left = Math.max(0, places.length - MOST_PLACES) + more;
  const named = formatList(places.slice(0, MOST_PLACES), MOST_PLACES, left === 0 ? " and " : ", ");
  return `${formatObject(workload)} uses ${formatObject(source)}, which is in ${named}${left === 0 ? "" : ` and ${counted(left, "more place")}`}`;
}
