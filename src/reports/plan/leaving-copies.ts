import { protectsCopy } from "../../base/copies.ts";
import { objectKey } from "../../base/identity.ts";
import { resourceRef } from "../../findings/results/location.ts";
import type { Copy } from "../../kubernetes/sources/copies.ts";
import { annotationOf } from "../../yaml/read/items.ts";
import { templatesOf } from "./pair.ts";
import type { Action, PlanFinding } from "./planned-workload.ts";
import type { Side, SideWorkload, WorkloadPair } from "./side.ts";

/** The copies of the base that the head lacks (layout Versioned): an engine prunes them, unless annotations protect them. */
export function leavingCopies(base: Side, head: Side): readonly Copy[] {
  const { sources } = head.analysis;
  return base.analysis.sources.copies.filter(({ source: { provides, item } }) => {
    const { kind, namespace, name } = provides;
    const isThere = sources.findCopy(kind, namespace, name) ?? sources.find(kind, namespace, name);
    return isThere === undefined && !protectsCopy((key) => annotationOf(item, key));
  });
}

/** Actions after which pods with the old template may still start, for a while or for good. */
const KEEPS_OLD_PODS: ReadonlySet<Action> = new Set(["Roll", "NoEffect"]);

/** The finding about a workload whose old pods name copies that leave. What the new template names is lost. */
export function leavingCopyFindings({ base, head, from, to }: WorkloadPair, action: Action): PlanFinding[] {
  if (!KEEPS_OLD_PODS.has(action)) return [];
  const [before, after] = [namedIn(base, from), namedIn(head, to)];
  if (before.size === 0 || from.rollout().strategy?.replicas === 0) return [];
  const gone = leavingCopies(base, head).filter(({ source: { provides } }) => {
    const key = objectKey(provides);
    return before.has(key) && !after.has(key);
  });
  if (gone.length === 0) return [];
  const copies = gone.map(({ source }) => resourceRef(source.item));
  return [{ id: "leaving-copy", cause: "used", params: { workload: resourceRef(to.workload.item), copies } }];
}

/** The copies that the pod templates of a workload name. */
function namedIn(side: Side, own: SideWorkload): ReadonlySet<string> {
  return new Set(
    templatesOf(side, own).flatMap(({ references }) =>
      references.flatMap(({ kind, namespace, name, copy }) => objectKey({ kind, namespace, name: copy ?? name })),
    ),
  );
}
