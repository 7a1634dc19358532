import { groupedBy } from "../base/grouped.ts";
import { formatToolOutput, formatCommit } from "../base/names.ts";
import { counted, formatNumber, pluralize } from "../base/words.ts";
import { jsonText } from "../findings/results/json-text.ts";
import type { AuditSummary, RolloutAudit, UnrenderedCause } from "../reports/audit/audit-report.ts";
import { dayOf, worstBlocks } from "./audit-rows.ts";
import { code, codes, joined, list, numbers, paragraph, section, strong, table, texts } from "./document/blocks.ts";
import type { Block, Day, Document, Tone, Words } from "./document/document.ts";
import { notExaminedBlocks } from "./not-examined.ts";
import { findingText } from "./plan-words.ts";

/** `audit -o json` (contract, section 13; schemas/audit.json). */
export function auditJson({ unrendered, worst, notExamined, ...audit }: RolloutAudit): string {
  const named = unrendered.map(({ because, ...entry }) => ({ ...entry, message: unrenderedText(because) }));
  return `${jsonText({ ...audit, unrendered: named, worst, notExamined }, 2)}\n`;
}

function unrenderedText(because: UnrenderedCause): string {
  return "message" in because ? formatToolOutput(because.message) : findingText(because.finding);
}

/** The first line: what happened, in three numbers. */
export function auditSentence({ content, stale, avoidable }: AuditSummary): string {
  const changed = `${counted(content, "commit")} changed configuration`;
  const kept = `${counted(stale, "time")} a workload kept running with the old one`;
  return `${changed}; ${kept}, and ${counted(avoidable, "rollout was", "rollouts were")} avoidable.`;
}

/**
 * The audit as a document: the sentence, what was compared, the numbers, a calendar, the ten worst, and what is missing. The
 * sentence is the title of a page.
 */
export function auditDocument(audit: RolloutAudit, form: "text" | "markdown" | "html" = "text"): Document {
  const { summary, unrendered } = audit;
  const sentence = auditSentence(summary);
  return {
    title: sentence,
    blocks: [
      ...(form === "html" ? [] : [paragraph([strong(sentence)], { role: "sentence" })]),
      paragraph(periodWords(audit)),
      ...restrictionBlocks(audit),
      table([numbers("count"), texts("what")], numberRows(summary)),
      ...(form === "html" ? calendarBlocks(audit) : []),
      ...worstBlocks(audit),
      ...(unrendered.length === 0 ? [] : [unrenderedBlock(audit)]),
      ...notDeployedBlocks(audit),
      ...notExaminedBlocks(audit, { command: "plan" }),
    ],
  };
}

/** What was compared: the branch, the commits and their dates, and why some are missing. */
function periodWords({ repository, branch, from, to, cut, summary: { commits } }: RolloutAudit): Words {
  const place: Words = [code(branch), " of ", code(repository)];
  const missing: Words = cut === null ? [] : [`. ${CUT[cut.by]}`];
  if (commits === 0) return [...place, ": no commit in this period", ...missing];
  const days: Words = [` (${dayOf(from.date)} to ${dayOf(to.date)})`];
  const range: Words = [code(formatCommit(from.commit)), " to ", code(formatCommit(to.commit))];
  const compared = `: ${counted(commits, "commit")} ${pluralize(commits, "was", "were")} compared, `;
  return [...place, compared, ...range, ...days, ...missing];
}

/** What of the repository it is about, if not about all. */
function restrictionBlocks({ only }: RolloutAudit): readonly Block[] {
  if (only === undefined) return [];
  const { path, applications = [], namespace } = only;
  const parts: readonly Words[] = [
    ...(path === undefined ? [] : [["applications in ", code(path)]]),
    ...(applications.length === 0 ? [] : [["applications named ", ...codes(applications)]]),
    ...(namespace === undefined ? [] : [["workloads of namespace ", code(namespace)]]),
  ];
  return [paragraph(["Only ", ...joined(parts, "; only ")])];
}

const CUT: Readonly<Record<NonNullable<RolloutAudit["cut"]>["by"], string>> = {
  MaxCommits: "Older commits of the period are left out: --max-commits includes more.",
  Shallow: "The clone is shallow and lacks older commits: git fetch --unshallow adds them.",
  Interrupted: "The run was interrupted: with --cache, another run continues there.",
};

