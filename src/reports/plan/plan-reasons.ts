import type { Json } from "../../yaml/read/node.ts";

// Why a workload of a plan changes (contract, section 8; schemas/plan.json): a part of the shape that plan-report.ts has.

export type Reason = SourceReason | TemplateReason | RestartReason | ImmutableReason | InvalidReason;

/** A ConfigMap or Secret has other content for the containers. */
export interface SourceReason {
  readonly type: "Source";
  readonly source: PlannedSource;
  /** By name; all empty for a declaration that changed, and where only the name did. */
  readonly keys: ChangedKeys;
  /** Values of a ConfigMap, where they were asked for. */
  readonly diffs?: readonly KeyDiff[];
  /** How many keys differ whose values are not shown: a diff is shown for some workloads, not for thousands. */
  readonly moreDiffs?: number;
}

export interface PlannedSource {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** The name before it, where a hash of the content is a part of the name. */
  readonly previousName?: string;
  /** The object that it is made from, where that is another one: `SealedSecret web`. */
  readonly madeBy?: string;
}

export interface ChangedKeys {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** How many were left out of the lists: each workload that sees a source has its own. */
  readonly more?: number;
}

export interface KeyDiff {
  readonly key: string;
  /** Lines that begin with "+" or "-"; shortened, but where two differ. What else is to be said stands in brackets. */
  readonly lines: readonly string[];
}

/** A field of the pod template differs. */
export interface TemplateReason {
  readonly type: "Template";
  /** From the pod template on: `spec.containers[name=app].image`. */
  readonly path: string;
  /** Which template, of a kind with several: `spec.leaderWorkerTemplate.workerTemplate`. */
  readonly template?: string;
  /** Null where the field is absent; both are left out where the value could be a secret. */
  readonly from?: Json;
  readonly to?: Json;
  /** The values differ and are not shown. */
  readonly hidden?: true;
  /** The same elements stand in another order. */
  readonly order?: true;
}

/** A restart was asked for. */
export interface RestartReason {
  readonly type: "Restart";
  readonly from: string | null;
  readonly to: string | null;
  /** The annotation or field: `rollstamp.dev/restartedAt`. */
  readonly field: string;
}

/** A field differs that the API server lets no one change. */
export interface ImmutableReason {
  readonly type: "Immutable";
  readonly path: string;
  /** Null where the field is absent; both are left out where the value could be a secret. */
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
