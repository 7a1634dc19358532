import type { ArgoKustomize } from "../applications/application.ts";
import type { GivenParameters } from "../cmp/parameters.ts";
import type { Root } from "./closure.ts";

/** A run of kustomize or helm, and what stands beside it; folders are from the root of the repository. */
export type Step =
  | {
      readonly by: "kustomize";
      readonly folder: string;
      readonly options: readonly string[];
      /** What Argo CD edits into it before. */
      readonly argo?: ArgoKustomize;
    }
  /** Manifests as they stand, beside others that are rendered. */
  | { readonly by: "files"; readonly files: readonly string[] }
  | { readonly by: "helm"; readonly folder: string; readonly given: GivenParameters };

/** How an application is rendered, or why it can't be. */
export type Renderable =
  | { readonly is: "steps"; readonly steps: readonly Step[]; readonly roots: readonly Root[] }
  /** Manifests as they stand. */
  | { readonly is: "files"; readonly files: readonly string[]; readonly roots: readonly Root[] }
  | { readonly is: "unable"; readonly because: string; readonly roots: readonly Root[] };

/** What can't be rendered, and why; what it is made from is known all the same. */
export function unable(because: string, roots: readonly Root[] = []): Renderable {
  return { is: "unable", because, roots };
}
