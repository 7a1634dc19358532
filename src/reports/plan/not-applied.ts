import { workloadKey } from "../../base/identity.ts";
import { withoutFound } from "./found-elsewhere.ts";
import type { PlanPart } from "./parts.ts";
import type { PlanFinding, PlannedObject, PlannedWorkload } from "./planned-workload.ts";

// What a plan says about changes that are merged but not applied, and about objects that stay in the cluster.

/** Why the changes of an application are not applied. */
export type NotApplied = Pick<PlannedWorkload, "held" | "orphan">;

/**
 * A part with the changes of applications whose changes are not applied: they count nowhere else. `whyOf` gets the
 * application of a workload, object or finding. Other objects can be applied in another way.
 */
export function notAppliedPart(
  part: PlanPart,
  whyOf: (application: string | undefined) => NotApplied | undefined,
  isAppliedAnyway: (object: PlannedObject) => boolean = () => false,
): PlanPart {
  const marked = (findings: readonly PlanFinding[]): readonly PlanFinding[] =>
    findings.map((finding) =>
      whyOf(finding.application) === undefined ? finding : Object.assign({}, finding, { isNotApplied: true as const }),
    );
  const rows = part.rows.flatMap((row) => {
    const why = whyOf(row.planned.application);
    if (why === undefined) return [row];
    const planned = Object.assign({}, row.planned, why, { findings: marked(row.planned.findings) });
    return row.isListed ? [{ isListed: true, planned }] : [];
  });
  const whole = whyOf(undefined);
  return Object.assign({}, part, {
    rows,
    refused: marked(part.refused),
    mass: marked(part.mass),
    others: marked(part.others),
    objects: part.objects.map((object) =>
      isAppliedAnyway(object) ? object : Object.assign({}, object, whyOf(object.application)),
    ),
    ...(whole === undefined
      ? {}
      : {
          unlisted: 0,
          schedule: undefined,
          findingsBefore: 0,
          otherObjects: part.objects.filter(isAppliedAnyway).length,
        }),
    // Nothing of an orphan is in the cluster.
    ...(whole?.orphan === true ? { keeps: [] } : {}),
  });
}

/** An object of a plan. */
type Identity = Pick<PlannedWorkload, "kind" | "namespace" | "name">;

/** A part whose deleted objects are marked if they stay in the cluster. Sources that stay are not lost. */
export function withLeaves(part: PlanPart, stays: (object: Identity) => boolean): PlanPart {
  const marked = <T extends PlannedWorkload | PlannedObject>(object: T, isDeleted: boolean): T =>
    isDeleted && stays(object) ? Object.assign({}, object, { leaves: true as const }) : object;
  const left = Object.assign({}, part, {
    rows: part.rows.map(({ isListed, planned }) => ({
      isListed,
      planned: marked(planned, planned.action === "Delete"),
    })),
    objects: part.objects.map((object) => marked(object, object.change === "Delete")),
  });
  return withoutFound(left, stays);
}

/** Joins two parts of one application: what is applied, and what is not. A workload that only one changes is listed once. */
export function joinedPart(applied: PlanPart, notApplied: PlanPart): PlanPart {
  const known = new Set(applied.rows.map(({ planned }) => workloadKey(planned)));
  const waiting = notApplied.rows.filter(
    (row) => row.planned.action !== "None" || !known.has(workloadKey(row.planned)),
  );
  const changing = new Set(waiting.map(({ planned }) => workloadKey(planned)));
  return Object.assign({}, applied, {
    rows: [
      ...applied.rows.map((row) =>
        row.planned.action === "None" && row.planned.lost === undefined && changing.has(workloadKey(row.planned))
          ? { ...row, isListed: false }
          : row,
      ),
      ...waiting,
    ],
    refused: [...applied.refused, ...notApplied.refused],
    mass: [...applied.mass, ...notApplied.mass],
    others: [...applied.others, ...notApplied.others],
    objects: [...applied.objects, ...notApplied.objects],
    keeps: [...new Set([...applied.keeps, ...notApplied.keeps])],
  });
}
