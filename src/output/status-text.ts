import picocolors from "picocolors";
import { printable } from "../findings/results/terminal.ts";
import type {
  RolloutStatus,
  SourceStatus,
  StatusReport,
  WorkloadState,
  WorkloadStatus,
} from "../reports/status/status-report.ts";
import { counted } from "../base/words.ts";

const WORDS: Readonly<Record<WorkloadState, string>> = {
  Stale: "STALE",
  RollingOut: "ROLLING",
  Behind: "BEHIND",
  Unstamped: "UNSTAMPED",
  Unknown: "UNKNOWN",
  Waiting: "WAITING",
  Current: "CURRENT",
};

const INDENT = " ".repeat(11);

/** `status -o text`: the workloads, the worst first, each with its sources. */
export function statusText(report: StatusReport, color = false): string {
  const colors = picocolors.createColors(color);
  const paints: Partial<Record<WorkloadState, (word: string) => string>> = {
    Stale: colors.red,
    RollingOut: colors.cyan,
    Behind: colors.yellow,
    Unknown: colors.yellow,
  };
  const blocks = report.workloads.map((workload) => {
    const [head = "", ...rest] = block(workload).map(printable);
    const word = head.slice(0, INDENT.length);
    return [(paints[workload.state] ?? String)(word) + head.slice(INDENT.length), ...rest].join("\n");
  });
  const unseen = report.unseen.map(({ what, because }) => printable(`not seen: ${what} (${because})`));
  return (
    [...blocks, ...(unseen.length === 0 ? [] : [unseen.join("\n")]), printable(summary(report))].join("\n\n") + "\n"
  );
}

function block(workload: WorkloadStatus): string[] {
  const { state, kind, namespace, name, pods, rollout } = workload;
  const stale = pods.stale > 0 ? `: ${pods.stale} of ${counted(pods.total, "pod")} with old content` : "";
  return [
    `${WORDS[state].padEnd(INDENT.length)}${kind} ${namespace}/${name}${stale}`,
    ...(rollout === null ? [] : [`${INDENT}${rolloutLine(rollout)}`]),
    ...workload.sources
      .filter((source) => state === "Current" || source.state !== "Current")
      .map((source) => `${INDENT}${sourceLine(source)}`),
  ];
}

function rolloutLine({ updated, desired, because }: RolloutStatus): string {
  return `rollout in progress: ${updated} of ${counted(desired, "pod")} updated${because === undefined ? "" : ` (${because})`}`;
}

function sourceLine({ source, state, keys, because }: SourceStatus): string {
  const name = source === null ? "its sources together" : `${source.kind} ${source.namespace}/${source.name}`;
  const [only] = keys;
  const key =
    keys === "*" || only === undefined ? "" : keys.length === 1 ? ` key ${only}` : ` (a key among ${keys.join(", ")})`;
  const end = because === undefined ? "" : `: ${because}`;
  switch (state) {
    case "Stale":
      return `${name}${key} is other than its stamp says${end}`;
    case "Rotated":
      return `${name} was written again after pods had started; where it comes from is unchanged`;
    case "Unstamped":
      return `${name} has no stamp`;
    case "Unknown":
      return `${name}: can't be told${end}`;
    case "Waiting":
      return `${name}${key} is other than its stamp says: it waits for the new one (rollstamp stamp --due)`;
    case "Current":
      return `${name} is current`;
  }
}

function summary({
  summary: { workloads, stale, rollingOut, behind, unstamped, unknown, waiting, stalePods },
  context,
  namespace,
}: StatusReport): string {
  const parts = [
    `${stale} stale`,
    ...(rollingOut > 0 ? [`${rollingOut} rolling out`] : []),
    ...(behind > 0 ? [`${behind} behind`] : []),
    ...(unstamped > 0 ? [`${unstamped} unstamped`] : []),
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
  ];
  const where = namespace === undefined ? "all namespaces" : `namespace ${namespace}`;
  return `${counted(workloads, "workload")} in ${where} of ${context}: ${parts.join(", ")}; ${counted(stalePods, "pod")} with old content`;
}
