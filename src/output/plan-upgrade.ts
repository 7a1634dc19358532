import { counted, pluralize } from "../base/words.ts";
import type { PlannedUpgrade, Rolls } from "../reports/plan/plan-report.ts";
import { code } from "./document/blocks.ts";
import type { Words } from "./document/document.ts";

/** What an upgrade of a chart rolls unnecessarily, in sentences. */
export function upgradeWords({ chart, from, to, avoidable, saved }: PlannedUpgrade): readonly Words[] {
  const which: Words = [code(chart), " from ", code(from), " to ", code(to), ": "];
  const words: Words[] = [];
  if (avoidable.workloads === 0) words.push([...which, "no avoidable rollouts"]);
  else {
    const those = counted(avoidable.workloads, "workload rolls", "workloads roll");
    words.push([...which, `${those}${podWords(avoidable)} only because of the chart's version labels or checksums`]);
  }
  for (const { options, ...rolls } of avoidable.saves) {
    const isAll = rolls.workloads === avoidable.workloads;
    const what = isAll
      ? pluralize(rolls.workloads, "it", "all of these rollouts")
      : `${counted(rolls.workloads, "of them", "of them")}${podWords(rolls)}`;
    words.push([...inOne(options), ` would avoid ${what}`]);
  }
  if (avoidable.stays.workloads > 0) {
    const what = counted(avoidable.stays.workloads, "of them rolls", "of them roll");
    words.push([
      `${what} with any option${podWords(avoidable.stays)}: something uses the label, or no stamp covers the checksum`,
    ]);
  }
  if (saved.workloads > 0) {
    const what = counted(saved.workloads, "workload", "workloads");
    words.push([`The configuration avoids the rollout of ${what}${podWords(saved)}`]);
  }
  return words;
}

function inOne(options: readonly string[]): Words {
  return options.flatMap((option, i) => (i === 0 ? [code(option)] : [" and ", code(option)]));
}

function podWords({ pods }: Rolls): string {
  return pods === 0 ? "" : ` (${counted(pods, "pod")})`;
}
