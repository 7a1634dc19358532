import type { Json } from "../../yaml/read/node.ts";

// Why a workload of a plan changes (contract, section 8; schemas/plan.json).

export type Reason = SourceReason | TemplateReason | RestartReason | ImmutableReason | InvalidReason;

/** The containers see other content of a ConfigMap or Secret. */
export interface SourceReason {
  readonly type: "Source";
  readonly source: PlannedSource;
  /** By name. All are empty if a declaration or only the name changed. */
  readonly keys: ChangedKeys;
  /** Diffs of the values of a ConfigMap, if values are requested. */
  readonly diffs?: readonly KeyDiff[];
  /** How many more keys changed: a diff is shown with some workloads, not with thousands. */
  readonly moreDiffs?: number;
}

export interface PlannedSource {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** The old name, if the name contains a hash of the content. */
  readonly previousName?: string;
  /** The object that creates it: `SealedSecret web`. */
  readonly madeBy?: string;
}

export interface ChangedKeys {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** How many are not in the lists. */
  readonly more?: number;
}

export interface KeyDiff {
  readonly key: string;
  /** Lines that begin with "+" or "-", shortened except where two differ; notes are in parentheses. */
  readonly lines: readonly string[];
}

/** A field of the pod template differs. */
export interface TemplateReason {
  readonly type: "Template";
  /** Relative to the pod template: `spec.containers[name=app].image`. */
  readonly path: string;
  /** Which template, for kinds with several: `spec.leaderWorkerTemplate.workerTemplate`. */
  readonly template?: string;
  /** Null if the field is missing; both are undefined if the value could be a secret. */
  readonly from?: Json;
  readonly to?: Json;
  /** The values differ and are not shown. */
  readonly hidden?: true;
  /** Only the order of the elements changed. */
  readonly order?: true;
}

/** A restart was requested. */
export interface RestartReason {
  readonly type: "Restart";
  readonly from: string | null;
  readonly to: string | null;
  /** The annotation or field: `rollstamp.dev/restartedAt`. */
  readonly field: string;
}

/** An immutable field differs. */
export interface ImmutableReason {
  readonly type: "Immutable";
  readonly path: string;
  /** Null if the field is missing; both are undefined if the value could be a secret. */
  readonly from?: Json;
  readonly to?: Json;
  /** The values differ and are not shown. */
  readonly hidden?: true;
}

/** A field has a value that the API server refuses. */
export interface InvalidReason {
  readonly type: "Invalid";
  readonly path: string;
  readonly message: string;
}
