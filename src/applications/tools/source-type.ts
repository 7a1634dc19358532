import { sep } from "node:path";
import { CHART_FILE } from "../../base/hosts/helm.ts";
import { isKustomizationFile } from "../../base/hosts/kustomize.ts";

/** What an application's folder is rendered from. */
export type SourceType = "kustomization" | "chart" | "plain";

/** What people call it. */
export const SOURCE_NAMES: Readonly<Record<SourceType, string>> = {
  kustomization: "a kustomization",
  chart: "a Helm chart",
  plain: "a plain folder",
};

/**
 * Tells by the names in a folder what it is. A folder with both files is a kustomization: so it is
 * to Argo CD (util/app/discovery, whose walk lets the later name win).
 */
export function sourceTypeOf(names: readonly string[]): SourceType {
  if (names.some(isKustomizationFile)) return "kustomization";
  return names.includes(CHART_FILE) ? "chart" : "plain";
}

/** Argo CD evaluates these in a plain folder; without that, what they make would be deleted. */
export function jsonnetFileOf(names: readonly string[]): string | undefined {
  return names.find((name) => name.endsWith(".jsonnet"));
}

/**
 * The root of what was sent: the folder, less the segments that it shares with the application's
 * path in the repository. With the annotation manifest-generate-paths Argo CD sends a part of the
 * repository only, so that not all of the path need be there.
 */
export function repositoryRoot(folder: string, sourcePath: string): string {
  const segments = folder.split(sep);
  const path = sourcePath.split("/").filter((segment) => segment !== "" && segment !== ".");
  while (path.length > 0 && segments.length > 1 && path.at(-1) === segments.at(-1)) {
    path.pop();
    segments.pop();
  }
  return segments.join(sep) || sep;
}
