import type { Application, Render } from "../discover/application.ts";
import type { DataLookup, NearLookup } from "./data-objects.ts";
import { RENDER_YOURSELF } from "../../base/own-rendering.ts";
import { fluxSteps } from "./flux-steps.ts";
import { helmSteps } from "./helm-steps.ts";
import { kustomizeSteps } from "./kustomize-steps.ts";
import { pluginSteps } from "./plugin-steps.ts";
import { unable, type Renderable, type Step } from "./step.ts";

/** How an application is rendered, with the values that objects hold; with a key nobody can guess those of Secrets. */
export function renderableOf(
  {
    render,
    namespace,
    definedIn: [near] = [],
    path = ".",
  }: Pick<Application, "render" | "namespace"> & Partial<Pick<Application, "definedIn" | "path">>,
  data: DataLookup,
  hmacKey?: Uint8Array,
): Renderable {
  return ofRender(render, namespace, (reference, from) => data(reference, from ?? near ?? path), hmacKey);
}

function ofRender(
  render: Render,
  namespace: string | undefined,
  data: NearLookup,
  hmacKey: Uint8Array | undefined,
): Renderable {
  switch (render.by) {
    case "kustomize":
      return render.flux === undefined ? kustomizeSteps(render) : fluxSteps(render.folder, render.flux, data, hmacKey);
    case "helm":
      return helmSteps(render, namespace, data);
    case "kpt":
    case "files":
      return ofFiles(render.files);
    case "command":
      // What it reads nobody knows: its folder is the least.
      return {
        is: "steps",
        steps: [{ by: "command", folder: render.folder, command: render.command }],
        roots: [{ is: "folder", folder: render.folder }],
      };
    case "plugin":
      return pluginSteps(render);
    case "sources":
      return ofSources(render.sources.map((source) => ofRender(source, namespace, data, hmacKey)));
  }
}

/** Manifests as they stand; Argo CD would evaluate the Jsonnet among them. */
function ofFiles(files: readonly string[]): Renderable {
  const roots = [{ is: "files", paths: files } as const];
  const jsonnet = files.find((file) => file.endsWith(".jsonnet"));
  if (jsonnet === undefined) return { is: "files", files, roots };
  return unable(
    `${jsonnet} is Jsonnet, which is evaluated by Argo CD and not here: commit what it makes, or ${RENDER_YOURSELF}`,
    roots,
  );
}

/** Several sources, each rendered by itself; one that can't be is told for all of them. */
function ofSources(sources: readonly Renderable[]): Renderable {
  const roots = sources.flatMap((source) => source.roots);
  const wrong = sources.find((source) => source.is === "unable");
  if (wrong?.is === "unable") return unable(wrong.because, roots);
  const steps = sources.flatMap((source): readonly Step[] => {
    if (source.is === "steps") return source.steps;
    return source.is === "files" ? [{ by: "files", files: source.files }] : [];
  });
  return { is: "steps", steps, roots };
}
