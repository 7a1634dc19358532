import { counted, saysPath, pluralize } from "../../base/words.ts";
import {
  formatKeyChanges,
  type KeyChanges,
  formatList,
  formatName,
  formatObject,
  formatToolOutput,
  type ResourceRef,
  type SourceName,
} from "../../base/names.ts";
import { GENERAL, type Rows } from "./row.ts";

interface UnseenChange {
  readonly source: SourceName;
  readonly keys: KeyChanges;
  readonly workloads: readonly ResourceRef[];
  readonly applications: readonly string[];
}

/** The findings about what is looked at, and with what: files, and the parts that they make. */
export interface InputFindings {
  /** `problem` is what the reader says: never a text of the file. */
  readonly "unread-manifest": { readonly unread: { readonly problem: string } };
  /** `problem` is what the tools say, masked. */
  readonly "unrendered-application": {
    readonly failed: { readonly application: string; readonly path: string; readonly problem: string };
    /** For one reason. */
    readonly several: { readonly applications: readonly string[]; readonly problem: string };
    /** Only in plans: others of a cluster, whose pods may see what changes; `problem` is that of so many of them. */
    readonly unlooked: {
      readonly sources: readonly SourceName[];
      readonly applications: readonly string[];
      readonly problem: string;
      readonly alike: number;
    };
  };
  /** Only in plans: what changes in one application of a cluster, and workloads of others name. */
  readonly "unseen-change": {
    readonly changed: UnseenChange;
    readonly gone: UnseenChange;
  };
  /** Only in plans. `object` is what Flux calls it. */
  readonly "suspended-application": {
    readonly suspended: { readonly object: string };
    readonly resumed: { readonly object: string };
  };
  readonly "stands-twice": {
    readonly apart: {
      readonly object: ResourceRef;
      readonly first: string;
      readonly second: string;
      /** How many more objects stand in several files. */
      readonly more: number;
      /** The folders and files that are looked at by themselves. */
      readonly parts: readonly string[];
    };
  };
  readonly "unsure-source": {
    readonly several: Unsure;
    /** One of them differs between the two revisions that are compared. */
    readonly changed: Unsure;
  };
  readonly "kustomize-input": { readonly leftAlone: { readonly paths: readonly string[] } };
}

interface Unsure {
  readonly workload: ResourceRef;
  readonly source: SourceName;
  readonly places: readonly string[];
  /** How many places are not named. */
  readonly more: number;
}

/** How many of those that fail alike are named: all stand under what was not examined. */
const MOST_APPLICATIONS = 5;

/** How many are named of what is told beside other things: names of applications may be paths. */
const MOST_BESIDE = 1;

