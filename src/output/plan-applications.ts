import { alikeGroups } from "../base/alike.ts";
import { formatList } from "../base/names.ts";
import { counted } from "../base/words.ts";
import type { PlannedApplication, PlanReport } from "../reports/plan/plan-report.ts";
import {
  code,
  numbers,
  paragraph,
  row,
  section,
  strong,
  table,
  texts,
  type Block,
  type Row,
  type Words,
} from "./document/document.ts";
import { applicationText } from "./plan-words.ts";

/** Rows of the applications that cannot be rendered, one for each reason; first those that the change breaks. */
export function failedRows({ applications = [] }: Pick<PlanReport, "applications">, most: number): Row[] {
  const failed = applications.filter(({ status }) => status === "Failed");
  const groups = [false, true].flatMap((isBefore) =>
    alikeGroups(
      failed.filter(({ failedBefore }) => (failedBefore === true) === isBefore),
      ({ message = "", missing }) => ({ message, ...(missing === undefined ? {} : { missing }) }),
    ).map((group) => ({ ...group, isBefore })),
  );
  return groups.map(({ all, lines, isBefore }) => {
    const [first] = all;
    const title = all.length > 1 ? counted(all.length, "application") : applicationText(first);
    const names =
      all.length > 1
        ? [
            paragraph(
              formatList(
                all.map(({ name }) => name),
                most,
              ),
              { role: "names" },
            ),
          ]
        : [];
    return row(
      {
        label: "failed",
        tone: "danger",
        sign: "✕",
        words: [title, ...(isBefore ? [" (failed in both revisions)"] : [])],
        isOpen: true,
      },
      [...lines.map((line) => paragraph(line)), ...names],
    );
  });
}

/** How many applications a page shows before it folds the others. */
const FOLD_AFTER = 12;

/** What changes in each application, by cluster; undefined where a plan is over one application. */
export function applicationsSection(report: PlanReport, most: number): Block | undefined {
  const { applications = [] } = report;
  if (applications.length < 2 && applications[0]?.status !== "Failed") return undefined;
  const sums = applicationSums(report);
  const changing = sums.filter(({ workloads }) => workloads > 0);
  const shown = (most === Infinity ? sums : changing).slice(0, most);
  const clusters = new Map<string | undefined, ApplicationSum[]>();
  for (const sum of shown) {
    const { cluster } = sum.application;
    clusters.set(cluster, [...(clusters.get(cluster) ?? []), sum]);
  }
  const more = changing.length - shown.length;
  const columns = [numbers("pods"), numbers("workloads"), texts("application")];
  const tables = [...clusters].map(([cluster, some], i) =>
    table(
      columns,
      [
        ...(cluster === undefined ? [] : [clusterLine(cluster, some)]),
        ...some.map(applicationLine),
        ...(more > 0 && i === clusters.size - 1 ? [[[""], [""], [`and ${counted(more, "more application")}`]]] : []),
      ],
      { foldAfter: FOLD_AFTER + (cluster === undefined ? 0 : 1) },
    ),
  );
  return section({ id: "applications", title: "Applications" }, [
    ...tables,
    paragraph(`${applicationCounts(applications, sums.length - changing.length)}.`, { role: "lead" }),
  ]);
}

/** An application that differs, with the workloads that change in it and the pods that they replace. */
interface ApplicationSum {
  readonly application: PlannedApplication;
  readonly workloads: number;
  readonly pods: number;
}

/** By cluster, then what replaces the most pods. */
function applicationSums({ applications = [], workloads }: PlanReport): ApplicationSum[] {
  const sums = new Map<string, { workloads: number; pods: number }>();
  for (const { application = "", action, pods } of workloads) {
    if (action === "None") continue;
    const sum = sums.get(application) ?? { workloads: 0, pods: 0 };
    sums.set(application, { workloads: sum.workloads + 1, pods: sum.pods + pods });
  }
  return applications
    .filter(({ status }) => status === "Changed")
    .map((application) => ({ application, ...(sums.get(application.name) ?? { workloads: 0, pods: 0 }) }))
    .sort((a, b) => byCluster(a, b) || b.pods - a.pods || b.workloads - a.workloads);
}

function byCluster({ application: { cluster: a = "" } }: ApplicationSum, { application }: ApplicationSum): number {
  const { cluster: b = "" } = application;
  return a < b ? -1 : a > b ? 1 : 0;
}

function clusterLine(cluster: string, sums: readonly ApplicationSum[]): Words[] {
  const sum = (count: (one: ApplicationSum) => number): string =>
    String(sums.reduce((all, one) => all + count(one), 0));
  return [
    [strong(sum(({ pods }) => pods))],
    [strong(sum(({ workloads }) => workloads))],
    [strong(["cluster ", { facet: "cluster", value: cluster, words: [code(cluster)] }])],
  ];
}

function applicationLine({ application: { name, change }, workloads, pods }: ApplicationSum): Words[] {
  return [
    [String(pods)],
    [String(workloads)],
    [
      { facet: "application", value: name, words: [code(name)] },
      change === undefined ? "" : ` ${change.toLowerCase()}`,
    ],
  ];
}

/** `12 applications: 3 changed (2 of them in no workload), 9 not affected`. */
function applicationCounts(applications: readonly PlannedApplication[], withoutWorkloads: number): string {
  const count = (status: PlannedApplication["status"], words: string): string[] => {
    const n = applications.filter((application) => application.status === status).length;
    return n === 0 ? [] : [`${n} ${words}`];
  };
  const parts = [
    ...count("Failed", "cannot be rendered"),
    ...count("Changed", withoutWorkloads === 0 ? "changed" : `changed (${withoutWorkloads} of them in no workload)`),
    ...count("Unchanged", "unchanged"),
    ...count("NotAffected", "not affected"),
  ];
  return `${counted(applications.length, "application")}: ${parts.join(", ")}`;
}
