import type { Item } from "../../yaml/read/items.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import type { PodTemplate, Reference, Workload } from "../../kubernetes/workloads/types.ts";

/** Why something counts or does not, as `explain` prints it: "excluded by rollstamp.dev/exclude". */
export type Rule = string;

/** A reference that goes into the stamps. */
export interface Counted {
  readonly reference: Reference;
  /** Undefined if the source is not in the input. */
  readonly source: Source | undefined;
  readonly rule: Rule;
  /** The annotation or override that lists the source. */
  readonly listedBy?: string | undefined;
}

/** A reference that does not go into the stamps. */
export interface LeftOut extends Counted {
  /** The container that reloads the source, so that the pods need no restart. */
  readonly reloader?: string;
}

export interface TemplateDecision {
  readonly template: PodTemplate;
  readonly counted: readonly Counted[];
  readonly leftOut: readonly LeftOut[];
}

/** Whether a workload is stamped, and with what. */
export interface Decision {
  readonly workload: Workload;
  /** False: nothing of the workload is changed, not even old stamps. */
  readonly touched: boolean;
  /** False: the workload gets no stamps, and its stamps are removed. */
  readonly selected: boolean;
  readonly rule: Rule;
  readonly templates: readonly TemplateDecision[];
  readonly findings: readonly Finding[];
}

/** The rules of Reloader or Wave for one pod template. The first of the fields that returns a rule decides. */
export interface PeerVerdicts {
  /** The rule that excludes a source, even if another annotation names it. */
  readonly excludes: (reference: Reference, source: Source | undefined) => Rule | undefined;
  /** The rule by which the source counts. */
  readonly optsIn: (reference: Reference, source: Source | undefined) => Rule | undefined;
  /** The rule that excludes the source from the default of `selection: All`. */
  readonly optsOut: (reference: Reference, source: Source | undefined) => Rule | undefined;
  /** The sources that the annotations name, whether or not the pod template names them. */
  readonly extras: readonly Reference[];
  readonly findings: readonly Finding[];
}

/** Reads the annotations of a peer, on the workload or on the object that runs its pods, for one pod template. */
export type AskPeer = (marked: Item, workload: Workload, template: PodTemplate) => PeerVerdicts;
