import { posix } from "node:path";
import type { FluxBuild } from "../applications/application.ts";
import type { Root } from "./closure.ts";
import type { NearLookup } from "./data-objects.ts";
import { unable, type Renderable } from "./step.ts";

/** How Flux builds a Kustomization. */
export function fluxSteps(folder: string, { components }: FluxBuild, _data: NearLookup): Renderable {
  const added = components.map((path): Root => ({ is: "kustomization", folder: posix.join(folder, path) }));
  return unable("what Flux makes of a Kustomization is not rendered", [{ is: "generated", folder }, ...added]);
}
