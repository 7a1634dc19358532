import { isChecksum } from "../../base/hosts/chart-marks.ts";
import { comparing, type Limits, type Spend } from "../../base/limits.ts";
import { addTo, groupedBy } from "../../base/grouped.ts";
import { describe, placeOf, type Item } from "../../yaml/read/items.ts";
import { listedSources, type ListedSources } from "../../stamping/policy/listed-sources.ts";
import type { Counted, Decision } from "../../stamping/policy/types.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import { templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";
import type { ChartChecksum } from "./chart-checksums.ts";

// What a checksum of a rendering is over: the line of the chart's template that writes it names other templates, and Helm
// says of each object from which template it is.

/**
 * What becomes of what a checksum is over. `covered`: the pods see it, and stamps are over it. `lost`: it is over a source
 * that the pods don't name, so that nothing would roll them when it changes. `nothing`: it is over no source. `unknown`: the
 * chart's line names no template, such as a value of the chart, or no line of the chart writes it.
 */
export type Coverage = "covered" | "lost" | "nothing" | "unknown";

export interface CoveredChecksum {
  readonly workload: Item;
  readonly key: string;
  /** The line of the chart that writes it. */
  readonly written: Pick<ChartChecksum, "file" | "line"> | undefined;
  readonly coverage: Coverage;
  /** What the line digests, as it names that. */
  readonly digests: readonly string[];
  /** The sources among the objects of those templates: those that the pods see, those that they don't. */
  readonly seen: readonly Source[];
  readonly unseen: readonly Source[];
  /** The keys of those of which the pods see only these: a change of another key rolls nothing. */
  readonly onlyKeys: ReadonlyMap<Source, readonly string[]>;
  /** The other objects of those templates, in words. */
  readonly others: readonly string[];
  /** What an annotation or an override names for the workload already. */
  readonly listed: ListedSources;
}

/** A rendering, and what is known of the chart. */
export interface RenderedChart {
  readonly items: readonly Item[];
  readonly sources: readonly Source[];
  readonly decisions: readonly Decision[];
  /** The template of each line of the rendering. */
  readonly templateAt: (line: number) => string | undefined;
  /** The checksum lines of the chart's templates, and of the charts in it. */
  readonly lines: readonly ChartChecksum[];
}

/** What the checksums of a rendering's workloads are over, in the order of the rendering. */
export function coveredChecksums(chart: RenderedChart): CoveredChecksum[] {
  const { items, decisions, templateAt } = chart;
  const byTemplate = new Map<string, Item[]>();
  const templateOf = new Map<Item, string>();
  for (const item of items) {
    const { line } = placeOf(item.tree, item.node);
    const template = line === undefined ? undefined : templateAt(line);
    if (template === undefined) continue;
    templateOf.set(item, template);
    addTo(byTemplate, template, item);
  }
  const sourcesOf = new Map<Item, Source[]>();
  for (const source of chart.sources) sourcesOf.set(source.item, [...(sourcesOf.get(source.item) ?? []), source]);
  const spend = comparing("checksums with the chart's lines and with what they are over");
  const find = linesByKey(chart.lines, spend);
  return decisions.flatMap((decision) => {
    const references = decision.templates.flatMap(({ counted, leftOut }) => [...counted, ...leftOut]);
    const seen = new Set(references.map(({ source }) => source));
    const onlyKeys = keysOf(references);
    const listed = listedSources(decision);
    return decision.workload.templates.flatMap((template) =>
      [...templateAnnotations(template)]
        .filter(([key, value]) => isChecksum(key, value))
        .map(([key]): CoveredChecksum => {
          const own = templateOf.get(template.item) ?? "";
          const written = find(key, own, template.item.tree.limits);
          const digests = written?.digests ?? [];
          const templates = digests.filter((digest) => !digest.startsWith("."));
          const objects = templates.flatMap((digest) => byTemplate.get(besideTemplate(own, digest)) ?? []);
          // Each stands in what is printed.
          spend((templates.length + objects.length) * STEPS_OF_AN_OBJECT, template.item.tree.limits);
          const found = objects.flatMap((item) => sourcesOf.get(item) ?? []);
          const unseen = found.filter((source) => !seen.has(source));
          const coverage: Coverage =
            templates.length === 0 ? "unknown" : unseen.length > 0 ? "lost" : found.length > 0 ? "covered" : "nothing";
          return {
            workload: template.item,
            key,
            written,
            coverage,
            digests,
            seen: found.filter((source) => seen.has(source)),
            unseen,
            onlyKeys,
            others: objects.filter((item) => !sourcesOf.has(item)).map(describe),
            listed,
          };
        }),
    );
  });
}

/** The keys that the pods see of each source, but for those of which they see all. */
function keysOf(references: readonly Pick<Counted, "reference" | "source">[]): Map<Source, readonly string[]> {
  const keys = new Map<Source, Set<string>>();
  const whole = new Set<Source>();
  for (const { reference, source } of references) {
    if (source === undefined) continue;
    const known = keys.get(source) ?? new Set<string>();
    keys.set(source, known);
    if (reference.keys === "*") whole.add(source);
    else for (const key of reference.keys) known.add(key);
  }
  return new Map(
    [...keys].filter(([source]) => !whole.has(source)).map(([source, some]) => [source, [...some].sort()]),
  );
}

const TEMPLATES = /^(.*\/)?templates\//u;

/** `web/charts/db/templates/a.yaml` for `/a.yaml` beside a template of the same chart. */
function besideTemplate(own: string, digest: string): string {
  const folder = TEMPLATES.exec(own)?.[0] ?? "";
  return `${folder}${digest.replace(/^\/+/u, "")}`;
}

type FindLine = (key: string, template: string, limits: Limits) => ChartChecksum | undefined;

/** Finds the line that writes a checksum: in the workload's own template, else in another one of its chart. */
function linesByKey(lines: readonly ChartChecksum[], spend: Spend): FindLine {
  const byKey = groupedBy(lines, ({ key }) => key);
  const found = new Map<string, ChartChecksum | undefined>();
  return (key, template, limits) => {
    // Many workloads of one template have the same.
    const asked = `${key}\n${template}`;
    if (found.has(asked)) return found.get(asked);
    const all = byKey.get(key) ?? [];
    spend(all.length * STEPS_OF_A_LINE, limits);
    // Behind the chart's name: its folder may have another one.
    const path = template.slice(template.indexOf("/") + 1);
    const folder = TEMPLATES.exec(path)?.[0] ?? "templates/";
    const line =
      outermost(all.filter(({ file }) => `/${slashes(file)}`.endsWith(`/${path}`))) ??
      outermost(all.filter(({ file }) => `/${slashes(file)}`.includes(`/${folder}`)));
    found.set(asked, line);
    return line;
  };
}

// In steps of comparing characters: a path is some hundred of them, an object some lines of output.
const STEPS_OF_A_LINE = 100;
const STEPS_OF_AN_OBJECT = 1000;

/** The one of the outermost chart: charts in it have longer paths. */
function outermost(lines: readonly ChartChecksum[]): ChartChecksum | undefined {
  let found: ChartChecksum | undefined;
  for (const line of lines) if (found === undefined || line.file.length < found.file.length) found = line;
  return found;
}

const slashes = (path: string): string => path.replaceAll("\\", "/");
