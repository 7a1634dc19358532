import type { SourceName, KeyChanges } from "../../base/names.ts";
import type { Json } from "../../yaml/read/node.ts";

// Why a workload of a plan changes (contract, section 8; schemas/plan.json).

export type Reason =
  | SourceReason
  | TemplateReason
  | FirstStampReason
  | StampReason
  | RestartReason
  | ImmutableReason
  | InvalidReason;

/** The content of a ConfigMap or Secret that the containers see changed. */
export interface SourceReason {
  readonly type: "Source";
  readonly source: PlannedSource;
  /** Of a `Stale` workload: how its pods see the content. A mounted file changes under the process; `env` never does. */
  readonly seenBy?: SeenBy;
  /** The names of the changed keys. All lists are empty if only a declaration or the name changed. */
  readonly keys: ChangedKeys;
  /** Diffs of the values of a ConfigMap, if values are requested. */
  readonly diffs?: readonly KeyDiff[];
  /** How many more keys changed. A diff is shown with a limited number of workloads. */
  readonly moreDiffs?: number;
  /** What the changed keys had and have, if an audit follows it. Never printed: a digest could help to guess a value. */
  readonly contents?: readonly KeyContent[];
}

/** The digests of a key's value before and after a change; null if the key is not there. */
export interface KeyContent {
  readonly key: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** A mount with `subPath` never changes, and counts as `env`. */
export type SeenBy = "env" | "volume" | "both";

export interface PlannedSource extends SourceName {
  /** The old name, if the name contains a hash of the content. */
  readonly previousName?: string;
  /** The object that creates it: `SealedSecret web`. */
  readonly madeBy?: string;
}

export interface ChangedKeys extends KeyChanges {
  /** How many keys are not in the lists. */
  readonly more?: number;
}

export interface KeyDiff {
  readonly key: string;
  /** Lines that begin with "+" or "-", shortened except where they differ. Notes are in parentheses. */
  readonly lines: readonly string[];
}

export interface ChangedField {
  readonly path: string;
  /** Null if the field is missing; both are undefined if the value could be a secret. */
  readonly from?: Json;
  readonly to?: Json;
  /** The values differ and are not shown. */
  readonly hidden?: true;
}

/** A field of the pod template differs. Its path is relative to it: `spec.containers[name=app].image`. */
export interface TemplateReason extends ChangedField {
  readonly type: "Template";
  /** The path of the template, for kinds with several: `spec.leaderWorkerTemplate.workerTemplate`. */
  readonly template?: string;
  /** Only the order of the elements changed. */
  readonly order?: true;
}

/** The pod template had no stamps of ours, and gets them. */
export interface FirstStampReason {
  readonly type: "FirstStamp";
}

/** A stamp changes or disappears, but no content that the plan sees does. */
export interface StampReason {
  readonly type: "Stamp";
  /** Relative to the pod template: `metadata.annotations["configmap.rollstamp.dev/web"]`. */
  readonly path: string;
  /** The path of the template, for kinds with several. */
  readonly template?: string;
  /** Null if the stamp is missing; both are undefined if the digest is not shown. */
  readonly from?: string | null;
  readonly to?: string | null;
  readonly hidden?: true;
}

export interface RestartReason {
  readonly type: "Restart";
  readonly from: string | null;
  readonly to: string | null;
  /** The annotation or field: `rollstamp.dev/restartedAt`. */
  readonly field: string;
}

export interface ImmutableReason extends ChangedField {
  readonly type: "Immutable";
}

/** A field has a value that the API server refuses. */
export interface InvalidReason {
  readonly type: "Invalid";
  readonly path: string;
  readonly message: string;
}
