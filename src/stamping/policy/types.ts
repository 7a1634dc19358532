import type { Item } from "../../yaml/read/items.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import type { PodTemplate, Reference, Workload } from "../../kubernetes/workloads/types.ts";

/** Why something counts or does not, in words for `explain`: "excluded by rollstamp.dev/exclude". */
export type Rule = string;

/** A reference that goes into the stamps. */
export interface Counted {
  readonly reference: Reference;
  /** Undefined where the source is not in the input. */
  readonly source: Source | undefined;
  readonly rule: Rule;
}

/** A reference that does not. */
export interface LeftOut {
  readonly reference: Reference;
  readonly source: Source | undefined;
  readonly rule: Rule;
  /** The container that reloads it: the pods take it without a restart. */
  readonly reloader?: string;
}

export interface TemplateDecision {
  readonly template: PodTemplate;
  readonly counted: readonly Counted[];
  readonly leftOut: readonly LeftOut[];
}

/** What is to be done with a workload, and why. */
export interface Decision {
  readonly workload: Workload;
  /** False: nothing of it is touched, not even old stamps. */
  readonly touched: boolean;
  /** False: it gets no stamps, and loses those that it has. */
  readonly selected: boolean;
  readonly rule: Rule;
  readonly templates: readonly TemplateDecision[];
  readonly findings: readonly Finding[];
}

/**
 * What a peer's annotations say of one pod template: Reloader's or Wave's rules as plain answers.
 * They are asked in the order of the fields; the first that answers decides.
 */
export interface PeerVerdicts {
  /** A rule that keeps a source from counting whatever else names it. */
  readonly excludes: (reference: Reference, source: Source | undefined) => Rule | undefined;
  /** A rule by which it counts. */
  readonly optsIn: (reference: Reference, source: Source | undefined) => Rule | undefined;
  /** A rule that keeps it from counting by default, with `selection: All`. */
  readonly optsOut: (reference: Reference, source: Source | undefined) => Rule | undefined;
  /** Sources that the annotations name, whether or not the pod template does. */
  readonly extras: readonly Reference[];
  readonly findings: readonly Finding[];
}

/** Asks a peer about one pod template, by the annotations of the workload or of what runs its pods. */
export type AskPeer = (marked: Item, workload: Workload, template: PodTemplate) => PeerVerdicts;
