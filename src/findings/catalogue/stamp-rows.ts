import { counted } from "../../base/words.ts";
import { formatList, formatName, formatObject, type ResourceRef } from "../../base/names.ts";
import type { Rows } from "./row.ts";

/** Findings about stamps: invalid, stale, waiting or missing. Parameters by id and cause. */
export interface StampFindings {
  readonly RS009: {
    readonly invalidTime: Stamp;
    readonly invalidDigest: Stamp;
    readonly stale: Stamp;
    /** The pod template names another copy of a source than stamping would write (layout Versioned). */
    readonly copy: { readonly workload: ResourceRef; readonly copy: string; readonly why: keyof typeof OTHER_COPY };
    readonly missing: Stamp;
    readonly leftover: Stamp & { readonly why: keyof typeof LEFTOVER };
    /** The workload is not selected; `rule` is the reason that `explain` shows. */
    readonly notSelected: Stamp & { readonly rule: string };
    /** The value of `rollstamp.dev/waiting` does not have the right form. */
    readonly invalidWaiting: { readonly workload: ResourceRef };
    readonly nothingToWaitFor: { readonly workload: ResourceRef };
    /** It waits but is never stamped; `rule` is the reason that `explain` shows. */
    readonly neverStamped: { readonly workload: ResourceRef; readonly rule: string };
    /** It waits for other digests than stamping would write; `stamps` are the keys of their annotations. */
    readonly staleWaiting: { readonly workload: ResourceRef; readonly stamps: readonly string[] };
    readonly disjointWindows: { readonly workload: ResourceRef };
  };
  readonly "fixed-name": { readonly fixed: { readonly workload: ResourceRef; readonly rule: string } };
  readonly "short-key": {
    /** `shortest` is a number of bytes. */
    readonly short: { readonly shortest: number };
  };
  readonly "no-stamp": { readonly required: { readonly workload: ResourceRef } };
  readonly waiting: {
    /** `pods` is the largest number that it may have. */
    readonly overMaxPods: { readonly workload: ResourceRef; readonly pods: number };
    readonly disjointWindows: { readonly workload: ResourceRef };
    /** `annotations` are the keys of the annotations that ask for it to wait. */
    readonly rendering: { readonly workload: ResourceRef; readonly annotations: readonly string[] };
    /** With layout Versioned, or copies of it in the files. */
    readonly copies: { readonly workload: ResourceRef; readonly annotations: readonly string[] };
  };
}

interface Stamp {
  readonly workload: ResourceRef;
  /** The key of its annotation. */
  readonly stamp: string;
}

/** Why a stamp should not exist. */
const LEFTOVER = {
  combined: "with the layout Combined, one stamp covers all sources",
  perSource: "the layout is PerSource, or no source is used",
  unused: "no source of this name is used",
} as const;

/** Why a pod template should not name a copy. */
const OTHER_COPY = {
  content: "the content of its source has changed",
  layout: "the layout is not Versioned",
} as const;

const MOST_KEYS = 3;
const CHANGE_A_WINDOW = "Change rollstamp.dev/rollout-window of the workload or of a source.";

