import { isChecksumKey, VERSION_LABELS } from "../ground/hosts/chart-marks.ts";
import { wordFor } from "../ground/words.ts";
import { nameWords } from "../findings/names.ts";
import { metadataEntry } from "../rollout/compare.ts";
import type { Reason } from "./plan-report.ts";

/** Why a workload changes by what its chart wrote and by nothing else, and what keeps it from that. */
export interface ChartOnly {
  readonly because: string;
  readonly next: string;
  /** The options of ConfigHash that take it out. */
  readonly options: readonly string[];
}

/** Undefined where a change is of anything but labels with a chart's version and checksums of rendered text. */
export function chartOnly(reasons: readonly Reason[]): ChartOnly | undefined {
  const labels = new Set<string>();
  const checksums = new Set<string>();
  for (const reason of reasons) {
    const entry = reason.type === "Template" ? metadataEntry(reason.path) : undefined;
    if (entry === undefined) return undefined;
    const { map, key } = entry;
    if (map === "labels" && VERSION_LABELS.includes(key)) labels.add(key);
    else if (map === "annotations" && isChecksumKey(key)) checksums.add(key);
    else return undefined;
  }
  if (labels.size + checksums.size === 0) return undefined;
  const parts = [...partWords("label", labels), ...partWords("annotation", checksums)];
  const those = wordFor(labels.size + checksums.size, "it", "them");
  const options = [
    ...(labels.size > 0 ? ["versionLabels: Remove"] : []),
    ...(checksums.size > 0 ? ["checksums: Remove"] : []),
  ];
  return {
    options,
    because: `only because of ${parts.join(" and ")}`,
    next: `Take ${those} out of the pod template with ${options.join(" and ")}, if nothing needs ${those}.`,
  };
}

function partWords(word: string, keys: ReadonlySet<string>): string[] {
  if (keys.size === 0) return [];
  return [`the ${wordFor(keys.size, word)} ${[...keys].map(nameWords).join(", ")}`];
}
