import { contentReasons, optionsOf, type ReasonReporting } from "./pair.ts";
import type { SourceReason } from "./plan-reasons.ts";
import type { WorkloadPair } from "./side.ts";
import type { SourceReasonOptions } from "./source-reasons.ts";
import { skippedRuns, uncountedChanges } from "./uncounted.ts";

/** What the containers see, whatever a stamp covers. */
const SEEN: Partial<SourceReasonOptions> = { granularity: "Key", hasContents: true, valueDiffs: undefined };

/**
 * The sources of which a workload sees other content than before, whether or not its template changes too. An audit follows
 * them from commit to commit (contract, section 13).
 */
export function seenContent(pair: WorkloadPair, reporting: ReasonReporting): readonly SourceReason[] {
  const options = { ...optionsOf(pair.head, reporting), ...SEEN };
  const notOptedIn = uncountedChanges(pair, options).flatMap(({ cause, reasons }) =>
    cause === "notOptedIn" ? reasons : [],
  );
  const all = [...contentReasons(pair, reporting, SEEN), ...notOptedIn, ...skippedRuns(pair, options)];
  // Only the name or a declaration may have changed.
  return all.filter(({ contents = [] }) => contents.length > 0);
}