export const INPUT_ROWS: Rows<InputFindings> = {
  "unread-manifest": {
    severity: "error",
    title: "A file that looks like a manifest and can't be read",
    remedy: "Mend it, or name it in .krmignore if it is none.",
    docs: "docs/findings.md#unread-manifest",
    causes: {
      unread: { message: ({ problem }) => `this was not examined: ${formatName(problem)}`, remedy: GENERAL },
    },
  },
  "unrendered-application": {
    severity: "error",
    title: "An application that can't be rendered",
    remedy:
      "Do as it says, or mend what it names; to leave it out, list its path under ignore of the Applications in rollstamp.yaml.",
    docs: "docs/findings.md#unrendered-application",
    causes: {
      failed: {
        message: ({ application, path, problem }) =>
          `the application ${formatName(application)}${saysPath(application, path) ? "" : ` in ${formatName(path)}`} was not examined: ${formatToolOutput(problem)}`,
        remedy: GENERAL,
      },
      several: {
        message: ({ applications, problem }) =>
          `${counted(applications.length, "application was", "applications were")} not examined (${formatList(applications, MOST_APPLICATIONS)}): ${formatToolOutput(problem)}`,
        remedy: GENERAL,
      },
      unlooked: {
        message: ({ sources, applications, problem, alike }) => {
          const all = applications.length;
          const of = alike === all ? ":" : `. Of ${alike} of them:`;
          return `whether pods of ${counted(all, "other application", "other applications")} of the cluster (${formatList(applications, MOST_BESIDE)}) see ${formatList(sources.map(formatObject), MOST_BESIDE)} isn't known, as ${pluralize(all, "it", "they")} can't be rendered${of} ${formatToolOutput(problem)}`;
        },
        remedy: GENERAL,
      },
    },
  },
  "unseen-change": {
    severity: "warning",
    title: "A source that changes in one application and that pods of another one see",
    remedy:
      "Restart these workloads when the change has been applied (rollstamp restart), or put both into one application: then it is part of their stamps.",
    docs: "docs/findings.md#unseen-change",
    causes: {
      changed: {
        message: (params) =>
          `${formatObject(params.source)}: ${formatKeyChanges(params.keys)}; ${usersWords(params)}, and ${pluralize(params.workloads.length, "its", "their")} pods take it only when they restart: nothing rolls, as each application is stamped by itself`,
        remedy: GENERAL,
      },
      gone: {
        message: (params) =>
          `${formatObject(params.source)} is gone; ${usersWords(params)}, whose new pods don't start without it`,
        remedy: "Keep it, or take the reference out of these workloads first.",
      },
    },
  },
  "suspended-application": {
    severity: "warning",
    title: "An application that Flux does not apply, or applies again",
    remedy: "Nothing, if that is meant. When it is resumed, Flux applies all that has changed since.",
    docs: "docs/findings.md#suspended-application",
    causes: {
      suspended: {
        message: ({ object }) =>
          `${formatName(object)} is suspended: Flux applies none of its changes, and nothing of it rolls, until it is resumed`,
        remedy: GENERAL,
      },
      resumed: {
        message: ({ object }) =>
          `${formatName(object)} is resumed: Flux applies with it what has changed since it was suspended, which is not in this plan`,
        remedy: "Plan from the revision that Flux applied last: rollstamp plan --git REVISION..HEAD --app NAME.",
      },
    },
  },
  "stands-twice": {
    severity: "warning",
    title: "An object that stands in several files that were found",
    remedy:
      "Nothing, if these are renderings of several environments, tests or examples. Else keep one of the two, or name a file in .krmignore. --scope run takes it for an error, --scope directory and --scope file look at each folder or file by itself.",
    docs: "docs/findings.md#stands-twice",
    causes: {
      apart: {
        message: ({ object, first, second, more, parts }) =>
          `${formatObject(object)} stands in ${formatName(first)} and in ${formatName(second)}${more === 0 ? "" : `, and ${counted(more, "more object stands", "more objects stand")} in several files`}: looked at by itself is each of ${formatList(parts, MOST_PARTS, " and ")}`,
        remedy: GENERAL,
      },
    },
  },
  "unsure-source": {
    severity: "warning",
    title: "A reference to what stands in several parts that are looked at by themselves",
    remedy: "Give the folders that are applied together, or a rendering of them.",
    docs: "docs/findings.md#unsure-source",
    causes: {
      several: { message: (params) => `${unsureWords(params)}: which of them it sees can't be told`, remedy: GENERAL },
      changed: {
        severity: "error",
        message: (params) =>
          `${unsureWords(params)}, and they differ between the two sides: whether it rolls can't be told`,
        remedy: GENERAL,
      },
    },
  },
  "kustomize-input": {
    severity: "warning",
    title: "Files that are left alone, as kustomize builds from them",
    remedy:
      "Let kustomize run rollstamp (rollstamp init kustomize), or give --kustomize-input: a stamp in a base or a patch goes stale when an overlay changes the content.",
    docs: "docs/findings.md#kustomize-input",
    causes: {
      leftAlone: {
        message: ({ paths }) => `left alone, as kustomize builds from these: ${formatList(paths, MOST_PATHS)}`,
        remedy: GENERAL,
      },
    },
  },
};

const MOST_PATHS = 3;
const MOST_PARTS = 6;
const MOST_PLACES = 3;

function unsureWords({ workload, source, places, more }: Unsure): string {
  const left = Math.max(0, places.length - MOST_PLACES) + more;
  const named = formatList(places.slice(0, MOST_PLACES), MOST_PLACES, left === 0 ? " and " : ", ");
  return `${formatObject(workload)} uses ${formatObject(source)}, which stands in ${named}${left === 0 ? "" : ` and ${counted(left, "more place")}`}`;
}

const MOST_USERS = 5;

function usersWords({ workloads, applications }: UnseenChange): string {
  const of = pluralize(applications.length, "application", "applications");
  const use = pluralize(workloads.length, "uses", "use");
  return `${formatList(workloads.map(formatObject), MOST_USERS, " and ")} of the ${of} ${formatList(applications, MOST_USERS, " and ")} ${use} it`;
}
