import { DONE, RollstampError } from "../../src/base/errors.ts";
import { checkSize, DEFAULT_LIMITS, type Limits } from "../../src/base/limits.ts";
import type { Account } from "../../src/findings/not-examined/not-examined.ts";
import { errorText } from "../../src/findings/results/terminal.ts";
import { printHtml } from "../../src/output/document/html.ts";
import { graphPage } from "../../src/output/graph-text.ts";
import { planDocument } from "../../src/output/plan-document.ts";
import { sourceGraph } from "../../src/reports/graph/source-graph.ts";
import { planStatus } from "../../src/reports/plan/limits.ts";
import { planOf } from "../../src/reports/plan/plan.ts";
import { reportOf } from "../../src/reports/plan/plan-data.ts";
import { hasStamps, sideOf } from "../../src/reports/plan/side.ts";
import { readConfigHash } from "../../src/stamping/function/config-hash.ts";
import { analyse, stampAll, type Analysis } from "../../src/stamping/pipeline.ts";
import { copyOptions } from "../../src/stamping/stamps/copy-edits.ts";
import { editedText } from "../../src/yaml/edit/checked.ts";
import { readManifests, type Manifests } from "../../src/yaml/read/items.ts";
import { readTree } from "../../src/yaml/read/tree.ts";

// What the page shows about two versions of manifests, with the same code as the command. Pure: texts in, texts out.

export interface Given {
  readonly before: string;
  readonly after: string;
}

/** A report, or the error that is shown in its place. */
export type Shown = { readonly is: "report"; readonly text: string } | { readonly is: "error"; readonly text: string };

export interface Reports {
  /** The manifests of `after` with their stamps. */
  readonly stamped: Shown;
  /** Two HTML pages. */
  readonly plan: Shown;
  readonly graph: Shown;
}

const SPEC = readConfigHash({});

/** A link may bring anything, and must not freeze the tab. */
const LIMITS: Limits = { ...DEFAULT_LIMITS, inputSize: 2_000_000, aliasedValues: 20_000, comparisons: 20_000_000 };

/** The stamps, the plan and the graph of manifests. An error of `before` is shown only in the plan. */
export function reportsOf({ before, after }: Given): Reports {
  const head = shownOr(() => readSide(after, "after"));
  if ("is" in head) return { stamped: head, plan: head, graph: head };
  const { manifests, analysis } = head;
  return {
    stamped: report(() =>
      editedText(manifests.tree, [...(stampAll(analysis, copyOptions(SPEC, "rendering")).get(manifests.tree) ?? [])]),
    ),
    plan: report(() => planPage(readSide(before, "before").analysis, analysis)),
    graph: report(() => graphPage({ ...sourceGraph([analysis]), ...accountOf(manifests, analysis) })),
  };
}

interface ReadSide {
  readonly manifests: Manifests;
  readonly analysis: Analysis;
}

function readSide(text: string, file: string): ReadSide {
  checkSize(text, file, LIMITS);
  const manifests = readManifests(readTree(text, file, LIMITS));
  return { manifests, analysis: analyse([manifests], SPEC) };
}

/** As `rollstamp plan` compares two files: as they are applied if either has stamps. */
function planPage(base: Analysis, head: Analysis): string {
  const stamps = [base, head].some(hasStamps) ? "Standing" : "AsIfStamped";
  const limits = { maxWorkloads: undefined, maxPods: undefined, failOn: [] };
  const options = { all: false, showValues: false, ...limits };
  const plan = planOf(sideOf(base, SPEC, stamps), sideOf(head, SPEC, stamps), options);
  const examined = { files: 2, objects: 0, workloads: 0, otherFiles: 0 };
  const made = reportOf(plan, [], { examined, notExamined: [] }, limits);
  const status = made.verdict === null ? DONE : planStatus(made);
  const form = { form: "html", title: "Plan", all: false, verbose: false, status } as const;
  return printHtml(planDocument(made, form));
}

function accountOf({ items }: Manifests, { workloads }: Analysis): Account {
  const examined = { files: 1, objects: items.length, workloads: workloads.length, otherFiles: 0 };
  return { examined, notExamined: [] };
}

function report(make: () => string): Shown {
  const made = shownOr(() => ({ text: make() }));
  return "is" in made ? made : { is: "report", text: made.text };
}

function shownOr<T extends object>(make: () => T): T | (Shown & { readonly is: "error" }) {
  try {
    return make();
  } catch (cause) {
    if (cause instanceof RollstampError) return { is: "error", text: errorText(cause) };
    throw cause;
  }
}
