import { AS_KUBECTL, type Applying, type FoundBy, type Held } from "../../reports/plan/planned-application.ts";
import { RESOURCES_FINALIZER } from "../../base/hosts/argocd.ts";
import { fieldsOf, isMapping, textOrEmpty, textsOf, type Mapping } from "../../yaml/read/json.ts";
import type { Keeps } from "./application.ts";
import type { Engine } from "./kept-objects.ts";

// Whether engines apply what is merged, and what they delete (argo-cd v3.1: types.go, appcontroller.go shouldBeDeleted,
// applicationset/utils; gitops-engine: sync_context.go pruneObject; kustomize-controller v1.7: prune and
// finalizerShouldDeleteResources; helm-controller v1.4: reconcileDelete).

/** How an engine applies an application. */
export interface Deployed {
  readonly held?: Exclude<Held, "ChartVersion">;
  readonly keeps: Keeps;
  readonly applying: Applying;
}

/** How an application is applied whose object may have a mark with which it stays in the cluster. */
export function withMark(deployed: Deployed, { isKept }: { readonly isKept?: true }): Deployed {
  return isKept === true ? { ...deployed, keeps: { ...deployed.keeps, deleted: true } } : deployed;
}

/** An Application of Argo CD. */
export function deployedByArgo(spec: Mapping, finalizers: readonly string[]): Deployed {
  const { automated, syncOptions } = fieldsOf(spec["syncPolicy"]);
  const isAutomated = automated !== undefined && automated !== null && fieldsOf(automated)["enabled"] !== false;
  return {
    ...(isAutomated ? {} : { held: "Manual" }),
    applying: {
      ...AS_KUBECTL,
      fieldValidation: textsOf(syncOptions).includes("ServerSideApply=true") ? "ServerSide" : "Ignore",
    },
    keeps: {
      pruned: !isAutomated || fieldsOf(automated)["prune"] !== true,
      deleted: !finalizers.some((name) => name === RESOURCES_FINALIZER || name.startsWith(`${RESOURCES_FINALIZER}/`)),
    },
  };
}

/** An Application that an ApplicationSet generates from a template. */
export function deployedBySet(set: Mapping, template: Mapping): Deployed {
  const { preserveResourcesOnDeletion, applicationsSync } = fieldsOf(set["syncPolicy"]);
  const given = textsOf(fieldsOf(template["metadata"])["finalizers"]);
  const finalizers = given.length === 0 && preserveResourcesOnDeletion !== true ? [RESOURCES_FINALIZER] : given;
  const { held, keeps, applying } = deployedByArgo(fieldsOf(template["spec"]), finalizers);
  const mayDelete = !["create-only", "create-update"].includes(textOrEmpty(applicationsSync));
  const { type, rollingSync } = fieldsOf(set["strategy"]);
  // The ApplicationSet itself syncs its Applications in steps.
  const isSynced = type === "RollingSync" && rollingSync !== undefined && rollingSync !== null;
  return {
    ...(held === undefined || isSynced ? {} : { held }),
    applying,
    keeps: { ...keeps, deleted: keeps.deleted || !mayDelete },
  };
}

/** A Kustomization of Flux. `source`: that of its sourceRef, if it is in the repository. */
export function deployedByKustomization(spec: Mapping, source: Mapping | undefined): Deployed {
  const isSuspended = spec["suspend"] === true;
  const isPruned = spec["prune"] === true;
  const policy = textOrEmpty(spec["deletionPolicy"]) || "MirrorPrune";
  const isDeleted = policy === "MirrorPrune" ? isPruned : policy === "Delete" || policy === "WaitForTermination";
  return {
    // A suspended source has no new revision.
    ...(isSuspended || source?.["suspend"] === true ? { held: "Suspended" } : {}),
    applying: {
      isForced: spec["force"] === true,
      fieldValidation: "ServerSide",
      leavesEncrypted: !isMapping(spec["decryption"]),
    },
    keeps: { pruned: !isPruned, deleted: isSuspended || !isDeleted },
  };
}

/** A HelmRelease of Flux. */
export function deployedByRelease(spec: Mapping): Deployed {
  const isSuspended = spec["suspend"] === true;
  return {
    ...(isSuspended ? { held: "Suspended" } : {}),
    applying: { ...AS_KUBECTL, fieldValidation: "Ignore" },
    keeps: { pruned: false, deleted: isSuspended },
  };
}

/** The engines by what defines an application; undefined for one whose engine is unknown. */
const ENGINES: Partial<Readonly<Record<FoundBy, Engine>>> = {
  Application: "argo",
  ApplicationSet: "argo",
  FluxKustomization: "flux",
  HelmRelease: "helm",
};

export function engineOf(foundBy: FoundBy): Engine | undefined {
  return ENGINES[foundBy];
}
