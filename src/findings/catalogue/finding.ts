import type { Place } from "../../base/errors.ts";
import { DONE, FOUND, type ExitStatus } from "../../base/exit-status.ts";
import { CATALOGUE, type FindingId, type Findings } from "./catalogue.ts";
import type { ResourceRef } from "../../base/names.ts";
import type { AnyCause, AnyRow, Tags } from "./row.ts";
import { reaches, type Severity } from "./severity.ts";

/** Where something is that a person should know. */
export interface FindingLocation {
  readonly resource?: ResourceRef;
  /** A field path as KRM results have it: `spec.template.spec.containers[0].env[1]`. */
  readonly field?: string;
  /** The file that the host says the object is from, as KRM results have it. */
  readonly file?: { readonly path: string; readonly index?: number };
  readonly place?: Place;
}

/** What is found: its row and cause in the catalogue, with the parameters of the two. */
export type FindingData<Id extends FindingId = FindingId> = {
  readonly [I in Id]: {
    readonly [Cause in keyof Findings[I]]: {
      readonly id: I;
      readonly cause: Cause;
      readonly params: Findings[I][Cause];
    };
  }[keyof Findings[I]];
}[Id];

/** Something that a person should know, as plain data: src/findings/catalogue/words.ts puts it into words. */
export type Finding<Id extends FindingId = FindingId> = FindingData<Id> &
  FindingLocation & {
    /** Where it is not the catalogue's: what counts is severityOf. */
    readonly severityOverride?: Severity;
    /** What results carry beside the tags of the catalogue. */
    readonly tags?: Tags;
    /** How many more there are like it, that are not told one by one (src/findings/catalogue/cap.ts). */
    readonly more?: number;
  };

/** What the catalogue says of a finding. */
export function rowOf({ id }: Pick<Finding, "id">): AnyRow {
  return CATALOGUE[id];
}

/** What the catalogue says of a finding's cause. */
export function causeOf({ id, cause }: Pick<Finding, "id" | "cause">): AnyCause {
  const row = rowOf({ id }).causes[cause];
  if (row === undefined) throw new Error(`the finding ${id} has no cause ${cause}`);
  return row;
}

/** How much a finding weighs: what it says itself, else its cause, else its row. */
export function severityOf(finding: Finding): Severity {
  return finding.severityOverride ?? causeOf(finding).severity ?? rowOf(finding).severity;
}

/** True where a finding is at least as severe as a limit. */
export function atLeast(finding: Finding, limit: Severity): boolean {
  return reaches(severityOf(finding), limit);
}

/** The exit status of a run that ended with findings. */
export function statusOf(findings: readonly Finding[]): ExitStatus {
  return findings.some((finding) => severityOf(finding) === "error") ? FOUND : DONE;
}
