import { counted, wordFor } from "../ground/words.ts";
import { listWords, nameWords, objectWords, valueWords, type ResourceRef, type SourceName } from "./names.ts";
import { GENERAL, type Rows } from "./row.ts";

/** The findings about stamps, about annotations of ours and of others, and about what is left alone. */
export interface AnnotationFindings {
  readonly RS007: {
    readonly annotation: Writer;
    /** `compat` makes the annotation ours as well. */
    readonly shared: Writer;
    readonly item: { readonly workload: ResourceRef; readonly annotation: string; readonly maker: ResourceRef };
    readonly target: { readonly workload: ResourceRef; readonly maker: ResourceRef };
  };
  readonly RS009: {
    readonly noTime: Stamp;
    readonly noDigest: Stamp;
    readonly stale: Stamp;
    readonly missing: Stamp;
    readonly unwanted: Stamp & { readonly why: keyof typeof UNWANTED };
    /** The workload is not selected: by which rule, as `explain` words it. */
    readonly deselected: Stamp & { readonly rule: string };
    /** `rollstamp.dev/waiting` is not of its form. */
    readonly noWaiting: { readonly workload: ResourceRef };
    readonly waitsForNothing: { readonly workload: ResourceRef };
    /** It waits, and is never stamped: by which rule, as `explain` words it. */
    readonly leftAlone: { readonly workload: ResourceRef; readonly rule: string };
    /** It waits for other digests than stamping would write; `stamps` are the keys of their annotations. */
    readonly waitsForOther: { readonly workload: ResourceRef; readonly stamps: readonly string[] };
    readonly neverOpen: { readonly workload: ResourceRef };
  };
  readonly "fixed-name": { readonly fixed: { readonly workload: ResourceRef; readonly rule: string } };
  readonly ignore: {
    readonly unknown: Ignored & { readonly near: string | undefined };
    readonly noReason: Ignored;
  };
  /** `problem` is what the reader says: never a text of the file. */
  readonly "unread-manifest": { readonly unread: { readonly problem: string } };
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
  readonly "no-stamp": { readonly required: { readonly workload: ResourceRef } };
  readonly waiting: {
    /** `pods` is the most that it may have. */
    readonly tooLarge: { readonly workload: ResourceRef; readonly pods: number };
    readonly neverOpen: { readonly workload: ResourceRef };
    /** `annotations` are the keys by which it would wait. */
    readonly inRender: { readonly workload: ResourceRef; readonly annotations: readonly string[] };
  };
  readonly "kustomize-input": { readonly leftAlone: { readonly paths: readonly string[] } };
  readonly "reloader-annotation": {
    readonly notText: Annotation;
    readonly notTrue: Annotation & { readonly value: string };
    /** The source may be a Secret: nothing that stands in it is told. */
    readonly onSource: Annotation;
    readonly expression: Annotation & { readonly text: string; readonly problem: string };
  };
  readonly "wave-annotation": {
    readonly notText: Annotation;
    readonly notTrue: Annotation & { readonly value: string };
    readonly entry: Annotation & { readonly text: string };
  };
}

interface Unsure {
  readonly workload: ResourceRef;
  readonly source: SourceName;
  readonly places: readonly string[];
  /** How many places are not named. */
  readonly more: number;
}

interface Writer {
  readonly workload: ResourceRef;
  readonly writer: string;
  readonly annotation: string;
}

interface Stamp {
  readonly workload: ResourceRef;
  /** The key of its annotation. */
  readonly stamp: string;
}

interface Ignored {
  readonly object: ResourceRef;
  /** The id that the annotation names. */
  readonly rule: string;
}

interface Annotation {
  readonly object: ResourceRef;
  /** Its key. */
  readonly annotation: string;
}

const TRUE_OR_FALSE = 'Write "true" or "false", in quotes.';

/** Why nothing accounts for a stamp. */
const UNWANTED = {
  oneForAll: "one stamp stands for all sources (layout: Combined)",
  oneForEach: "each source has a stamp of its own, or none is used",
  unused: "nothing of its name is used",
} as const;

