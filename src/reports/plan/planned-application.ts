import type { FieldValidation } from "../../kubernetes/rollout/rollout-types.ts";

// The applications of a plan.

/** How objects are applied. */
export interface Applying {
  /** What the API server refuses to change is deleted and created again: `force` of a Flux Kustomization. */
  readonly isForced: boolean;
  /** What an apply refuses. */
  readonly fieldValidation: FieldValidation;
  /** Flux does not decrypt Secrets that SOPS encrypted: its Kustomization has no `decryption`. */
  readonly leavesEncrypted: boolean;
}

/** As kubectl does by default. */
export const AS_KUBECTL: Applying = { isForced: false, fieldValidation: "Strict", leavesEncrypted: false };

/**
 * Why a merged change is not applied. `Suspended`: Flux `suspend`. `Manual`: Argo CD without `automated`, until someone
 * syncs it. `ChartVersion`: a HelmRelease whose chart version does not change under `reconcileStrategy: ChartVersion`.
 */
export type Held = "Suspended" | "Manual" | "ChartVersion";

/** What writes the stamps of an application, or where they are. */
export type StampedBy = (typeof STAMPED_BY)[number];

export const STAMPED_BY = ["Transformer", "Plugin", "PostRenderer", "Files", "Nothing"] as const;

/**
 * `Changed`: its rendering differs. `NotAffected`: nothing that it is rendered from differs. `Failed`: it can't be
 * rendered.
 */
export type ApplicationStatus = "Changed" | "Unchanged" | "NotAffected" | "Failed";

/** What defines an application, in the order of the search. */
export type FoundBy =
  | "Applications"
  | "Application"
  | "ApplicationSet"
  | "FluxKustomization"
  | "HelmRelease"
  | "Kustomization"
  | "Chart"
  | "Kptfile"
  | "Manifests";

export interface PlannedApplication {
  readonly name: string;
  readonly path: string;
  readonly kind: "Kustomize" | "Helm" | "Kpt" | "Files";
  readonly status: ApplicationStatus;
  /** Set if only one revision has the application. */
  readonly change?: "Added" | "Removed";
  readonly cluster?: string;
  /** Why it can't be rendered: the message of the tool. */
  readonly message?: string;
  /** The part of the message that names what is missing: a chart that is not fetched, a remote base. */
  readonly missing?: string;
  /** True if the base can't be rendered either, and the change doesn't touch it. */
  readonly failedBefore?: true;
  /** True if only the base can't be rendered: what the change rolls is unknown. */
  readonly baseFailed?: true;
  readonly stampedBy: StampedBy;
  /** What defines it, and in which files; absent if it can't be found. */
  readonly foundBy?: FoundBy;
  readonly definedIn?: readonly string[];
  readonly held?: Held;
  /** The version or commit of the repository that it is deployed from, if what changes comes from there. */
  readonly pinnedTo?: string;
  /** The application that applies it, if that one is suspended or has to be synced. */
  readonly heldBy?: string;
  /** If it was suspended: the commit that Flux applied before, to which the head is compared. */
  readonly appliedCommit?: string;
  /** No Argo CD or Flux object, and no Applications document, leads to it. */
  readonly orphan?: true;
  /** What it was rendered without. */
  readonly partial?: readonly MissingPart[];
  /** Nothing of it could be rendered without these parts. */
  readonly unrendered?: true;
}

/** A remote base, a chart or values that were not there when an application was rendered. */
export interface MissingPart {
  /** Its address, as the repository names it. */
  readonly path: string;
  readonly reason: string;
}

/** What has to happen after the merge before the changes of an application are applied. */
export type AppliedWhen = { readonly is: "sync" } | { readonly is: "version"; readonly version: string };

/** What the changes of an application of a plan, by its name, await; undefined if the merge is enough. */
export function appliedWhenIn(
  applications: readonly PlannedApplication[],
): (application: string | undefined) => AppliedWhen | undefined {
  const byName = new Map(applications.map((application) => [application.name, application]));
  return (name = "") => {
    const { held, pinnedTo } = byName.get(name) ?? {};
    if (pinnedTo !== undefined) return { is: "version", version: pinnedTo };
    return held === "Manual" ? { is: "sync" } : undefined;
  };
}
