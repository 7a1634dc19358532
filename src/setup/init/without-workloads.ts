import { posix } from "node:path";
import { CHART_FILE, REQUIREMENTS_FILE } from "../../base/hosts/helm.ts";
import type { InitFolder } from "../../platform/ports/files.ts";
import { folderAt, kindsIn, partsOf } from "./kustomizations.ts";

// What renders no workload needs no check, and one of it could not be green: nothing is examined in it. Only reported for
// what can be told from texts in the repository: where anything comes from elsewhere, there may be workloads.

/** The charts whose templates name kinds without pods alone, and that have no dependencies. From the repository's root. */
export function chartsWithoutWorkloads(
  folder: InitFolder,
  charts: readonly string[],
  workloadKinds: ReadonlySet<string>,
): string[] {
  if (charts.length === 0) return [];
  const files = folder.findInRepository("**/{templates,charts}/**").map((path) => posix.join(folder.path, path));
  const kinds = new Set([...workloadKinds].map((kind) => kind.slice(kind.indexOf("/") + 1)));
  const byChart = new Map(charts.map((chart) => [chart, [] as string[]]));
  for (const file of files) byChart.get(file.replace(/(?:^|\/)(?:templates|charts)\/.*$/u, "") || ".")?.push(file);
  return charts.filter((chart) => {
    const own = byChart.get(chart) ?? [];
    const read = (path: string): string => folder.read(posix.join(folder.repository, path)) ?? "";
    const isDependent =
      own.some((file) => file.startsWith(posix.join(chart, "charts/"))) ||
      read(posix.join(chart, REQUIREMENTS_FILE)) !== "" ||
      /^dependencies\s*:/mu.test(read(posix.join(chart, CHART_FILE)));
    return !isDependent && own.length > 0 && own.every((file) => !mayHoldWorkload(read(file), kinds));
  });
}

/** Whether anything that a kustomization builds from may be a workload. */
export function mayBuildWorkloads(
  folder: InitFolder,
  at: string,
  all: ReadonlyMap<string, string>,
  workloadKinds: ReadonlySet<string>,
): boolean {
  const closure = new Set([at]);
  for (const each of closure) {
    const text = all.get(each);
    if (text === undefined || MAKERS.test(text)) return true;
    for (const part of partsOf(text)) {
      const there = folderAt(each, part);
      if (all.has(there)) closure.add(there);
      else if (!isFile(there)) return true;
      else if (kindsOf(folder, there).some((kind) => /(?:\/|List)$/u.test(kind) || workloadKinds.has(kind)))
        return true;
    }
  }
  return false;
}

// What makes objects of something else than files of its own.
const MAKERS = /^(?:helmCharts|helmChartInflationGenerator|generators|transformers)\s*:/mu;

/** The kinds of a manifest, each as `apps/Deployment`; without a name where it isn't there. */
function kindsOf(folder: InitFolder, path: string): readonly string[] {
  const text = folder.read(posix.join(folder.repository, path));
  return text === undefined ? ["/"] : kindsIn(text);
}

/** A manifest of this repository: what is fetched has another form, or isn't there. */
function isFile(path: string): boolean {
  return /\.(?:ya?ml|json)$/u.test(path) && !path.startsWith("../");
}

const KIND = /(?<![\w-])kind["']?[ \t]*:[ \t]*([^\n]*)/gu;

/** True unless every kind that a template names is one without pods. */
function mayHoldWorkload(text: string, kinds: ReadonlySet<string>): boolean {
  return [...text.matchAll(KIND)].some(([, written = ""]) => {
    const kind = /^["']?([A-Za-z][A-Za-z0-9]*)["']?(?=[\s,}]|$)/u.exec(written)?.[1];
    return kind === undefined || kind === "List" || kinds.has(kind);
  });
}
