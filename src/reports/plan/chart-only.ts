import { sumOf } from "../../base/grouped.ts";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { isChecksumKey, VERSION_LABELS } from "../../base/hosts/chart-marks.ts";
import { metadataEntry } from "../../kubernetes/rollout/compare.ts";
import type { Reason } from "./plan-reasons.ts";
import type { Because, Next } from "./planned-workload.ts";

/** A workload that changes only because of marks that its chart writes, and what prevents that. */
export interface ChartOnly {
  readonly because: Because;
  /** Undefined if the configuration has these options. */
  readonly next: Next | undefined;
}

/** Undefined if anything else changes than labels with the chart's version and checksums of rendered text. */
export function chartOnly(
  reasons: readonly Reason[],
  spec: Pick<ConfigHashSpec, "checksums" | "versionLabels">,
): ChartOnly | undefined {
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
  const taken = [
    { option: "versionLabels", isSet: spec.versionLabels === "Remove", keys: labels },
    { option: "checksums", isSet: spec.checksums === "Remove", keys: checksums },
  ].filter(({ keys }) => keys.size > 0);
  return {
    because: { id: "chart-only", labels: [...labels], annotations: [...checksums] },
    next: nextWith(taken.filter(({ isSet }) => !isSet)),
  };
}

/** Suggests only options that are not set: marks that a set option keeps are in use, or this change removes them. */
function nextWith(taken: readonly { readonly option: string; readonly keys: ReadonlySet<string> }[]): Next | undefined {
  if (taken.length === 0) return undefined;
  return {
    id: "remove-marks",
    options: taken.map(({ option }) => `${option}: Remove`),
    marks: sumOf(taken, ({ keys }) => keys.size),
  };
}
