import { RollstampError } from "../../base/errors.ts";
import type { ApplicationFolder, RenderedApplication } from "../../platform/ports/applications.ts";
import { holdsNothing, readManifests, type Manifests } from "../../yaml/read/items.ts";
import { readTree } from "../../yaml/read/tree.ts";

/** The manifests that a program printed. Throws a RollstampError for what would delete or break an application. */
export function renderedManifests({ limits }: ApplicationFolder, { text, by }: RenderedApplication): Manifests {
  const tree = readTree(text, by, limits);
  if (holdsNothing(tree)) {
    throw new RollstampError("input", `${by} printed no Kubernetes object`, {
      remedy: "An empty result is refused: Argo CD would delete everything that the application has.",
    });
  }
  const manifests = readManifests(tree);
  if (manifests.form === "stream") return manifests;
  throw new RollstampError("input", `${by} printed a ResourceList`, {
    remedy: "Argo CD would deploy it with the annotations of its host: let the build print manifests.",
  });
}
