import { BUILD_METADATA } from "../../../base/hosts/krm.ts";
import { KUSTOMIZATION_FILES } from "../../../base/hosts/kustomize.ts";

// With `buildMetadata`, kustomize writes into annotations which file an object comes from, and which files changed it.
// Some files have another path in the stage. These annotations get the paths of the repository, so that nothing seems
// to change if the number of a copy changes.

/** The lines for a file, by the path at which kustomize finds it; no lines if its entry is left out. */
export type OriginPaths = Map<string, readonly string[]>;

/** The rendering of a chart, in the kustomization that replaces it. */
export const INFLATED_CHART = "chart.yaml";

/** The first line of each annotation. */
const HEADERS: ReadonlySet<string> = new Set(BUILD_METADATA.map((key) => `    ${key}: |`));

/** The output of kustomize, with the paths of the repository. */
export function withOrigins(printed: string, origins: OriginPaths): string {
  if (origins.size === 0 || !BUILD_METADATA.some((key) => printed.includes(key))) return printed;
  const lines: string[] = [];
  // The first line of the current annotation, until the annotation has content.
  let header: string | undefined;
  let isLeft = false;
  for (const line of printed.split("\n")) {
    const [, space = "", dash = "", field = "", path = ""] = /^( +)(- )?(path|configuredIn): (.+)$/u.exec(line) ?? [];
    const shownLines = field === "" ? undefined : origins.get(path);
    // Lines with more indentation belong to the entry that is left out.
    if (isLeft && line.startsWith("        ")) continue;
    isLeft = shownLines?.length === 0;
    if (isLeft) continue;
    if (header !== undefined && line.startsWith("      ")) lines.push(header);
    header = HEADERS.has(line) ? line : undefined;
    if (header !== undefined) continue;
    if (shownLines === undefined) lines.push(line);
    else {
      const [first = "", ...others] = shownLines.length > 1 ? shownLines : [`${field}: ${shownLines[0] ?? ""}`];
      lines.push(`${space}${dash}${first}`, ...others.map((other) => `${space}${other}`));
    }
  }
  return lines.join("\n");
}

/** What kustomize would write for objects of an inflated chart. Here they come from a kustomization of their own. */
export function chartOrigins(at: string, kustomization: string): OriginPaths {
  const by = ["configuredBy:", "  apiVersion: builtin", "  kind: HelmChartInflationGenerator"];
  return new Map([
    [`${at}/${INFLATED_CHART}`, [`configuredIn: ${kustomization}`, ...by]],
    [`${at}/${KUSTOMIZATION_FILES[0]}`, []],
  ]);
}
