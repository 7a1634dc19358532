import type { Application, FoundBy } from "./application.ts";

// Flux applies nothing of what is suspended, and what has changed meanwhile when it is resumed
// (kustomize-controller and helm-controller, docs/spec, "Suspend"): what rolls then is not what two revisions tell.

/** What Flux calls the objects that can be suspended. */
const OBJECTS: Partial<Readonly<Record<FoundBy, string>>> = {
  FluxKustomization: "Kustomization",
  HelmRelease: "HelmRelease",
};

/** Whether Flux applies it again from the second one on: that can be more than what differs. */
export function isResumed(before: Application | undefined, after: Application | undefined): boolean {
  return before?.isSuspended === true && after !== undefined && after.isSuspended !== true;
}

/** `HelmRelease web`. */
export function suspendableName({ foundBy, name }: Application): string {
  return `${OBJECTS[foundBy] ?? foundBy} ${name}`;
}
