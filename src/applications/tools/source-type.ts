import { sep } from "node:path";
import { CHART_FILE } from "../../base/hosts/helm.ts";
import { isKustomizationFile } from "../../base/hosts/kustomize.ts";

export type SourceType = "kustomization" | "chart" | "plain";

export const SOURCE_NAMES: Readonly<Record<SourceType, string>> = {
  kustomization: "a kustomization",
  chart: "a Helm chart",
  plain: "a plain folder",
};

/**
 * The type of a folder, by the names of its files. A folder with both files is a kustomization, as in Argo CD
 * (util/app/discovery).
 */
export function sourceTypeOf(names: readonly string[]): SourceType {
  if (names.some(isKustomizationFile)) return "kustomization";
  return names.includes(CHART_FILE) ? "chart" : "plain";
}

/** Argo CD evaluates these in a plain folder. Without them, their objects would be deleted. */
export function jsonnetFileOf(names: readonly string[]): string | undefined {
  return names.find((name) => name.endsWith(".jsonnet"));
}

/**
 * The root of the received files: the folder without the end that it shares with the path of the application. With the
 * annotation manifest-generate-paths, Argo CD sends only a part of the repository, so the path may be incomplete.
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
