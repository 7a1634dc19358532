import { posix } from "node:path";
import type { FluxBuild } from "../discover/application.ts";
import type { Root } from "./closure.ts";
import type { NearLookup } from "./data-objects.ts";
import { variablesOf } from "./flux-variables.ts";
import { unable, type Renderable } from "./step.ts";

/** How Flux builds a Kustomization: without restrictions of where files are, without helm, without plugins. */
export function fluxSteps(folder: string, build: FluxBuild, data: NearLookup, hmacKey?: Uint8Array): Renderable {
  const added = build.components.map((path): Root => ({ is: "kustomization", folder: posix.join(folder, path) }));
  const roots: readonly Root[] = [{ is: "generated", folder }, ...added];
  const { substitution, commonLabels: labels, commonAnnotations: annotations } = build;
  const found = substitution === undefined ? undefined : variablesOf(build, data, hmacKey);
  if (typeof found === "string") return unable(found, roots);
  const objects = { variables: found?.variables, labels, annotations };
  // In the order in which they are read, as Flux has them.
  const options = ["--load-restrictor=LoadRestrictionsNone", "--reorder=none"];
  return {
    is: "steps",
    steps: [{ by: "kustomize", folder, options, flux: { build, objects } }],
    roots: found === undefined || found.files.length === 0 ? roots : [...roots, { is: "files", paths: found.files }],
    told: found?.told ?? [],
  };
}
