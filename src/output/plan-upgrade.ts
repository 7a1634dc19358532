import { counted, pluralize } from "../base/words.ts";
import type { PlannedUpgrade, Rolls } from "../reports/plan/plan-report.ts";
import { code, type Words } from "./document/document.ts";

/** What of an upgrade is needless, a sentence each: first which upgrade it is. */
export function upgradeWords({ chart, from, to, needless, saved }: PlannedUpgrade): readonly Words[] {
  const which: Words = [code(chart), " from ", code(from), " to ", code(to), ": "];
  const words: Words[] = [];
  if (needless.workloads === 0) words.push([...which, "nothing rolls needlessly"]);
  else {
    const those = counted(needless.workloads, "workload rolls", "workloads roll");
    words.push([
      ...which,
      `${those} needlessly${podWords(needless)}, by what the chart writes of itself and nothing else`,
    ]);
  }
  for (const { options, ...rolls } of needless.saves) {
    const isAll = rolls.workloads === needless.workloads;
    const what = isAll
      ? pluralize(rolls.workloads, "it", "all of them")
      : `${counted(rolls.workloads, "of them", "of them")}${podWords(rolls)}`;
    words.push([...inOne(options), ` would leave ${what} alone`]);
  }
  if (needless.stays.workloads > 0) {
    const what = counted(needless.stays.workloads, "of them rolls", "of them roll");
    words.push([
      `${what} all the same${podWords(needless.stays)}: something uses the label, or no stamp covers the checksum`,
    ]);
  }
  if (saved.workloads > 0) {
    const what = counted(saved.workloads, "workload", "workloads");
    const would = pluralize(saved.workloads, "it would roll", "they would roll");
    words.push([
      `The configuration leaves ${what} alone${podWords(saved)}: ${would} by what the chart writes of itself`,
    ]);
  }
  return words;
}

function inOne(options: readonly string[]): Words {
  return options.flatMap((option, i) => (i === 0 ? [code(option)] : [" and ", code(option)]));
}

function podWords({ pods }: Rolls): string {
  return pods === 0 ? "" : ` (${counted(pods, "pod")})`;
}
