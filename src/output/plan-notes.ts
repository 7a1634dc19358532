import { code, codes, labelled, paragraph, row, strong } from "./document/blocks.ts";
import { sumOf } from "../base/grouped.ts";
import { alikeGroups } from "../base/alike.ts";
import { counted, pluralize } from "../base/words.ts";
import { notExaminedGroups } from "../findings/not-examined/account-words.ts";
import type { MissingPart, PlannedApplication } from "../reports/plan/planned-application.ts";
import type { HeldRow, ReportRows } from "../reports/plan/rows/row-types.ts";
import type { Block, Words } from "./document/document.ts";
import { labelWord, signOf, toneOf } from "./plan-labels.ts";
import { objectWords } from "./plan-names.ts";
import { causeLines, type RowContext } from "./plan-row-parts.ts";
import { failureEffect, podsText } from "./plan-words.ts";

// What a report says below its rows: changes that are not applied, and what was not compared.

/** How many lines of one sort of notes a report has. */
const MOST_NOTES = 5;

/** The notes of a report, each sort with its first lines. */
export function noteBlocks(rows: ReportRows, context: RowContext, isVerbose: boolean): readonly Block[] {
  const { report } = context;
  const { unread = [], moreUnread = 0, applications = [] } = report;
  const files = unread.filter(({ mayApply }) => !mayApply).map(({ path }) => path);
  const groups = notExaminedGroups(report, { command: "plan", verbose: isVerbose });
  return [
    ...limited(rows.held.flatMap((one) => heldRow(one, context))),
    ...limited(orphanRows(rows.orphans)),
    ...(files.length === 0
      ? []
      : [
          paragraph([
            strong("Not read: "),
            ...codes(files, MOST_NOTES, moreUnread),
            ` ${pluralize(files.length + moreUnread, "changes", "change")}, and nothing reads ${pluralize(files.length + moreUnread, "it", "them")}`,
          ]),
        ]),
    ...limited(partialNotes(applications)),
    ...limited(
      groups.map(({ what, names, more, only, look }) =>
        paragraph([
          strong("Not examined: "),
          ...(only === undefined
            ? [`${what} (`, ...codes(names, Infinity, more), ")"]
            : [`${only.what} `, code(only.name), ...(only.path === undefined ? [] : [" (", code(only.path), ")"])]),
          ": ",
          code(look),
        ]),
      ),
    ),
  ];
}

function limited(blocks: readonly Block[]): readonly Block[] {
  const more = blocks.length - MOST_NOTES;
  return more <= 0 ? blocks : [...blocks.slice(0, MOST_NOTES), paragraph(`and ${more} more`)];
}

const GREY = { tone: toneOf(undefined), sign: signOf("held", undefined) };

const HELD = {
  Suspended: { what: "suspended", until: "Flux applies nothing of it until it is resumed" },
  ChartVersion: {
    what: "its chart version does not change (reconcileStrategy ChartVersion)",
    until: "Flux takes the changed chart when its version changes",
  },
} as const;

function heldRow({ held, applications, workloads, objects, causes }: HeldRow, context: RowContext): readonly Block[] {
  const { what, until } = HELD[held];
  const pods = sumOf(workloads, (workload) => workload.pods);
  const distinct = new Map(workloads.map((workload) => [`${workload.kind} ${workload.name}`, workload]));
  const [workload, ...others] = distinct.values();
  const which: Words =
    workload === undefined
      ? [`${counted(objects, "object")} ${pluralize(objects, "changes", "change")}`]
      : others.length > 0
        ? [counted(workloads.length, "workload changes", "workloads change")]
        : [...objectWords(workload), ` ${workload.action === "Roll" ? "rolls" : "changes"}`];
  const size = podsText(pods);
  const places =
    applications.length === 0 ? [counted(workloads.length, "workload")] : codes(applications.map(({ name }) => name));
  return [
    row({ ...GREY, label: labelWord("held"), words: places, effect: [what] }, [
      paragraph([`${until}; then `, ...which, size === undefined ? "" : ` (${size})`]),
      ...(causes.length === 0 ? [] : [labelled("Cause", causeLines(causes, context.most.causes, workloads))]),
    ]),
  ];
}

function orphanRows(orphans: readonly PlannedApplication[]): readonly Block[] {
  return orphans.map((application) => {
    const failure = application.status === "Failed" ? `; it ${failureEffect(application)}` : "";
    return row({
      ...GREY,
      label: labelWord("orphan"),
      words: [code(application.name)],
      effect: [`no Argo CD or Flux object leads to it; nothing applies it${failure}`],
    });
  });
}

/** What applications were rendered without: one line for each missing part. */
function partialNotes(applications: readonly PlannedApplication[]): readonly Block[] {
  const missing = applications.flatMap(({ name, partial = [] }) => partial.map((part) => ({ name, part })));
  return alikeGroups(missing, ({ part }: { readonly part: MissingPart }) => ({
    message: `${part.path}\n${part.reason}`,
  })).map(({ all: [first, ...others] }) =>
    paragraph([
      strong("Partial: "),
      ...codes([first, ...others].map(({ name }) => name)),
      ` ${pluralize(others.length + 1, "is", "are")} rendered without `,
      code(first.part.path),
      `: ${first.part.reason}`,
    ]),
  );
}