export const ANNOTATION_ROWS: Rows<AnnotationFindings> = {
  RS007: {
    severity: "warning",
    title: "A second writer that rolls the same workload",
    remedy:
      'Let one of the two roll it: remove the other\'s annotation or target, or opt the workload out with rollstamp.dev/stamp: "false".',
    docs: "docs/rules/RS007.md",
    causes: {
      annotation: {
        message: ({ workload, writer, annotation }) =>
          `${objectWords(workload)} is rolled by ${writer} as well, by its annotation '${nameWords(annotation)}'`,
        remedy: GENERAL,
      },
      shared: {
        message: ({ workload, writer, annotation }) =>
          `${objectWords(workload)} is rolled by ${writer} as well, if it still runs: the annotation '${nameWords(annotation)}' is read by both`,
        remedy: GENERAL,
        severity: "info",
      },
      item: {
        message: ({ workload, annotation, maker }) =>
          `${objectWords(workload)} is rolled by the 1Password operator as well, by the annotation '${annotation}' of ${objectWords(maker)}`,
        remedy: GENERAL,
      },
      target: {
        message: ({ workload, maker }) =>
          `${objectWords(workload)} is rolled by the Vault Secrets Operator as well: ${objectWords(maker)} names it`,
        remedy: GENERAL,
      },
    },
  },
  RS009: {
    severity: "warning",
    title: "A stamp that is stale, edited by hand, or left behind",
    remedy:
      "Run rollstamp stamp. Under kustomize let the outermost overlay stamp, last of its transformers. If the stamps are made with other options, give the lint the same ones.",
    docs: "docs/rules/RS009.md",
    causes: {
      noTime: { message: (of) => `${stampWords(of)} is edited by hand: it is no RFC 3339 time`, remedy: GENERAL },
      noDigest: { message: (of) => `${stampWords(of)} is edited by hand: it is no digest`, remedy: GENERAL },
      stale: { message: (of) => `${stampWords(of)} is stale: its source has other content now`, remedy: GENERAL },
      missing: { message: (of) => `${stampWords(of)} is missing beside its others`, remedy: GENERAL },
      unwanted: { message: (of) => `${stampWords(of)} is left behind: ${UNWANTED[of.why]}`, remedy: GENERAL },
      deselected: { message: (of) => `${stampWords(of)} is left behind: ${nameWords(of.rule)}`, remedy: GENERAL },
      noWaiting: {
        message: ({ workload }) =>
          `what ${objectWords(workload)} waits for is edited by hand: it is no '<key of a stamp>=<digest>, …'`,
        remedy: GENERAL,
      },
      waitsForNothing: {
        message: ({ workload }) => `${objectWords(workload)} waits for nothing: its stamps are what they are to be`,
        remedy: GENERAL,
      },
      leftAlone: {
        message: ({ workload, rule }) =>
          `${objectWords(workload)} waits for nothing: stamping leaves it as it is, ${nameWords(rule)}`,
        remedy: "Remove rollstamp.dev/waiting by hand: rollstamp stamp does not touch this workload.",
      },
      waitsForOther: {
        message: ({ workload, stamps }) =>
          `what ${objectWords(workload)} waits for is not what stamping would write: ${listWords(stamps, MOST_PATHS)}`,
        remedy: GENERAL,
      },
      neverOpen: {
        message: ({ workload }) =>
          `the windows of ${objectWords(workload)} and of its sources are never open together: it would wait for ever`,
        remedy: "Give one of them another rollstamp.dev/rollout-window.",
      },
    },
  },
  "fixed-name": {
    severity: "warning",
    title: "A pod template that can't be changed under its name",
    remedy: "Remove the name, and each change gets a name of its own.",
    docs: "docs/findings.md#fixed-name",
    causes: {
      fixed: {
        message: ({ workload, rule }) => `${objectWords(workload)} is not stamped: ${nameWords(rule)}`,
        remedy: GENERAL,
      },
    },
  },
  ignore: {
    severity: "warning",
    title: "An annotation that is to ignore a rule and does not",
    remedy: "Name a rule, and write the reason as the annotation's value.",
    docs: "docs/findings.md#ignore",
    causes: {
      unknown: {
        message: ({ object, rule }) =>
          `${objectWords(object)} ignores the rule '${nameWords(rule)}', which there is not`,
        remedy: ({ near }) => (near === undefined ? "Name a rule: RS001 and on." : `Did you mean ${near}?`),
      },
      noReason: {
        message: ({ object, rule }) => `${objectWords(object)} ignores ${rule} without a reason, so it is not ignored`,
        remedy: "Write why, as the annotation's value.",
      },
    },
  },
  "unread-manifest": {
    severity: "error",
    title: "A file that looks like a manifest and can't be read",
    remedy: "Mend it, or name it in .krmignore if it is none.",
    docs: "docs/findings.md#unread-manifest",
    causes: {
      unread: { message: ({ problem }) => `this was not examined: ${nameWords(problem)}`, remedy: GENERAL },
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
          `${objectWords(object)} stands in ${nameWords(first)} and in ${nameWords(second)}${more === 0 ? "" : `, and ${counted(more, "more object stands", "more objects stand")} in several files`}: looked at by itself is each of ${listWords(parts, MOST_PARTS, " and ")}`,
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
  "no-stamp": {
    severity: "error",
    title: "A workload without any stamp where --require-stamps asks for one",
    remedy: "Let the host that renders run rollstamp: did it skip the function (kustomize does without --enable-exec)?",
    docs: "docs/findings.md#no-stamp",
    causes: {
      required: {
        message: ({ workload }) => `${objectWords(workload)} uses ConfigMaps or Secrets and has no stamp at all`,
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
        message: ({ paths }) => `left alone, as kustomize builds from these: ${listWords(paths, MOST_PATHS)}`,
        remedy: GENERAL,
      },
    },
  },
  waiting: {
    severity: "warning",
    title: "A workload that is to wait for its new stamps, and can't",
    remedy: null,
    docs: "docs/findings.md#waiting",
    causes: {
      tooLarge: {
        message: ({ workload, pods }) =>
          `${objectWords(workload)} has ${counted(pods, "pod")}, more than --max-pods lets go at once: it waits however often that is run`,
        remedy: "Give --max-pods at least as many, or --max-workloads 1 in its place, to let this one go.",
      },
      neverOpen: {
        message: ({ workload }) =>
          `${objectWords(workload)} waits for ever: its windows and those of its sources are never open together`,
        remedy: "Give one of them another rollout-window.",
      },
      inRender: {
        message: ({ workload, annotations }) =>
          `${objectWords(workload)} takes its stamps at once, whatever ${listWords(annotations, MOST_PATHS)} ${wordFor(annotations.length, "says", "say")}: nothing can wait in a render`,
        remedy:
          "Waves and windows are for rollstamp stamp on files in Git (docs/waves.md). Remove the annotation, or stamp in Git in place of the render.",
      },
    },
  },
  "reloader-annotation": {
    severity: "warning",
    title: "An annotation that Reloader does not take as it is written",
    remedy: null,
    docs: "docs/findings.md#reloader-annotation",
    causes: {
      notText: { message: notTextWords, remedy: "Put the value in quotes." },
      notTrue: {
        message: (of) => `${annotationWords(of)} is ${valueWords(of.value)}, which Reloader does not take for "true"`,
        remedy: TRUE_OR_FALSE,
      },
      onSource: {
        message: (of) => `${annotationWords(of)} is none that Reloader takes for "true"`,
        remedy: TRUE_OR_FALSE,
      },
      expression: {
        message: (of) =>
          `${annotationWords(of)} has ${valueWords(of.text)}, which names nothing: ${nameWords(of.problem)}`,
        remedy: "Mend the expression (RE2's syntax); the others in the list count.",
      },
    },
  },
  "wave-annotation": {
    severity: "warning",
    title: "An annotation that Wave does not take as it is written",
    remedy: null,
    docs: "docs/findings.md#wave-annotation",
    causes: {
      notText: { message: notTextWords, remedy: TRUE_OR_FALSE },
      notTrue: {
        message: (of) => `${annotationWords(of)} is ${valueWords(of.value)}, which Wave does not take for "true"`,
        remedy: TRUE_OR_FALSE,
      },
      entry: {
        message: (of) => `${annotationWords(of)} has ${valueWords(of.text)}, which Wave does not take`,
        remedy: "Write NAME or NAMESPACE/NAME.",
      },
    },
  },
};

const MOST_PATHS = 3;

function stampWords({ workload, stamp }: Stamp): string {
  return `the stamp '${nameWords(stamp)}' of ${objectWords(workload)}`;
}

function annotationWords({ object, annotation }: Annotation): string {
  return `the annotation '${nameWords(annotation)}' of ${objectWords(object)}`;
}

function notTextWords(of: Annotation): string {
  return `${annotationWords(of)} is no string: the API server refuses it`;
}

const MOST_PARTS = 6;

function unsureWords({ workload, source, places, more }: Unsure): string {
  const left = Math.max(0, places.length - MOST_PLACES) + more;
  const named = listWords(places.slice(0, MOST_PLACES), MOST_PLACES, left === 0 ? " and " : ", ");
  return `${objectWords(workload)} uses ${objectWords(source)}, which stands in ${named}${left === 0 ? "" : ` and ${counted(left, "more place")}`}`;
}

const MOST_PLACES = 3;
