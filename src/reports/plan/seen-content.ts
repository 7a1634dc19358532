import { contentReasons, optionsOf, type ReasonReporting } from "./pair.ts";
import type { SourceReason } from "./plan-reasons.ts";
import type { WorkloadPair } from "./side.ts";
import type { SourceReasonOptions } from "./source-reasons.ts";
import { uncountedChanges } from "./uncounted.ts";

/** What the containers see, whatever a stamp covers. */
const SEEN: Partial<SourceReasonOptions> = { granularity: "Key", hasContents: true, valueDiffs: undefined };

/**
 * The sources of which a workload sees other content than before, whether or not its template changes too. An audit follows
 * them from commit to commit (contract, section 13).
 */
export function seenContent(pair: WorkloadPair, reporting: ReasonReporting): readonly SourceReason[] {
  const notOptedIn = uncountedChanges(pair, { ...optionsOf(pair.head, reporting), ...SEEN }).flatMap(
    ({ cause, reasons }) => (cause === "notOptedIn" ? reasons : []),
  );
  // Only the name or a declaration may have changed.
  return [...contentReasons(pair, reporting, SEEN), ...notOptedIn].filter(({ contents = [] }) => contents.length > 0);
}
