import { counted, pluralize } from "../../base/words.ts";
import { formatList, formatName, formatObject, type ResourceRef } from "../../base/names.ts";
import { GENERAL, type Rows } from "./row.ts";

/** The findings about stamps: those that are wrong, those that wait, and what has none. */
export interface StampFindings {
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
  readonly "no-stamp": { readonly required: { readonly workload: ResourceRef } };
  readonly waiting: {
    /** `pods` is the most that it may have. */
    readonly tooLarge: { readonly workload: ResourceRef; readonly pods: number };
    readonly neverOpen: { readonly workload: ResourceRef };
    /** `annotations` are the keys by which it would wait. */
    readonly inRender: { readonly workload: ResourceRef; readonly annotations: readonly string[] };
  };
}

interface Stamp {
  readonly workload: ResourceRef;
  /** The key of its annotation. */
  readonly stamp: string;
}

/** Why nothing accounts for a stamp. */
const UNWANTED = {
  oneForAll: "one stamp stands for all sources (layout: Combined)",
  oneForEach: "each source has a stamp of its own, or none is used",
  unused: "nothing of its name is used",
} as const;

export const STAMP_ROWS: Rows<StampFindings> = {
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
      deselected: { message: (of) => `${stampWords(of)} is left behind: ${formatName(of.rule)}`, remedy: GENERAL },
      noWaiting: {
        message: ({ workload }) =>
          `what ${formatObject(workload)} waits for is edited by hand: it is no '<key of a stamp>=<digest>, …'`,
        remedy: GENERAL,
      },
      waitsForNothing: {
        message: ({ workload }) => `${formatObject(workload)} waits for nothing: its stamps are what they are to be`,
        remedy: GENERAL,
      },
      leftAlone: {
        message: ({ workload, rule }) =>
          `${formatObject(workload)} waits for nothing: stamping leaves it as it is, ${formatName(rule)}`,
        remedy: "Remove rollstamp.dev/waiting by hand: rollstamp stamp does not touch this workload.",
      },
      waitsForOther: {
        message: ({ workload, stamps }) =>
          `what ${formatObject(workload)} waits for is not what stamping would write: ${formatList(stamps, MOST_PATHS)}`,
        remedy: GENERAL,
      },
      neverOpen: {
        message: ({ workload }) =>
          `the windows of ${formatObject(workload)} and of its sources are never open together: it would wait for ever`,
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
        message: ({ workload, rule }) => `${formatObject(workload)} is not stamped: ${formatName(rule)}`,
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
        message: ({ workload }) => `${formatObject(workload)} uses ConfigMaps or Secrets and has no stamp at all`,
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
          `${formatObject(workload)} has ${counted(pods, "pod")}, more than --max-pods lets go at once: it waits however often that is run`,
        remedy: "Give --max-pods at least as many, or --max-workloads 1 in its place, to let this one go.",
      },
      neverOpen: {
        message: ({ workload }) =>
          `${formatObject(workload)} waits for ever: its windows and those of its sources are never open together`,
        remedy: "Give one of them another rollout-window.",
      },
      inRender: {
        message: ({ workload, annotations }) =>
          `${formatObject(workload)} takes its stamps at once, whatever ${formatList(annotations, MOST_PATHS)} ${pluralize(annotations.length, "says", "say")}: nothing can wait in a render`,
        remedy:
          "Waves and windows are for rollstamp stamp on files in Git (docs/waves.md). Remove the annotation, or stamp in Git in place of the render.",
      },
    },
  },
};

const MOST_PATHS = 3;

function stampWords({ workload, stamp }: Stamp): string {
  return `the stamp '${formatName(stamp)}' of ${formatObject(workload)}`;
}
