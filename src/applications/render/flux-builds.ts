import type { RenderedApplication } from "../../platform/ports/applications.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import { stableJson } from "../../yaml/read/json.ts";
import { dataDigest } from "./affected.ts";
import { closuresOf } from "./closure.ts";
import { fluxRoots } from "./renderable.ts";
import type { FluxStep, KustomizeStep } from "./step.ts";

// Kustomizations of Flux often have the same path in many clusters, and differ only in what Flux changes after the build:
// variables, labels and annotations. kustomize builds the path once for them.

/** Builds what the same files and the same kustomization give once. */
export type FluxBuilds = (
  snapshot: Snapshot,
  step: Pick<KustomizeStep, "folder"> & { readonly flux: FluxStep },
  build: () => Promise<RenderedApplication>,
) => Promise<RenderedApplication>;

/** The builds that are kept, and the length of all their texts: those that were used last. */
const MOST_BUILDS = 1000;
const MOST_CHARACTERS = 1 << 24;

/** The builds of one run. */
export function fluxBuilds(): FluxBuilds {
  const kept = new Map<string, { readonly made: Promise<RenderedApplication>; length: number }>();
  const dropOldest = (): void => {
    let length = 0;
    for (const entry of kept.values()) length += entry.length;
    for (const [key, entry] of kept) {
      if (kept.size === 1 || (kept.size <= MOST_BUILDS && length <= MOST_CHARACTERS)) break;
      kept.delete(key);
      length -= entry.length;
    }
  };
  return async (snapshot, step, build) => {
    const { variables, labels, annotations } = step.flux.objects;
    const isOwn = variables === undefined && Object.keys(labels).length + Object.keys(annotations).length === 0;
    // Without changes after the build, equal applications are rendered once anyway.
    const key = isOwn ? undefined : keyOf(snapshot, step);
    if (key === undefined) return build();
    const entry = kept.get(key) ?? { made: build(), length: 0 };
    kept.delete(key);
    kept.set(key, entry);
    const result = await entry.made;
    entry.length = result.text.length;
    dropOldest();
    return result;
  };
}

/** Equal if kustomize builds the same. */
function keyOf(snapshot: Snapshot, { folder, flux }: Parameters<FluxBuilds>[1]): string | undefined {
  const closure = closuresOf(snapshot).closureOf(fluxRoots(folder, flux.build));
  if (closure === undefined) return undefined;
  const { targetNamespace, namePrefix, nameSuffix, patches, images, components, ignoreMissingComponents, ignored } =
    flux.build;
  const before = { targetNamespace, namePrefix, nameSuffix, patches, images, components, ignoreMissingComponents };
  // As for whole renderings, which Flux may read more for if the source excludes files (affected.ts).
  const digest = ignored.length === 0 ? closure.read : closure.digest;
  return dataDigest([folder, stableJson({ ...before, ignored }), digest]);
}