export const STAMP_ROWS: Rows<StampFindings> = {
  RS009: {
    severity: "warning",
    title: "A stamp that is stale, edited by hand, or left over",
    remedy:
      "Run rollstamp stamp. With kustomize, run the function as the last transformer of the outermost overlay. If the stamps were made with other options, give lint the same options.",
    causes: {
      invalidTime: { message: (params) => `${formatStamp(params)} must be an RFC 3339 time` },
      invalidDigest: { message: (params) => `${formatStamp(params)} must be a digest` },
      stale: { message: (params) => `${formatStamp(params)} is stale: the content of its source has changed` },
      copy: {
        message: ({ workload, copy, why }) =>
          `${formatObject(workload)} names the copy '${formatName(copy)}', but ${OTHER_COPY[why]}`,
      },
      missing: { message: (params) => `${formatStamp(params)} is missing, but the workload has other stamps` },
      leftover: { message: (params) => `${formatStamp(params)} is left over: ${LEFTOVER[params.why]}` },
      notSelected: { message: (params) => `${formatStamp(params)} is left over: ${formatName(params.rule)}` },
      invalidWaiting: {
        message: ({ workload }) =>
          `rollstamp.dev/waiting of ${formatObject(workload)} must be a list of '<key of a stamp>=<digest>'`,
      },
      nothingToWaitFor: {
        message: ({ workload }) =>
          `rollstamp.dev/waiting of ${formatObject(workload)} has no effect: its stamps are up to date`,
      },
      neverStamped: {
        message: ({ workload, rule }) =>
          `rollstamp.dev/waiting of ${formatObject(workload)} has no effect: ${formatName(rule)}`,
        remedy: "Remove rollstamp.dev/waiting by hand: rollstamp stamp does not change this workload.",
      },
      staleWaiting: {
        message: ({ workload, stamps }) =>
          `rollstamp.dev/waiting of ${formatObject(workload)} has outdated digests: ${formatList(stamps, MOST_KEYS)}`,
      },
      disjointWindows: { message: disjointWindows, remedy: CHANGE_A_WINDOW },
    },
  },
  "fixed-name": {
    severity: "warning",
    title: "A pod template with a fixed name, which cannot change",
    remedy: "Remove 'spec.template.metadata.name', so that each revision gets its own name.",
    causes: {
      fixed: { message: ({ workload, rule }) => `${formatObject(workload)} is not stamped: ${formatName(rule)}` },
    },
  },
  "short-key": {
    severity: "warning",
    title: "A key of keyed stamps that can be guessed",
    remedy:
      "Use a key of at least 32 random bytes, such as from openssl rand -hex 32. Changing the key rolls out all workloads with keyed stamps once.",
    causes: {
      short: {
        message: ({ shortest }) => `the key of 'secrets: Keyed' has fewer than ${shortest} bytes and can be guessed`,
      },
    },
  },
  "no-stamp": {
    severity: "error",
    title: "A workload without stamps (--require-stamps)",
    remedy: "Check that the tool that renders runs the function: kustomize skips it without --enable-exec.",
    causes: {
      required: {
        message: ({ workload }) => `${formatObject(workload)} uses ConfigMaps or Secrets but has no stamp`,
      },
    },
  },
  waiting: {
    severity: "warning",
    title: "A workload that cannot wait for its new stamps",
    remedy: null,
    causes: {
      overMaxPods: {
        message: ({ workload, pods }) =>
          `${formatObject(workload)} has ${counted(pods, "pod")}, more than --max-pods allows, so it would never be released`,
        remedy: "Set --max-pods to at least this number, or use --max-workloads 1 instead.",
      },
      disjointWindows: { message: disjointWindows, remedy: CHANGE_A_WINDOW },
      copies: {
        message: ({ workload, annotations }) =>
          `${formatObject(workload)} rolls out immediately: with copies of sources, ${formatList(annotations, MOST_KEYS)} ${annotations.length === 1 ? "has" : "have"} no effect`,
        remedy: "Remove the annotation, or use another layout than Versioned.",
      },
      rendering: {
        message: ({ workload, annotations }) =>
          `${formatObject(workload)} gets its stamps immediately: a rendering ignores ${formatList(annotations, MOST_KEYS)}`,
        remedy:
          "Waves and windows work with rollstamp stamp on files in Git (docs/guides/waves.md). Remove the annotation, or stamp in Git instead.",
      },
    },
  },
};

function disjointWindows({ workload }: { readonly workload: ResourceRef }): string {
  return `the rollout windows of ${formatObject(workload)} and its sources never overlap, so its stamps would wait forever`;
}

function formatStamp({ workload, stamp }: Stamp): string {
  return `the stamp '${formatName(stamp)}' of ${formatObject(workload)}`;
}
