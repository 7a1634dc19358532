import { causeOf, rowOf, severityOf, type Finding } from "./finding.ts";
import { GENERAL, type Tags } from "./row.ts";
import type { Severity } from "./severity.ts";

/** A finding in words: what reports are made of. */
export interface FindingText {
  readonly id: Finding["id"];
  readonly severity: Severity;
  readonly message: string;
  /** What to do; undefined where nothing is to be done. */
  readonly remedy: string | undefined;
}

/** Puts a finding into words: only what prints, or makes a report that is printed, needs them. */
export function describeFinding(finding: Finding): FindingText {
  return {
    id: finding.id,
    severity: severityOf(finding),
    message: `${causeOf(finding).message(finding.params)}${finding.more === undefined ? "" : ` (and ${finding.more} more like it)`}`,
    remedy: remedyOf(finding),
  };
}

function remedyOf(finding: Finding): string | undefined {
  const { remedy } = causeOf(finding);
  const chosen = remedy === GENERAL ? rowOf(finding).remedy : remedy;
  return (typeof chosen === "function" ? chosen(finding.params) : chosen) ?? undefined;
}

/** What a finding carries for machines, beside its id. */
export function tagsOf(finding: Finding): Tags {
  return { ...causeOf(finding).tags?.(finding.params), ...finding.tags };
}
