import { fields, list, paragraph, titled } from "./document/blocks.ts";
import { formatPlace } from "../base/errors.ts";
import { describe, placeOf, type Item } from "../yaml/read/items.ts";
import type { AnnotationElsewhere } from "../setup/migrate/annotations-elsewhere.ts";
import type { MigratedSource, MigratedWorkload, Migration } from "../setup/migrate/migrate.ts";
import type { Difference } from "../setup/migrate/differences.ts";
import type { ChartChecksum, OwnAnnotations, PeerAnnotation } from "../setup/migrate/peer-annotations.ts";
import type { Block, Document } from "./document/document.ts";
import { RELOADER_MATCH, RELOADER_SEARCH } from "../base/hosts/peers.ts";
import { SOURCES } from "../base/keys.ts";
import { counted, pluralize } from "../base/words.ts";

export interface MigrateReport {
  readonly migrations: readonly Migration[];
  readonly charts: readonly ChartChecksum[];
  /** Annotations in values files, and in files that are no manifests. */
  readonly others: readonly AnnotationElsewhere[];
  /** Whether there is a configuration that selects the workloads. */
  readonly isConfigured: boolean;
  readonly written: boolean;
}

/** What peers do today, what rollstamp will do, and where they differ. */
export function migrateDocument(
  { migrations, charts, others, isConfigured, written }: MigrateReport,
  notExamined: readonly Block[],
): Document {
  const workloads = migrations.flatMap((migration) => migration.workloads);
  const sources = migrations.flatMap((migration) => migration.sources);
  const elsewhere = [...migrations.flatMap((migration) => migration.elsewhere), ...others];
  const found = [
    ...workloads.map(workloadBlock),
    ...sources.map(sourceBlock),
    ...charts.map(chartBlock),
    ...elsewhereBlocks(elsewhere),
  ];
  const summaries = summary(workloads, isConfigured, written);
  const blocks =
    found.length === 0
      ? [paragraph("No annotations of Reloader or Wave and no chart checksums found.")]
      : [...found, ...summaries.map((lines) => list(lines))];
  return { title: "migrate", blocks: [...blocks, ...notExamined] };
}

function titleOf(item: Item): string {
  return `${describe(item)}  ${formatPlace(placeOf(item.tree, item.node))}`;
}

function workloadBlock({ decision, annotations, replacement, today, later, differences }: MigratedWorkload): Block {
  const { item } = decision.workload;
  const [now, then] = [new Set(today), new Set(later)];
  const changes = [
    ...(today ?? []).filter((name) => !then.has(name)).map((name) => `${name} will no longer roll it`),
    ...(today === undefined ? [] : later.filter((name) => !now.has(name))).map((name) => `${name} will also roll it`),
    ...differences.map(differenceText),
  ];
  return titled(
    titleOf(item),
    fields([
      [
        "today",
        [
          ...annotations.map(annotationText),
          today === undefined ? "rolled by the text that the chart digests" : rolledBy(today),
        ],
      ],
      ["then", [...ownLines(replacement), isSame(today, later) ? "rolled by the same sources" : rolledBy(later)]],
      ["differs", changes],
    ]),
  );
}

function differenceText(difference: Difference): string {
  switch (difference.is) {
    case "fewerKeys":
      return `${difference.source}: only its ${pluralize(difference.keys.length, "key")} ${difference.keys.join(", ")}, which the pods see, will roll it; today any change does`;
    case "invalidExpression":
      return `the expression '${difference.text}' is invalid and matches nothing: ${difference.problem}`;
    case "expression":
      return `the expression '${difference.text}' becomes the names that it matches now: add later sources to ${SOURCES}`;
    case "search":
      return `${RELOADER_SEARCH} becomes the names of the sources that have ${RELOADER_MATCH} now: add later sources to ${SOURCES}`;
    case "missingSources":
      return `${difference.names.join(", ")}: not in these files, so not stamped: render here what creates it in the cluster, or it stays unwatched`;
    case "cronJob":
      return "Reloader starts a Job at once; with a stamp, the next run uses the new content";
    case "job":
      return "Reloader deletes and recreates the Job; rollstamp does not restart Jobs";
    case "timing":
      return `${difference.key} has no counterpart: the commit is the rollout`;
    case "wave":
      return "init containers count too, unlike in Wave; a missing source is a warning, and does not stop pods from being scheduled";
    case "checksum":
      return "a chart's checksum changes with the rendered text, including labels and the chart version; a stamp does not";
  }
}

function isSame(today: readonly string[] | undefined, later: readonly string[]): boolean {
  return today !== undefined && today.join() === later.join();
}

function sourceBlock({ item, annotations, replacement }: MigratedSource): Block {
  return titled(
    titleOf(item),
    fields([
      ["today", annotations.map(annotationText)],
      ["then", replacement.size > 0 ? ownLines(replacement) : ["no annotation: the workloads name it"]],
    ]),
  );
}

function annotationText({ peer, key, value }: PeerAnnotation): string {
  return `${peer}: ${key}: ${JSON.stringify(value)}`;
}

function ownLines(replacement: OwnAnnotations): string[] {
  if (replacement.size === 0) return ["no annotation"];
  return [...replacement].map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
}

function rolledBy(names: readonly string[]): string {
  return names.length === 0 ? "rolled by nothing" : `rolled by ${names.join(", ")}`;
}

function chartBlock({ file, line, key, digests }: ChartChecksum): Block {
  const over =
    digests.length === 0
      ? ""
      : `, a digest of the rendered ${digests.join(", ")}, including labels and the chart version`;
  return titled(
    `Helm template  ${file}:${line}`,
    fields([
      ["today", [`Helm: ${key}${over}`]],
      [
        "then",
        [
          "rollstamp as Helm's post-renderer stamps what the pods see; 'checksums: Remove' removes this annotation from the rendering",
        ],
      ],
    ]),
  );
}

/** Annotations in values and other texts. */
function elsewhereBlocks(all: readonly AnnotationElsewhere[]): Block[] {
  if (all.length === 0) return [];
  const lines = all.map(({ place, annotation }) => `${formatPlace(place)}  ${annotationText(annotation)}`);
  return [
    titled("Not edited, because only a rendering shows what becomes of them (docs/guides/migrate.md):", list(lines)),
  ];
}

function summary(workloads: readonly MigratedWorkload[], isConfigured: boolean, written: boolean): string[][] {
  if (workloads.length === 0) return [];
  const same = workloads.filter(({ today, later }) => isSame(today, later)).length;
  const others = workloads.length - same;
  return [
    [
      `${counted(workloads.length, "workload")}: ${same} rolled by the same sources as today${others > 0 ? `, ${others} by others` : ""}.`,
      ...(isConfigured
        ? []
        : [
            "Set 'selection: Annotated' in rollstamp.yaml or in the function's configuration. Without it, every workload is stamped.",
          ]),
      "The first stamps roll out each of these workloads once. Remove them from the old controller in the same commit: otherwise both roll them out.",
      ...(written ? [] : ["Nothing was written. --write replaces these annotations with those of rollstamp."]),
    ],
  ];
}
