import { posix } from "node:path";
import type { ArgoKustomize, KustomizeRender } from "../discover/application.ts";
import { patchFiles, tellsRevision } from "./argo-edits.ts";
import { fixedPart, isPattern } from "./component-patterns.ts";
import type { Root } from "./closure.ts";
import { unable, type Renderable } from "./step.ts";

/** How a kustomization is rendered: by itself, or with what Argo CD edits into it. */
export function kustomizeSteps({ folder, argo }: Omit<KustomizeRender, "flux">): Renderable {
  const own: Root = { is: "kustomization", folder };
  const options = ["--enable-helm"];
  if (argo === undefined) return { is: "steps", steps: [{ by: "kustomize", folder, options }], roots: [own] };
  const roots = [own, ...rootsOf(argo, folder)];
  const versions = [argo.kubeVersion ?? "", ...argo.apiVersions];
  // One of another form would be an option of its own.
  if (versions.some((version) => /[\s-]/u.test(version.slice(0, 1)) || /\s/u.test(version)))
    return unable("its kubeVersion, or one of its apiVersions, is none", roots);
  if (argo.kubeVersion !== undefined) options.push(`--helm-kube-version=${argo.kubeVersion}`);
  options.push(...argo.apiVersions.map((version) => `--helm-api-versions=${version}`));
  return { is: "steps", steps: [{ by: "kustomize", folder, options, argo }], roots };
}

/** What the edits of an Application bring with them. */
function rootsOf(argo: ArgoKustomize, folder: string): readonly Root[] {
  const files = patchFiles(argo).map((path) => posix.join(folder, path));
  return [
    ...argo.components.flatMap((path): readonly Root[] =>
      isPattern(path)
        ? [{ is: "below", folder: posix.join(folder, fixedPart(path)) }]
        : [{ is: "kustomization", folder: posix.join(folder, path) }],
    ),
    ...(files.length === 0 ? [] : [{ is: "files", paths: files } as const]),
    ...(tellsRevision(argo) ? [{ is: "commit" } as const] : []),
  ];
}
