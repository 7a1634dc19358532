import { posix } from "node:path";
import type { ArgoKustomize, KustomizeRender } from "../applications/application.ts";
import type { Root } from "./closure.ts";
import { unable, type Renderable } from "./step.ts";

/** How a kustomization is rendered: by itself, or with what Argo CD edits into it. */
export function kustomizeSteps({ folder, argo }: Omit<KustomizeRender, "flux">): Renderable {
  const added = (argo?.components ?? []).map((path): Root => ({
    is: "kustomization",
    folder: posix.join(folder, path),
  }));
  const roots: readonly Root[] = [{ is: "kustomization", folder }];
  if (argo !== undefined && isEdited(argo))
    return unable("what Argo CD edits into a kustomization is not rendered", [...roots, ...added]);
  return { is: "steps", steps: [{ by: "kustomize", folder, options: "--enable-helm" }], roots };
}

/** Whether an Application edits its kustomization: what it tells of itself is no edit. */
function isEdited(argo: ArgoKustomize): boolean {
  return Object.entries(argo).some(([key, value]) => {
    if (key === "environment") return false;
    if (Array.isArray(value)) return value.length > 0;
    if (typeof value === "object") return Object.keys(value).length > 0;
    return value !== undefined && value !== false && value !== "";
  });
}
