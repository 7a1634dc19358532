import { BUILD_METADATA } from "../../../base/hosts/krm.ts";
import { KUSTOMIZATION_FILES } from "../../../base/hosts/kustomize.ts";

// `buildMetadata` of a kustomization writes into annotations from which files kustomize has each object, and which changed it.
// Some of these stand elsewhere in a copy that is built (staged-kustomization.ts): what is printed tells of them as of the
// repository's own, so that nothing seems to have changed where a copy has got another number.

/** What is told of files, by the path at which kustomize finds them: the lines to stand there; none where nothing is told. */
export type OriginPaths = Map<string, readonly string[]>;

/** What a chart renders to, in the kustomization that stands for it. */
export const INFLATED_CHART = "chart.yaml";

/** The line with which one of the annotations begins. */
const HEADERS: ReadonlySet<string> = new Set(BUILD_METADATA.map((key) => `    ${key}: |`));

/** What kustomize printed, with the paths of the repository. */
export function withOrigins(printed: string, origins: OriginPaths): string {
  if (origins.size === 0 || !BUILD_METADATA.some((key) => printed.includes(key))) return printed;
  const lines: string[] = [];
  // The line of an annotation that we are in, until something stands in it.
  let header: string | undefined;
  let isLeft = false;
  for (const line of printed.split("\n")) {
    const [, space = "", dash = "", field = "", path = ""] = /^( +)(- )?(path|configuredIn): (.+)$/u.exec(line) ?? [];
    const told = field === "" ? undefined : origins.get(path);
    // What stands further in is of the entry that is left out.
    if (isLeft && line.startsWith("        ")) continue;
    isLeft = told?.length === 0;
    if (isLeft) continue;
    if (header !== undefined && line.startsWith("      ")) lines.push(header);
    header = HEADERS.has(line) ? line : undefined;
    if (header !== undefined) continue;
    if (told === undefined) lines.push(line);
    else {
      const [first = "", ...others] = told.length > 1 ? told : [`${field}: ${told[0] ?? ""}`];
      lines.push(`${space}${dash}${first}`, ...others.map((other) => `${space}${other}`));
    }
  }
  return lines.join("\n");
}

/** What kustomize tells of objects of a chart that it inflates, which here are a kustomization of their own. */
export function chartOrigins(at: string, kustomization: string): OriginPaths {
  const by = ["configuredBy:", "  apiVersion: builtin", "  kind: HelmChartInflationGenerator"];
  return new Map([
    [`${at}/${INFLATED_CHART}`, [`configuredIn: ${kustomization}`, ...by]],
    [`${at}/${KUSTOMIZATION_FILES[0]}`, []],
  ]);
}
