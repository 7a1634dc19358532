import type { API_VERSION } from "../../base/keys.ts";
import type { ObjectName } from "../../base/names.ts";
import type { Unseen } from "../status/status-report.ts";

// The report of `gc` (schemas/gc.json). It contains no content of a copy.

/**
 * `Unused`: nothing in the cluster names it. `Deleted`: it was unused. `Used`: an object names it. `Recent`: it is newer than
 * the limit, so what is going to use it may not be there yet. `Changed`: it was changed after it had been listed.
 * `Gone`: somebody else has deleted it. `Failed`: it is unused and could not be deleted.
 */
export type CopyState = "Unused" | "Deleted" | "Used" | "Recent" | "Changed" | "Gone" | "Failed";

export interface CopiesReport {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: "SourceCopies";
  readonly context: string;
  /** Undefined: all namespaces. */
  readonly namespace?: string;
  readonly olderThanSeconds: number;
  readonly summary: CopiesSummary;
  /** By namespace, kind and name. Used and recent copies are listed only with --all. */
  readonly copies: readonly CopyStatus[];
  /** What could not be read. Nothing of it is deleted. */
  readonly unseen: readonly Unseen[];
}

export interface CopiesSummary {
  /** All protected copies, listed or not. */
  readonly copies: number;
  readonly unused: number;
  readonly deleted: number;
  readonly used: number;
  readonly recent: number;
  readonly changed: number;
  readonly gone: number;
  readonly failed: number;
  /** Copies without protection, which the engine prunes. They are not among `copies`. */
  readonly unprotected: number;
}

export interface CopyStatus {
  readonly kind: CopyKind;
  readonly namespace: string;
  readonly name: string;
  /** The name of the source, as the label has it. */
  readonly source: string;
  readonly createdAt: string;
  readonly state: CopyState;
  /** The first objects that name it. */
  readonly usedBy: readonly ObjectName[];
  readonly because?: string;
}

export type CopyKind = "ConfigMap" | "Secret";
