import type { API_VERSION } from "../../base/keys.ts";
import type { ObjectName } from "../../base/names.ts";
import type { NotExamined } from "../../findings/not-examined/not-examined.ts";
import type { Reason, SeenBy } from "../plan/plan-reasons.ts";
import type { PlanFinding } from "../plan/planned-workload.ts";

// What an audit reports (contract, section 13; schemas/audit.json). It contains no value of any source.

/** An audit of a repository's history. All lists are in the order of history, then by identity. */
export interface RolloutAudit {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: "RolloutAudit";
  /** The web address of the repository; the name of its folder if no remote names one. */
  readonly repository: string;
  /** The current branch; "HEAD" if none is checked out. */
  readonly branch: string;
  /** The first and the last commit that were compared with their first parents; HEAD for an empty period. */
  readonly from: AuditedCommit;
  readonly to: AuditedCommit;
  /** What of the repository it is about; absent if about all. */
  readonly only?: Restriction;
  /** Why commits of the period are missing. */
  readonly cut: Cut | null;
  readonly summary: AuditSummary;
  readonly rolled: readonly AuditEntry[];
  readonly avoidable: readonly AuditEntry[];
  readonly restarts: readonly AuditEntry[];
  readonly down: readonly AuditEntry[];
  readonly stale: readonly StaleEntry[];
  readonly unrendered: readonly UnrenderedEntry[];
  /** How many applications, of all commits, have changed files and are deployed by nothing in the repository. They count nowhere else. */
  readonly notDeployed: number;
  /** At most ten: what was down, then what was stale, then what was avoidable. */
  readonly worst: readonly WorstEntry[];
  readonly notExamined: readonly NotExamined[];
}

export interface AuditedCommit {
  /** The full id. */
  readonly commit: string;
  /** The author's date, RFC 3339. */
  readonly date: string;
}

/** What the user asked for. */
export interface Restriction {
  /** A folder: only applications in it. */
  readonly path?: string;
  /** Globs of the names of applications. */
  readonly applications?: readonly string[];
  /** Only workloads of this namespace. */
  readonly namespace?: string;
}

export interface Cut {
  readonly by: "MaxCommits" | "Shallow" | "Interrupted";
  /** How many commits were compared. */
  readonly commits: number;
}

export interface AuditSummary {
  /** The commits that were compared. */
  readonly commits: number;
  /** The commits after which a workload sees other content. */
  readonly content: number;
  /** `rolled`, `stale` and `other` together. */
  readonly changes: number;
  readonly rolled: number;
  readonly stale: number;
  /** Changes that need no roll. */
  readonly other: number;
  readonly avoidable: number;
  readonly restarts: number;
  readonly down: number;
  readonly unrendered: number;
}

export interface AuditEntry extends AuditedCommit {
  readonly application: string;
  readonly workload: ObjectName;
  readonly pods: number;
  readonly reasons: readonly AuditReason[];
  /** The content that its pods see changed, if the reasons do not name it. */
  readonly content?: readonly AuditReason[];
}

/** A workload whose pods kept running with old content. */
export interface StaleEntry extends AuditEntry {
  readonly seenBy: SeenBy;
  /** The first later commit as of which the pods run with what Git then holds; null: until now. */
  readonly until: Until | null;
}

export interface Until extends AuditedCommit {
  readonly reasons: readonly (AuditReason | { readonly type: "Revert" } | { readonly type: "Delete" })[];
}

/** A commit after which an application cannot be rendered. */
export interface UnrenderedEntry extends AuditedCommit {
  readonly application: string;
  readonly because: UnrenderedCause;
}

/** The message of a tool, or the finding that names what is missing. */
export type UnrenderedCause = { readonly message: string } | { readonly finding: PlanFinding };

export type WorstEntry =
  | (AuditEntry & { readonly type: "Down" | "Avoidable" })
  | (StaleEntry & { readonly type: "Stale" });

export type AuditReason = Hidden<Reason>;

type Hidden<R> = R extends Reason ? Omit<R, "from" | "to" | "hidden" | "diffs" | "moreDiffs" | "contents"> : never;

/** Removes the values, and everything that is about them. */
export function auditReason(reason: Reason): AuditReason {
  switch (reason.type) {
    case "Source": {
      const { diffs: _, moreDiffs: __, contents: ___, ...rest } = reason;
      return rest;
    }
    case "Template":
    case "Stamp":
    case "Immutable": {
      const { from: _, to: __, hidden: ___, ...rest } = reason;
      return rest;
    }
    case "Restart": {
      const { from: _, to: __, ...rest } = reason;
      return rest;
    }
    case "FirstStamp":
    case "Invalid":
      return reason;
  }
}
