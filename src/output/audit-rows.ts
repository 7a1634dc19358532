import { groupedBy } from "../base/grouped.ts";
import { formatCommit } from "../base/names.ts";
import { counted, formatNumber } from "../base/words.ts";
import type {
  AuditEntry,
  AuditReason,
  RolloutAudit,
  StaleEntry,
  Until,
  WorstEntry,
} from "../reports/audit/audit-report.ts";
import { ROOT } from "../reports/audit/commit-changes.ts";
import { secondsOf, worstGroups } from "../reports/audit/worst.ts";
import { causeOfSource, joinedCauses, type RowCause } from "../reports/plan/rows/row-causes.ts";
import { code, codes, heading, inOneLine, joined, list, row } from "./document/blocks.ts";
import type { Block, Row, Words } from "./document/document.ts";
import { causeLine } from "./plan-causes.ts";
import { podsText } from "./plan-words.ts";

// The worst rows of an audit: which workloads, what a commit did to them, and what ended it.

/** The worst; workloads of one commit and cause are one row. */
export function worstBlocks(audit: RolloutAudit): readonly Block[] {
  const { groups, total } = worstGroups(audit, audit.to.date);
  const rows = groups.map((entries) => worstRow(entries, audit.to.date));
  if (rows.length === 0) return [];
  const title = total > rows.length ? `The worst: ${rows.length} of ${formatNumber(total)}` : "The worst";
  return [heading(2, title), ...rows];
}

const ROWS = {
  Down: { label: "down", tone: "danger", sign: "●" },
  Stale: { label: "stale", tone: "attention", sign: "▲" },
  Avoidable: { label: "avoidable", tone: "muted", sign: "○" },
} as const;

function worstRow(entries: readonly [WorstEntry, ...WorstEntry[]], now: string): Row {
  const [first] = entries;
  const { type, commit, date } = first;
  const pods = podsText(entries.reduce((all, entry) => all + entry.pods, 0));
  const sources = sourceCauses(entries);
  return row(
    {
      ...ROWS[type],
      words: workloadsWords(entries),
      ...(pods === undefined ? {} : { size: pods }),
      effect: type === "Stale" ? staleWords(first, now) : EFFECTS[type],
    },
    [
      list([
        [
          code(formatCommit(commit)),
          ` ${dayOf(date)}: `,
          ...reasonsWords([...(first.content ?? []), ...first.reasons], sources),
        ],
        ...(type === "Stale" && first.until !== null ? [untilWords(first.until, sources)] : []),
      ]),
    ],
  );
}

const EFFECTS = {
  Down: ["all pods stopped before new ones were ready"],
  Avoidable: ["pods were replaced, and had the content already"],
} as const satisfies Readonly<Record<string, Words>>;

const MOST_WORKLOADS = 10;

/** The workloads of a row: the first ones by name, and how many more. */
function workloadsWords(entries: readonly AuditEntry[]): Words {
  const more = entries.length - MOST_WORKLOADS;
  return [
    ...joined([...groupedBy(entries.slice(0, MOST_WORKLOADS), placeOf).values()].map(namesWords)),
    ...(more > 0 ? [` and ${counted(more, "more workload")}`] : []),
  ];
}

function placeOf({ application, workload: { kind } }: AuditEntry): string {
  return JSON.stringify([kind, application]);
}

/** Workloads of one kind in one application. */
function namesWords(entries: readonly [AuditEntry, ...AuditEntry[]]): Words {
  const [{ application, workload }] = entries;
  const names = codes(entries.map(({ workload: { namespace, name } }) => `${namespace}/${name}`));
  return [`${workload.kind} `, ...names, ...(application === ROOT ? [] : [" in ", code(application)])];
}

function staleWords(entry: StaleEntry, now: string): Words {
  const how = entry.seenBy === "env" ? "" : " (mounted files change under the process)";
  return [
    `kept the old content for ${daysText(secondsOf(entry, now))}${entry.until === null ? ", until now" : ""}${how}`,
  ];
}

/** Which commit ended it, and how. */
function untilWords({ commit, date, reasons }: Until, sources: SourceCauses): Words {
  return ["until ", code(formatCommit(commit)), ` on ${dayOf(date)}, `, ...endWords(reasons, sources)];
}

function endWords(reasons: Until["reasons"], sources: SourceCauses): Words {
  const rolled: AuditReason[] = [];
  for (const reason of reasons) {
    if (reason.type === "Revert") return ["when Git held the old content again"];
    if (reason.type === "Delete") return ["which removed it"];
    rolled.push(reason);
  }
  return ["which rolled it (", ...reasonsWords(rolled, sources), ")"];
}

/** The sources that the reasons of a row name, each with the namespaces of all its workloads. */
type SourceCauses = ReadonlyMap<string, RowCause>;

function sourceCauses(entries: readonly WorstEntry[]): SourceCauses {
  const reasons = entries.flatMap((entry) => [
    ...(entry.content ?? []),
    ...entry.reasons,
    ...(entry.type === "Stale" ? (entry.until?.reasons ?? []) : []),
  ]);
  const causes = reasons.flatMap((reason) => (reason.type === "Source" ? [causeOfSource(reason)] : []));
  return new Map(joinedCauses(causes).map(({ key, cause }) => [key, cause]));
}

const MOST_REASONS = 3;

function reasonsWords(reasons: readonly AuditReason[], sources: SourceCauses): Words {
  const more = reasons.length - MOST_REASONS;
  return [
    ...joined(reasons.slice(0, MOST_REASONS).map((reason) => reasonText(reason, sources))),
    ...(more > 0 ? [` and ${counted(more, "more change")}`] : []),
  ];
}

function reasonText(reason: AuditReason, sources: SourceCauses): Words {
  switch (reason.type) {
    case "Source": {
      const { key, cause } = causeOfSource(reason);
      return inOneLine(causeLine(sources.get(key) ?? cause));
    }
    case "FirstStamp":
      return ["first stamp"];
    case "Restart":
      return ["restart: ", code(reason.field)];
    case "Template":
    case "Stamp":
    case "Immutable":
    case "Invalid":
      return [code(reason.path), " changed"];
  }
}

/** `2026-03-01`: the day of a commit. */
export function dayOf(date: string): string {
  return date.slice(0, "2026-03-01".length);
}

const DAY = 86_400;
const HOUR = 3_600;

/** `23 days`, `5 hours`, `less than an hour`. */
function daysText(seconds: number): string {
  if (seconds >= DAY) return counted(Math.floor(seconds / DAY), "day");
  return seconds >= HOUR ? counted(Math.floor(seconds / HOUR), "hour") : "less than an hour";
}
