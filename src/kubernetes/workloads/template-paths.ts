import type { PodTemplatePath } from "./types.ts";

/** A pod template in the form that Kubernetes' own kinds have: metadata and spec side by side. */
export function podTemplate(path: string): PodTemplatePath {
  return { annotations: `${path}.metadata.annotations`, anchor: path, podSpec: `${path}.spec` };
}

/** Pod metadata that stands apart from the rest; `anchor` is the part of its path that has to exist. */
export function podMetadata(
  path: string,
  anchor: string,
  more: Pick<PodTemplatePath, "podSpec" | "references">,
): PodTemplatePath {
  return { annotations: `${path}.annotations`, anchor, ...more };
}
