import type { ChartChecksum } from "../setup/migrate/chart-checksums.ts";
import { formatPlace } from "../base/errors.ts";
import { describe, placeOf, type Item } from "../yaml/read/items.ts";
import type { AnnotationElsewhere } from "../setup/migrate/annotations-elsewhere.ts";
import type { MigratedSource, MigratedWorkload, Migration } from "../setup/migrate/migrate.ts";
import type { PeerAnnotation } from "../setup/migrate/peer-annotations.ts";
import { printable } from "../findings/results/terminal.ts";
import { counted, pluralize } from "../base/words.ts";

export interface MigrateReport {
  readonly migrations: readonly Migration[];
  readonly charts: readonly ChartChecksum[];
  /** Of files of values. */
  readonly values: readonly AnnotationElsewhere[];
  /** Whether a configuration says which workloads are stamped. */
  readonly isConfigured: boolean;
  readonly written: boolean;
}

/** What peers do today, what rollstamp will do, and where the two differ. */
export function migrateText({ migrations, charts, values, isConfigured, written }: MigrateReport): string {
  const workloads = migrations.flatMap((migration) => migration.workloads);
  const sources = migrations.flatMap((migration) => migration.sources);
  const elsewhere = [...migrations.flatMap((migration) => migration.elsewhere), ...values];
  if (workloads.length + sources.length + charts.length + elsewhere.length === 0)
    return "No annotation of Reloader or Wave is here, and no checksum of a chart.\n";
  const sections = [
    ...workloads.map(workloadLines),
    ...sources.map(sourceLines),
    ...charts.map(chartLines),
    ...elsewhere.map(elsewhereLines),
    elsewhereSummary(elsewhere),
    summary(workloads, isConfigured, written),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.map(printable).join("\n")}\n`)
    .join("\n");
}

const LABEL = 10;

/** A labelled field; the lines behind the first stand below it. */
function field(label: string, lines: readonly string[]): string[] {
  return lines.map((line, i) => `  ${(i === 0 ? label : "").padEnd(LABEL)}${line}`);
}

function head(item: Item): string {
  return `${describe(item)}  ${formatPlace(placeOf(item.tree, item.node))}`;
}

function workloadLines({ decision, annotations, own, today, later, differences }: MigratedWorkload): string[] {
  const { item } = decision.workload;
  const [now, then] = [new Set(today), new Set(later)];
  const changes = [
    ...(today ?? []).filter((name) => !then.has(name)).map((name) => `${name} will not roll it any more`),
    ...(today === undefined ? [] : later.filter((name) => !now.has(name))).map(
      (name) => `${name} will roll it as well`,
    ),
    ...differences,
  ];
  return [
    head(item),
    ...field("today", [
      ...annotations.map(annotationText),
      today === undefined ? "rolled by the text that the chart digests" : rolledBy(today),
    ]),
    ...field("then", [...ownLines(own), isSame(today, later) ? "rolled by the same" : rolledBy(later)]),
    ...field("differs", changes),
  ];
}

function isSame(today: readonly string[] | undefined, later: readonly string[]): boolean {
  return today !== undefined && today.join() === later.join();
}

function sourceLines({ item, annotations, own }: MigratedSource): string[] {
  return [
    head(item),
    ...field("today", annotations.map(annotationText)),
    ...field("then", own.size > 0 ? ownLines(own) : ["no annotation: the workloads name it"]),
  ];
}

function annotationText({ peer, key, value }: PeerAnnotation): string {
  return `${peer}: ${key}: ${JSON.stringify(value)}`;
}

function ownLines(own: ReadonlyMap<string, string>): string[] {
  if (own.size === 0) return ["no annotation"];
  return [...own].map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
}

function rolledBy(names: readonly string[]): string {
  return names.length === 0 ? "rolled by nothing" : `rolled by ${names.join(", ")}`;
}

function chartLines({ file, line, key, digests }: ChartChecksum): string[] {
  return [
    `Helm template  ${file}:${line}`,
    ...field("today", [
      `Helm: ${key}${digests.length === 0 ? "" : `, a digest of ${digests.join(", ")} as rendered: labels and the chart's version too`}`,
    ]),
    ...field("then", [
      "rollstamp as Helm's post-renderer stamps what the pods see; 'checksums: Remove' takes this annotation out of the rendering",
    ]),
  ];
}

function elsewhereLines({ place, annotation, item, field: at, release, isOfPods, own }: AnnotationElsewhere): string[] {
  const words = ownLines(new Map(own)).join(", ");
  const where = isOfPods ? "on the workload that the chart makes" : "in its place";
  const then = [
    ...(release === undefined ? [] : [`on the ${item?.kind ?? ""} itself${RELEASE_WORDS[release]}: ${words}`]),
    `where what is rendered is stamped, ${where}: ${words}`,
  ];
  return [
    `${item === undefined ? "Values" : describe(item)}  ${formatPlace(place)}`,
    ...field("today", [`${annotationText(annotation)}${at === "" ? "" : `, in ${at}`}`]),
    ...field("then", own.length === 0 ? ["no annotation that can be told from here: look at what it names"] : then),
  ];
}

const RELEASE_WORDS = {
  known: ", whose values take stamps",
  unknown: ", once an entry of 'workloads' says where its chart annotates pods",
} as const;

function elsewhereSummary(elsewhere: readonly AnnotationElsewhere[]): string[] {
  const count = elsewhere.length;
  if (count === 0) return [];
  return [
    `${counted(count, "annotation")} of peers ${pluralize(count, "stands", "stand")} among values and in texts: ${pluralize(count, "it is", "they are")} told, and not edited.`,
  ];
}

function summary(workloads: readonly MigratedWorkload[], isConfigured: boolean, written: boolean): string[] {
  if (workloads.length === 0) return [];
  const same = workloads.filter(({ today, later }) => isSame(today, later)).length;
  const others = workloads.length - same;
  const count = `${counted(workloads.length, "workload")}: ${same} rolled by the same sources as today${others > 0 ? `, ${others} by others` : ""}.`;
  return [
    count,
    ...(isConfigured
      ? []
      : [
          "Put 'selection: Annotated' into rollstamp.yaml or the function's configuration: without it every workload is stamped.",
        ]),
    "The first stamps roll each of them once. Take the controller off these workloads in the same commit: both would roll them.",
    ...(written ? [] : ["Nothing was written: --write turns these annotations into rollstamp's."]),
  ];
}
