import { planFinding } from "../../reports/plan/plan-findings.ts";
import type { PlanFinding } from "../../reports/plan/planned-workload.ts";
import type { FoundBy } from "../../reports/plan/planned-application.ts";
import { ENGINE_FOUND, type Application } from "../discover/application.ts";
import { engineOf } from "../discover/deletions.ts";
import { isHeldBack } from "../../reports/plan/counted.ts";
import type { Deployment } from "./deployment.ts";
import { replacedRelease } from "./replaced-releases.ts";

// An application that another object of Argo CD or Flux defines now renders the same, but the engine deletes what the
// old object applied, unless something keeps it (observed with both, docs/why/observed.md).

const KINDS: Partial<Readonly<Record<FoundBy, string>>> = {
  ApplicationSet: "Application",
  FluxKustomization: "Kustomization",
};

/** Whether another object defines an application in the head, and the old object is deleted with what it applied. */
export function isRenamed(
  before: Application | undefined,
  after: Application | undefined,
  removalOf: (before: Application) => Deployment,
): boolean {
  if (before === undefined || after === undefined || !ENGINE_FOUND.has(before.foundBy)) return false;
  if (after.orphan === true || isSameObject(before, after) || replacedRelease(before, after) !== undefined)
    return false;
  const removal = removalOf(before);
  return removal.stays !== true && removal.orphan !== true && !isHeldBack(removal);
}

function isSameObject(one: Application, other: Application): boolean {
  return nameOf(one) === nameOf(other) && engineOf(one.foundBy) === engineOf(other.foundBy) && !hasMoved(one, other);
}

/** Whether two objects are in different namespaces; false if one is unknown. */
function hasMoved(one: Application, other: Application): boolean {
  const [from, to] = [namespaceOf(one), namespaceOf(other)];
  return from !== "" && to !== "" && from !== to;
}

const namespaceOf = ({ objects: [object] = [] }: Application): string => object?.namespace ?? "";

interface RenamedPair {
  readonly base: { readonly application: Application } | undefined;
  readonly head: { readonly application: Application } | undefined;
  readonly isRenamed?: true;
}

/** A finding for each application whose old object is deleted with what it applied. */
export function renamedApplications(pairs: readonly RenamedPair[]): readonly PlanFinding[] {
  return pairs.flatMap(({ base, head, isRenamed: isDeleted }): PlanFinding[] => {
    if (isDeleted !== true || base === undefined || head === undefined) return [];
    const isMoved = hasMoved(base.application, head.application);
    const params = { object: objectOf(base.application, isMoved), other: objectOf(head.application, isMoved) };
    return [planFinding({ id: "renamed-application", cause: "deleted", params })];
  });
}

function objectOf(application: Application, isMoved: boolean): string {
  const namespace = isMoved ? `${namespaceOf(application)}/` : "";
  return `${KINDS[application.foundBy] ?? application.foundBy} ${namespace}${nameOf(application)}`;
}

function nameOf({ givenName, name }: Application): string {
  return givenName ?? name;
}
