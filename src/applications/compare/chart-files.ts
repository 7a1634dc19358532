import { posix } from "node:path";
import { quietly } from "../../base/errors.ts";
import { once } from "../../base/grouped.ts";
import { CHARTS_FOLDER, DEPENDENCY_FILES } from "../../base/hosts/helm.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import { isInFolder, pathFrom } from "../discover/paths.ts";
import { ignoreLines } from "../discover/source-ignore.ts";
import { leftOut } from "../render/source-artifact.ts";
import { localDependencies } from "../tools/chart-dependencies.ts";

// Which files of a chart its rendering can depend on, by their paths in the chart.

/** A chart, or one of this repository that it depends on. */
export interface ChartPart {
  readonly folder: string;
  /** Where it is in the chart when Helm renders it: `charts/redis/`. */
  readonly within: string;
}

/** Umbrella charts have tens. */
const MOST_PARTS = 200;

/** A chart and the charts of this repository that it depends on (`file://`), each once. */
export function chartParts(snapshot: Snapshot, chart: string): readonly ChartPart[] {
  const parts: ChartPart[] = [{ folder: chart, within: "" }];
  const known = new Set([chart]);
  for (const { folder, within } of parts)
    for (const file of DEPENDENCY_FILES) {
      const read = snapshot.read(posix.join(folder, file));
      const all = read.is === "text" ? quietly(() => localDependencies(read.text, file, snapshot.limits)) : undefined;
      for (const dependency of all ?? []) {
        const path = pathFrom(folder, dependency.folder);
        if (path === undefined || known.has(path) || parts.length === MOST_PARTS) continue;
        known.add(path);
        parts.push({ folder: path, within: `${within}${CHARTS_FOLDER}/${dependency.alias}/` });
      }
    }
  return parts;
}

/** Subcharts that a chart contains, around a file. */
const SUBCHARTS = /^(?:charts\/[^/]+\/)*/u;

const TEMPLATE = /^(?:charts\/[^/]+\/)*templates\/(?!tests\/)(?:.*)\.(?:ya?ml|tpl)$/u;

/** Whether a file of a chart is a template of objects, also of a subchart. */
export function isTemplate(inChart: string): boolean {
  return TEMPLATE.test(inChart);
}

/** What no template of a chart reads, unless it names it: documentation, tests, and what describes the chart. */
const BESIDE =
  /(?:^|\/)\.|^(?:ci|docs?|examples?|tests?|unittests?)\/|\.md(?:\.gotmpl)?$|^(?:LICENSE|NOTICE|OWNERS|Makefile)$|^(?:Chart|requirements)\.(?:ya?ml|lock)$|^values\.schema\.json$/u;

/** Values, which other rules are about: `values.yaml`, `values-prod.yaml`, `prod-values.yml`. */
const VALUES = /^(?:.+[-._])?values(?:[-._].+)?\.ya?ml$/u;

/** Tests whether a file may change what a chart gives with some values. */
export function isInput(snapshot: Snapshot, chart: string): (inChart: string) => boolean {
  const isIgnored = ignoredIn(snapshot, chart);
  return (inChart) => {
    const ownPath = inChart.replace(SUBCHARTS, "");
    if (ownPath.startsWith("templates/")) return isTemplate(inChart);
    if (VALUES.test(posix.basename(ownPath))) return ownPath === "values.yaml";
    return !BESIDE.test(ownPath) && !isIgnored(inChart);
  };
}

/** Tests whether the templates of a chart may read a file with `.Files`, by a name that may depend on values. */
export function readByTemplates(snapshot: Snapshot, chart: string): (inChart: string) => boolean {
  const isIgnored = ignoredIn(snapshot, chart);
  const uses = once(() =>
    snapshot.files
      .filter((file) => isInFolder(chart, file) && isTemplate(posix.relative(chart, file)))
      .flatMap((file) => {
        const read = snapshot.read(file);
        const [subchart = ""] = SUBCHARTS.exec(posix.relative(chart, file)) ?? [];
        return read.is === "text" ? usesIn(read.text).map((use) => ({ subchart, ...use })) : [];
      }),
  );
  return (inChart) => {
    const [subchart = ""] = SUBCHARTS.exec(inChart) ?? [];
    const ownPath = inChart.slice(subchart.length);
    if (/^(?:templates|charts)\//u.test(ownPath) || VALUES.test(posix.basename(ownPath))) return false;
    return (
      uses().some(
        (use) =>
          use.subchart === subchart &&
          (use.isWhole
            ? ownPath === use.start
            : ownPath.startsWith(use.start) && !(use.start === "" && BESIDE.test(ownPath))),
      ) && !isIgnored(inChart)
    );
  };
}

interface Use {
  /** What the name of the file is, or begins with. */
  readonly start: string;
  readonly isWhole: boolean;
}

// Without an end, all that follows: searches read the text once.
const COMMENT = /\{\{-?\s{0,10}\/\*(?:[^]*?\*\/|[^]*)/gu;

/** `.Files`, its function, and the name that it gets: a string, also a format, or a variable. */
const FILES =
  /\.Files\b(?:\.\w+[ \t]+(?:(\([ \t]*printf?[ \t]+)?(?:"([^"\n]*)"|`([^`\n]*)`)|(\$\w+|\.)(?=[\s)|}])))?/gu;

/** The variables that a loop over the files of a pattern sets; without one, `.`. */
const LISTED = /\brange[ \t]+(?:(\$\w+)[ \t]*(?:,[ \t]*(\$\w+)[ \t]*)?:=)?[^{}]{0,200}\.Files\.Glob\b/gu;

/** The files of a pattern in a variable: which other variables are their names is not looked for. */
const ASSIGNED = /\{\{-?[ \t]*\$\w+[ \t]*:?=[^{}]{0,200}\.Files\.Glob\b/u;

/** What a template reads with `.Files`. */
function usesIn(text: string): readonly Use[] {
  if (!text.includes(".Files")) return [];
  const code = text.replaceAll(COMMENT, "");
  // Their names are those of the pattern.
  const listed = new Set([...code.matchAll(LISTED)].flatMap(([, key = ".", content = "."]) => [key, content]));
  const isAssigned = ASSIGNED.test(code);
  return [...code.matchAll(FILES)].flatMap(([, format, quoted, raw = quoted, variable]): Use[] => {
    if (variable !== undefined && (isAssigned || listed.has(variable))) return [];
    const name = raw ?? "";
    const special = name.search(/[%*?[{\\]/u);
    return [
      {
        start: special < 0 ? name : name.slice(0, special),
        isWhole: raw !== undefined && format === undefined && special < 0,
      },
    ];
  });
}

/** Tests whether the .helmignore of a chart excludes a file. */
function ignoredIn(snapshot: Snapshot, chart: string): (inChart: string) => boolean {
  const lines = once(() => {
    const read = snapshot.read(posix.join(chart, ".helmignore"));
    return read.is === "text" ? ignoreLines(read.text, chart) : [];
  });
  return (inChart) => lines().length > 0 && leftOut(lines(), snapshot.limits)(posix.join(chart, inChart), false);
}
