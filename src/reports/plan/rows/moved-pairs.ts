import { holdsData } from "../judged.ts";
import type { PlanReport } from "../plan-report.ts";
import type { PlannedObject, PlannedWorkload } from "../planned-workload.ts";
import type { ChangeRow } from "./row-types.ts";
import { nonEmpty } from "../../../base/grouped.ts";

/** Workloads and objects that are created where others of their kind and name are deleted. */
interface MovedPairs {
  /** The other halves of moved workloads. */
  readonly created: ReadonlySet<PlannedWorkload>;
  /** Both halves of objects that move with workloads. */
  readonly objects: ReadonlySet<PlannedObject>;
  readonly rows: readonly ChangeRow[];
}

/** Pairs what moves, and makes one row of the objects that move with workloads. */
export function movedPairs({ workloads, objects }: PlanReport): MovedPairs {
  const key = (kind: string, name: string, namespace: string, application = ""): string =>
    JSON.stringify([kind, name, namespace, application]);
  const targets = new Set<string>();
  const moves = new Map<string, { readonly namespace: string; readonly application: string | undefined }>();
  for (const { movedTo, kind, name, namespace, application } of workloads) {
    if (movedTo === undefined) continue;
    const to = { namespace: movedTo.namespace, application: movedTo.application ?? application };
    targets.add(key(kind, name, to.namespace, to.application));
    moves.set(JSON.stringify([namespace, application]), to);
  }
  if (moves.size === 0) return { created: new Set(), objects: new Set(), rows: [] };
  const created = workloads.filter(
    ({ action, kind, name, namespace, application }) =>
      action === "Create" && targets.has(key(kind, name, namespace, application)),
  );
  const createdObjects = new Map(
    objects
      .filter(({ change }) => change === "Create")
      .map((object) => [key(object.kind, object.name, object.namespace, object.application), object]),
  );
  const pairs = objects.flatMap((object) => {
    const { kind, name, namespace, application, change } = object;
    // One that can lose data on the way has its own rows.
    const isMoved = change === "Delete" && (object.leaves === true || !holdsData(object));
    const to = isMoved ? moves.get(JSON.stringify([namespace, application])) : undefined;
    const other = to === undefined ? undefined : createdObjects.get(key(kind, name, to.namespace, to.application));
    return other === undefined ? [] : [{ object, other }];
  });
  return {
    created: new Set(created),
    objects: new Set(pairs.flatMap(({ object, other }) => [object, other])),
    rows: nonEmpty(pairs.map(({ object }) => object)).map((all) => ({
      is: "changes",
      label: "other",
      level: "ok",
      change: "Move",
      fields: [],
      moreFields: 0,
      objects: all,
    })),
  };
}
