import type { Application, Render } from "../applications/application.ts";
import type { DataLookup, NearLookup } from "./data-objects.ts";
import { fluxSteps } from "./flux-steps.ts";
import { helmSteps } from "./helm-steps.ts";
import { kustomizeSteps } from "./kustomize-steps.ts";
import { unable, type Renderable } from "./step.ts";

/** How an application is rendered, with the values that objects hold. */
export function renderableOf(
  {
    render,
    namespace,
    definedIn: [near] = [],
    path = ".",
  }: Pick<Application, "render" | "namespace"> & Partial<Pick<Application, "definedIn" | "path">>,
  data: DataLookup,
): Renderable {
  return ofRender(render, namespace, (reference, from) => data(reference, from ?? near ?? path));
}

function ofRender(render: Render, namespace: string | undefined, data: NearLookup): Renderable {
  switch (render.by) {
    case "kustomize":
      return render.flux === undefined ? kustomizeSteps(render) : fluxSteps(render.folder, render.flux, data);
    case "helm":
      return helmSteps(render, namespace, data);
    case "kpt":
    case "files":
      return { is: "files", files: render.files, roots: [{ is: "files", paths: render.files }] };
    case "command":
      return unable("it is rendered by a command, which is not run", [{ is: "folder", folder: render.folder }]);
    case "plugin": {
      const name = render.name === "" ? "a plugin" : `the plugin '${render.name}'`;
      return unable(`it is rendered by ${name} of Argo CD`, [{ is: "folder", folder: render.folder }]);
    }
    case "sources":
      return ofSources(render.sources.map((source) => ofRender(source, namespace, data)));
  }
}

/** Several sources, each rendered by itself; one that can't be is told for all of them. */
function ofSources(sources: readonly Renderable[]): Renderable {
  const roots = sources.flatMap((source) => source.roots);
  const wrong = sources.find((source) => source.is === "unable");
  if (wrong?.is === "unable") return unable(wrong.because, roots);
  const steps = sources.flatMap((source) => (source.is === "steps" ? source.steps : []));
  const files = sources.flatMap((source) => (source.is === "files" ? source.files : []));
  if (steps.length > 0 && files.length > 0)
    return unable("some of its sources are rendered, and others are manifests as they stand", roots);
  return steps.length > 0 ? { is: "steps", steps, roots } : { is: "files", files, roots };
}
