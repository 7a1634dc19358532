import { protectsCopy } from "../../base/copies.ts";
import { objectKey } from "../../base/identity.ts";
import { locationOf, resourceRef } from "../../findings/results/location.ts";
import type { Copy } from "../../kubernetes/sources/copies.ts";
import { annotationOf } from "../../yaml/read/items.ts";
import { templatesOf } from "./pair.ts";
import { planFinding } from "./plan-findings.ts";
import type { Action, PlanFinding } from "./planned-workload.ts";
import type { Side, SideWorkload } from "./side.ts";

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

/** What happens to a workload that both sides have. */
interface LeftWorkload {
  readonly from: SideWorkload | undefined;
  readonly to: SideWorkload | undefined;
  readonly action: Action;
}

/** The finding about a workload whose old pods name copies that leave. What the new template names is lost. */
export function leavingCopyFindings(base: Side, head: Side, { from, to, action }: LeftWorkload): PlanFinding[] {
  if (from === undefined || to === undefined || !KEEPS_OLD_PODS.has(action)) return [];
  const [before, after] = [namedIn(base, from), namedIn(head, to)];
  if (before.size === 0 || from.rollout().strategy?.replicas === 0) return [];
  const gone = leavingCopies(base, head).filter(({ source: { provides } }) => {
    const key = objectKey(provides);
    return before.has(key) && !after.has(key);
  });
  if (gone.length === 0) return [];
  const { item } = to.workload;
  const params = { workload: resourceRef(item), copies: gone.map(({ source }) => resourceRef(source.item)) };
  return [planFinding({ id: "leaving-copy", cause: "used", params, ...locationOf(item, item) })];
}

/** The copies that the pod templates of a workload name. */
function namedIn(side: Side, own: SideWorkload): ReadonlySet<string> {
  return new Set(
    templatesOf(side, own).flatMap(({ references }) =>
      references.flatMap(({ kind, namespace, name, copy }) => objectKey({ kind, namespace, name: copy ?? name })),
    ),
  );
}
