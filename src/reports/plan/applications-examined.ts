import type { Examined } from "../../findings/not-examined/not-examined.ts";
import type { ApplicationStatus, PlannedApplication, PlanSummary } from "./plan-report.ts";

/** What a plan over applications has looked at, beside the files of plain manifests. */
export function examinedWith(
  plain: Examined,
  applications: readonly PlannedApplication[],
  { workloads }: Pick<PlanSummary, "workloads">,
): Examined {
  const all = applications.filter(({ status }) => status !== "Failed");
  // Plain manifests that were read count by their workloads.
  const known = all.filter((one) => !isPlainKind(one) || plain.files === 0);
  return {
    ...plain,
    files: plain.files + renderedOf(applications),
    workloads,
    applications: known.length,
  };
}

/** How many of them were rendered: each counts as a file. */
export function renderedOf(applications: readonly PlannedApplication[]): number {
  return applications.filter((one) => !isPlainKind(one) && one.status !== "Failed" && one.status !== "NotAffected")
    .length;
}

function isPlainKind({ kind }: PlannedApplication): boolean {
  return kind === "Files" || kind === "Kpt";
}

const RANK: Readonly<Record<ApplicationStatus, number>> = { Failed: 0, Changed: 1, Unchanged: 2, NotAffected: 3 };

/** Applications in the order of a report: those that failed come first. */
export function failedFirst<T>(applications: readonly T[], of: (one: T) => PlannedApplication): T[] {
  return applications.toSorted((a, b) => RANK[of(a).status] - RANK[of(b).status]);
}

/** What was not looked at, each once. */
export function eachOnce<T extends { readonly kind: string; readonly path: string; readonly name?: string }>(
  rows: readonly T[],
): T[] {
  const known = new Set<string>();
  return rows.filter(({ kind, path, name = "" }) => {
    const key = `${kind}\n${path}\n${name}`;
    return !known.has(key) && known.add(key) !== undefined;
  });
}
