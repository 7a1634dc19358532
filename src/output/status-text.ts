import { counted, formatNumber } from "../base/words.ts";
import type {
  RolloutStatus,
  SourceStatus,
  StatusReport,
  WorkloadState,
  WorkloadStatus,
} from "../reports/status/status-report.ts";
import { list, paragraph, row } from "./document/blocks.ts";
import type { Block, Document, Tone } from "./document/document.ts";

const STATES: Readonly<Record<WorkloadState, { readonly label: string; readonly tone: Tone }>> = {
  Stale: { label: "stale", tone: "danger" },
  RollingOut: { label: "rolling", tone: "ok" },
  Behind: { label: "behind", tone: "attention" },
  Unstamped: { label: "unstamped", tone: "muted" },
  Unknown: { label: "unknown", tone: "attention" },
  Waiting: { label: "waiting", tone: "muted" },
  Current: { label: "current", tone: "ok" },
};

/** `status -o text`: the workloads with their sources, the worst first. */
export function statusDocument(report: StatusReport): Document {
  const unseen = report.unseen.map(({ what, because }) => `not read: ${what} (${because})`);
  return {
    title: "status",
    blocks: [
      ...report.workloads.map(workloadRow),
      ...(unseen.length === 0 ? [] : [list(unseen)]),
      paragraph(summary(report)),
    ],
  };
}

function workloadRow({ state, kind, namespace, name, pods, rollout, sources }: WorkloadStatus): Block {
  const stale = pods.stale > 0 ? `: ${formatNumber(pods.stale)} of ${counted(pods.total, "pod")} with old content` : "";
  const lines = sources.filter((source) => state === "Current" || source.state !== "Current").map(describeSource);
  return row({ ...STATES[state], words: [`${kind} ${namespace}/${name}${stale}`] }, [
    list([...(rollout === null ? [] : [describeRollout(rollout)]), ...lines]),
  ]);
}

function describeRollout({ updated, desired, because }: RolloutStatus): string {
  return `rollout in progress: ${formatNumber(updated)} of ${counted(desired, "pod")} updated${because === undefined ? "" : ` (${because})`}`;
}

function describeSource({ source, state, keys, because }: SourceStatus): string {
  const name = source === null ? "its combined sources" : `${source.kind} ${source.namespace}/${source.name}`;
  const [only] = keys;
  const key =
    keys === "*" || only === undefined
      ? ""
      : keys.length === 1
        ? ` key ${only}`
        : ` (one of the keys ${keys.join(", ")})`;
  const end = because === undefined ? "" : `: ${because}`;
  switch (state) {
    case "Stale":
      return `${name}${key} differs from its stamp${end}`;
    case "Rotated":
      return `${name} was updated after pods had started; its declaration is unchanged`;
    case "Unstamped":
      return `${name} has no stamp`;
    case "Unknown":
      return `${name} is unknown${end}`;
    case "Waiting":
      return `${name}${key} differs from its stamp; the new stamp is waiting ('rollstamp stamp --due' releases it)`;
    case "Current":
      return `${name} is current`;
  }
}

function summary({ summary: counts, context, namespace }: StatusReport): string {
  const { workloads, stale, rollingOut, behind, unstamped, unknown, waiting, stalePods } = counts;
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
