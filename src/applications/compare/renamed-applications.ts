import type { PlanFinding } from "../../reports/plan/planned-workload.ts";
import { type Application, ENGINE_FOUND, objectKindOf } from "../discover/application.ts";
import { engineOf } from "../discover/deletions.ts";
import { isHeldBack } from "../../reports/plan/counted.ts";
import type { Deployments, Move } from "./deployment.ts";
import { replacedRelease } from "./replaced-releases.ts";

// An application that another object of Argo CD or Flux defines now renders the same, but the engine deletes what the
// old object applied, unless something keeps it (observed with both, docs/why/observed.md).

/** Another object defines an application, or another application applies its object. */
export type ReplacedObject = "Renamed" | Move;

/** Why the object that defines an application of both revisions is deleted with what it applied; nothing if it is not. */
export function replacedObject(
  before: Application | undefined,
  after: Application | undefined,
  { deploymentOf, moveOf }: Deployments,
): { readonly replacedObject?: ReplacedObject } {
  if (before === undefined || after === undefined || !ENGINE_FOUND.has(before.foundBy)) return {};
  if (after.orphan === true || replacedRelease(before, after) !== undefined) return {};
  const replaced = isSameObject(before, after) ? moveOf(before, after) : "Renamed";
  if (replaced === undefined) return {};
  const removal = deploymentOf(before, undefined);
  return removal.stays === true || removal.orphan === true || isHeldBack(removal) ? {} : { replacedObject: replaced };
}

function isSameObject(one: Application, other: Application): boolean {
  if (nameOf(one) !== nameOf(other) || engineOf(one.foundBy) !== engineOf(other.foundBy)) return false;
  return !hasMoved(one, other) && !hasOtherSet(one, other);
}

/**
 * Whether another ApplicationSet generates it, or none does anymore. Its Application belongs to the old one, which deletes
 * it, or is deleted with it: the controller takes over no Application of another one (SetControllerReference in
 * applicationset/controllers). Equal ones of several Argo CDs may have several.
 */
function hasOtherSet(one: Application, other: Application): boolean {
  const isOne = one.alsoDefinedIn === undefined && other.alsoDefinedIn === undefined;
  return isOne && one.generatedBy !== other.generatedBy;
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
  readonly replacedObject?: ReplacedObject;
}

/** A finding for each application whose old object is deleted with what it applied. */
export function renamedApplications(pairs: readonly RenamedPair[]): readonly PlanFinding[] {
  return pairs.flatMap(({ base, head, replacedObject: replaced }): PlanFinding[] => {
    if (replaced === undefined || base === undefined || head === undefined) return [];
    if (replaced !== "Renamed") {
      const params = { object: objectOf(head.application), ...replaced };
      return [{ id: "renamed-application", cause: "moved", params }];
    }
    const [before, after] = [base.application, head.application];
    const differs = { isMoved: hasMoved(before, after), isOfOtherSet: hasOtherSet(before, after) };
    const params = { object: objectOf(before, differs), other: objectOf(after, differs) };
    return [{ id: "renamed-application", cause: "deleted", params }];
  });
}

function objectOf(
  application: Application,
  { isMoved, isOfOtherSet }: { readonly isMoved?: boolean; readonly isOfOtherSet?: boolean } = {},
): string {
  const { foundBy, generatedBy } = application;
  const namespace = isMoved === true ? `${namespaceOf(application)}/` : "";
  const set = isOfOtherSet === true && generatedBy !== undefined ? ` of ApplicationSet ${generatedBy}` : "";
  return `${objectKindOf(foundBy)} ${namespace}${nameOf(application)}${set}`;
}

function nameOf({ givenName, name }: Application): string {
  return givenName ?? name;
}
