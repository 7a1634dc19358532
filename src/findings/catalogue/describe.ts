import { causeOf, rowOf, severityOf, type Finding } from "./finding.ts";
import type { Tags } from "./row.ts";
import type { Severity } from "./severity.ts";

/** A finding in words, as reports print it. */
export interface FindingText {
  readonly id: Finding["id"];
  readonly severity: Severity;
  readonly message: string;
  /** The message without its reason; undefined if the catalogue has none. */
  readonly brief: string | undefined;
  /** What to do; undefined if no action is needed. */
  readonly remedy: string | undefined;
}

export function describeFinding(finding: Finding): FindingText {
  const { message, brief, remedy = rowOf(finding).remedy } = causeOf(finding);
  const more = finding.more === undefined ? "" : ` (and ${finding.more} more like it)`;
  return {
    id: finding.id,
    severity: severityOf(finding),
    message: `${message(finding.params)}${more}`,
    brief: brief?.(finding.params),
    remedy: (typeof remedy === "function" ? remedy(finding.params) : remedy) ?? undefined,
  };
}

/** The tags of a finding's result, other than its id. */
export function tagsOf(finding: Finding): Tags {
  return { ...causeOf(finding).tags?.(finding.params), ...finding.tags };
}