/** Whatever happened, with its number; the changes first, then the three ways in which they end. */
function numberRows(summary: AuditSummary): readonly (readonly Words[])[] {
  return NUMBERS.map(({ what, number }) => [[formatNumber(number(summary))], [what]]);
}

const NUMBERS: readonly { readonly what: string; readonly number: (summary: AuditSummary) => number }[] = [
  { what: "changes of configuration that a workload sees", number: ({ changes }) => changes },
  { what: "… of these rolled in the same commit", number: ({ rolled }) => rolled },
  { what: "… of these left pods with the old content", number: ({ stale }) => stale },
  { what: "… of these needed no rollout", number: ({ other }) => other },
  { what: "avoidable rollouts", number: ({ avoidable }) => avoidable },
  { what: "restarts by hand", number: ({ restarts }) => restarts },
  { what: "rollouts that stopped all pods", number: ({ down }) => down },
  { what: "changed applications that could not be rendered", number: ({ unrendered }) => unrendered },
];

/** The days on which something happened, the worst of each as its color. */
function calendarBlocks({ down, stale, avoidable, rolled }: RolloutAudit): readonly Block[] {
  const kinds = [
    { tone: "danger", entries: down, one: "rollout stopped all pods", many: "rollouts stopped all pods" },
    { tone: "attention", entries: stale, one: "workload kept old content", many: "workloads kept old content" },
    { tone: "muted", entries: avoidable, one: "avoidable rollout", many: "avoidable rollouts" },
    { tone: "ok", entries: rolled, one: "change rolled", many: "changes rolled" },
  ] as const;
  const found = new Map<string, { readonly tone: Tone; readonly titles: string[] }>();
  for (const { tone, entries, one, many } of kinds)
    for (const [date, all] of groupedBy(entries, (entry) => dayOf(entry.date))) {
      const day = found.get(date) ?? { tone, titles: [] };
      found.set(date, day);
      day.titles.push(counted(all.length, one, many));
    }
  const days = [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([date, { tone, titles }]): Day => ({ date, tone, title: titles.join(", ") }));
  if (days.length === 0) return [];
  return [
    section({ id: "calendar", title: "When", isTitleHidden: true }, [
      { is: "calendar", days },
      paragraph(CALENDAR, { tone: "muted" }),
    ]),
  ];
}

const CALENDAR =
  "Red: all pods stopped. Amber: pods kept old content. Grey: an avoidable rollout. Green: changes rolled in their commit.";

/** A number of zero may mean that nothing here is deployed from here. */
function notDeployedBlocks({ notDeployed }: RolloutAudit): readonly Block[] {
  if (notDeployed === 0) return [];
  const changed = counted(notDeployed, "changed application");
  const them = pluralize(notDeployed, "it", "them");
  return [
    paragraph(
      `Not counted: ${changed} that no Argo CD or Flux object in this repository deploys. If something else deploys ${them}, list ${them} in rollstamp.yaml (kind Applications).`,
    ),
  ];
}

const MOST_UNRENDERED = 5;

/** What could not be rendered: a line for each application, and one for those with the same problem. */
function unrenderedBlock({ unrendered }: RolloutAudit): Block {
  const applications = [...groupedBy(unrendered, ({ application }) => application).values()];
  const groups = [...groupedBy(applications, ([first]) => unrenderedText(first.because))]
    .map(([problem, all]) => ({ problem, all, commits: new Set(all.flat().map(({ commit }) => commit)).size }))
    .toSorted((a, b) => b.commits - a.commits);
  const lines = groups.slice(0, MOST_UNRENDERED).map(({ problem, all, commits }): Words => {
    const names = all.map(([first]) => first.application);
    const more = names.length - MOST_NAMES;
    return [
      ...joined(names.slice(0, MOST_NAMES).map((name) => [code(name)])),
      ...(more > 0 ? [` and ${counted(more, "more application")}`] : []),
      ` (${counted(commits, "commit")}): ${problem}`,
    ];
  });
  const left = groups.slice(lines.length).flatMap(({ all }) => all).length;
  const rest: readonly Words[] = left > 0 ? [[`and ${counted(left, "more application")}`]] : [];
  return section({ id: "unrendered", title: "Not rendered", total: unrendered.length }, [list([...lines, ...rest])]);
}

const MOST_NAMES = 3;
