import { type Place, DONE, FOUND, type ExitStatus } from "../../base/errors.ts";
import { CATALOGUE, type FindingId, type Findings } from "./catalogue.ts";
import type { ResourceRef } from "../../base/names.ts";
import type { AnyCause, AnyRow, Tags } from "./row.ts";
import { reaches, type Severity } from "./severity.ts";

/** The object, field and file that a finding is about. */
export interface FindingLocation {
  readonly resource?: ResourceRef;
  /** A field path as in KRM results: `spec.template.spec.containers[0].env[1]`. */
  readonly field?: string;
  /** The file that the host names for the object, as in KRM results. */
  readonly file?: { readonly path: string; readonly index?: number };
  readonly place?: Place;
}

/** A row and a cause of the catalogue, with the parameters of the cause. */
export type FindingData<Id extends FindingId = FindingId> = {
  readonly [I in Id]: {
    readonly [Cause in keyof Findings[I]]: {
      readonly id: I;
      readonly cause: Cause;
      readonly params: Findings[I][Cause];
    };
  }[keyof Findings[I]];
}[Id];

/** Something to report, as plain data: describe.ts words it. */
export type Finding<Id extends FindingId = FindingId> = FindingData<Id> &
  FindingLocation & {
    /** Set if it differs from the catalogue's; severityOf gives the effective one. */
    readonly severityOverride?: Severity;
    /** Tags of results in addition to those of the catalogue. */
    readonly tags?: Tags;
    /** The reason for which its object ignores it: only a plan has such findings. */
    readonly accepted?: string;
    /** The number of similar findings that are not listed (cap.ts). */
    readonly more?: number;
  };

export function rowOf({ id }: Pick<Finding, "id">): AnyRow {
  return CATALOGUE[id];
}

export function causeOf({ id, cause }: Pick<Finding, "id" | "cause">): AnyCause {
  const row = rowOf({ id }).causes[cause];
  if (row === undefined) throw new Error(`the finding ${id} has no cause ${cause}`);
  return row;
}

export function severityOf(finding: Finding): Severity {
  return finding.severityOverride ?? causeOf(finding).severity ?? rowOf(finding).severity;
}

/** Whether a finding is at least as severe as a limit. */
export function atLeast(finding: Finding, limit: Severity): boolean {
  return reaches(severityOf(finding), limit);
}

/** The exit status of a run with these findings. */
export function statusOf(findings: readonly Finding[]): ExitStatus {
  return findings.some((finding) => severityOf(finding) === "error") ? FOUND : DONE;
}
