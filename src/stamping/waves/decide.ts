import { compareBytes } from "../../base/digest/hash-v1.ts";
import type { Opening } from "../schedules/windows.ts";

// Decides which workloads take their new stamps and which wait. Only what the next commit rolls counts, so running it
// again gives the same result.

/** A workload, as far as waves depend on it. */
export interface Candidate {
  /** Its identity: the first ones are released first. */
  readonly id: string;
  /** Whether its stamps change. */
  readonly isPending: boolean;
  /** Whether it is already waiting. */
  readonly isWaiting: boolean;
  /**
   * Whether it takes its stamps despite the limits: it is new, it rolls for another reason in this commit, or because
   * of stamps that it has already taken.
   */
  readonly takesAtOnce: boolean;
  /**
   * Whether its pod template differs from the one at HEAD: with the pending stamps, or without them if none are
   * pending.
   */
  readonly rolls: boolean;
  /** Whether it differs in stamps only. */
  readonly rollsByStamps: boolean;
  /** Whether this replaces pods. Otherwise it does not count against the limits. */
  readonly replacesPods: boolean;
  /** The maximum number of pods that it may have. */
  readonly pods: number;
  readonly opening: Opening;
  readonly group: string | undefined;
}

export interface WaveRules {
  readonly maxWorkloads?: number | undefined;
  readonly maxPods?: number | undefined;
  /** Whether waiting workloads may be released. */
  readonly isDue: boolean;
}

/** Why a workload waits. */
export type WaitReason =
  /** It was already waiting: only --due releases it. */
  | { readonly is: "held" }
  | { readonly is: "window"; readonly opens: Date | undefined }
  /** An earlier group is not released yet. */
  | { readonly is: "group"; readonly before: string }
  | { readonly is: "limit" }
  /** It has more pods than the limit, so no run releases it. */
  | { readonly is: "tooLarge"; readonly pods: number };

export type Verdict =
  | { readonly is: "unchanged" }
  | { readonly is: "takes" }
  | { readonly is: "waits"; readonly because: WaitReason };

/** Decides for each workload of a run, in their order. */
export function decideWave<C extends Candidate>(all: readonly C[], rules: WaveRules): ReadonlyMap<C, Verdict> {
  const verdicts = new Map<C, Verdict>();
  const used = { workloads: 0, pods: 0 };
  const use = ({ rolls, replacesPods, pods }: C): void => {
    if (!rolls || !replacesPods) return;
    used.workloads += 1;
    used.pods += pods;
  };
  const asking: C[] = [];
  for (const candidate of all) {
    if (candidate.isPending && !candidate.takesAtOnce) {
      asking.push(candidate);
      continue;
    }
    verdicts.set(candidate, candidate.isPending ? { is: "takes" } : { is: "unchanged" });
    use(candidate);
  }
  const group = firstGroup(all);
  for (const candidate of asking.sort(byTurn)) {
    const because = reasonToWait(candidate, { rules, group, used });
    verdicts.set(candidate, because === undefined ? { is: "takes" } : { is: "waits", because });
    if (because === undefined) use(candidate);
  }
  return verdicts;
}

/**
 * The first group with a workload that can be released, or that rolls with this commit. The next group follows with
 * another commit.
 */
function firstGroup(all: readonly Candidate[]): string | undefined {
  const names = all.flatMap(({ group, isPending, takesAtOnce, rollsByStamps }) =>
    group !== undefined && ((isPending && !takesAtOnce) || rollsByStamps) ? [group] : [],
  );
  return names.sort(compareBytes)[0];
}

/** Workloads that are already waiting come first, then by group and identity. */
function byTurn(a: Candidate, b: Candidate): number {
  return (
    Number(b.isWaiting) - Number(a.isWaiting) || compareBytes(a.group ?? "", b.group ?? "") || compareBytes(a.id, b.id)
  );
}

interface Turn {
  readonly rules: WaveRules;
  readonly group: string | undefined;
  readonly used: { readonly workloads: number; readonly pods: number };
}

function reasonToWait(candidate: Candidate, { rules, group, used }: Turn): WaitReason | undefined {
  const { opening, pods } = candidate;
  if (!opening.isOpen) return { is: "window", opens: opening.opens };
  if (group !== undefined && candidate.group !== undefined && compareBytes(candidate.group, group) > 0)
    return { is: "group", before: group };
  if (candidate.isWaiting && !rules.isDue) return { is: "held" };
  if (!candidate.replacesPods || !candidate.rolls) return undefined;
  const { maxWorkloads = Number.POSITIVE_INFINITY, maxPods = Number.POSITIVE_INFINITY } = rules;
  if (pods > maxPods) return { is: "tooLarge", pods };
  return used.workloads + 1 > maxWorkloads || used.pods + pods > maxPods ? { is: "limit" } : undefined;
}
