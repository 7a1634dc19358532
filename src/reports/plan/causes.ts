import type { SourceName } from "../../base/names.ts";
import { compareBytes } from "../../base/digest/hash-v1.ts";
import type { Reason } from "./plan-reasons.ts";
import type { Cause } from "./plan-report.ts";
import type { PlannedWorkload } from "./planned-workload.ts";

/** Why workloads change: each cause once. The cause that replaces the most pods comes first. */
export function causesOf(planned: readonly PlannedWorkload[]): Cause[] {
  const causes = new Map<string, Counted>();
  for (const { reasons, pods: running, action } of planned) {
    // The pods of `Stale` are not replaced.
    const pods = action === "Stale" ? 0 : running;
    const distinct = new Map(reasons.map((reason) => [causeKey(reason), reason]));
    for (const [key, reason] of distinct) {
      const known = causes.get(key);
      if (known === undefined) causes.set(key, { key, reason, workloads: 1, pods });
      else {
        known.workloads += 1;
        known.pods += pods;
      }
    }
  }
  return [...causes.values()]
    .sort((a, b) => b.pods - a.pods || b.workloads - a.workloads || compareBytes(a.key, b.key))
    .map(({ reason, workloads, pods }) => ({ ...named(reason), workloads, pods }));
}

interface Counted {
  readonly key: string;
  readonly reason: Reason;
  workloads: number;
  pods: number;
}

/** The key of the cause of a reason: its source, or its field. */
function causeKey(reason: Reason): string {
  if (reason.type !== "Source") return `path\n${pathOf(reason)}`;
  const { kind, namespace, name } = reason.source;
  return `source\n${kind}\n${namespace}\n${name}`;
}

function named(reason: Reason): { readonly source: SourceName } | { readonly path: string } {
  if (reason.type !== "Source") return { path: pathOf(reason) };
  const { kind, namespace, name } = reason.source;
  return { source: { kind, namespace, name } };
}

/** The cause of all first stamps: the annotations of ours. */
const FIRST_STAMP = "metadata.annotations";

function pathOf(reason: Exclude<Reason, { readonly type: "Source" }>): string {
  if (reason.type === "Restart") return reason.field;
  if (reason.type === "FirstStamp") return FIRST_STAMP;
  // A template that is added or removed has no path.
  if (reason.type === "Template" && reason.path === "") return reason.template ?? "";
  return reason.path;
}
