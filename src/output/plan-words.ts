import { code, plainText } from "./document/blocks.ts";
import { formatPlace } from "../base/errors.ts";
import { formatName, formatObject } from "../base/names.ts";
import { counted, formatNumber, pluralize, containsPath } from "../base/words.ts";
import { describeFinding } from "../findings/catalogue/describe.ts";
import { isHeldBack } from "../reports/plan/counted.ts";
import type { ExceededLimit, Gate } from "../reports/plan/plan-report.ts";
import type { Because, Next, PlanFinding, PlannedWorkload } from "../reports/plan/planned-workload.ts";
import type { AppliedWhen, PlannedApplication } from "../reports/plan/planned-application.ts";
import type { Words } from "./document/document.ts";
import { selectorSteps, unreachingWords, type SelectorNext } from "./plan-selector.ts";

// The words of a plan: each piece of its data is worded here once, for every report.

/** `4 pods`, or `4 to 9 pods` where an autoscaler decides; undefined for none. */
export function podsText(pods: number, podsAtMost: number = pods): string | undefined {
  if (podsAtMost === 0) return undefined;
  return podsAtMost === pods ? counted(pods, "pod") : `${formatNumber(pods)} to ${formatNumber(podsAtMost)} pods`;
}

/** `when it is synced`: what has to happen after the merge. */
export function appliedWhenWords(appliedWhen: AppliedWhen, it: "it" | "each"): Words {
  return appliedWhen.is === "sync"
    ? [`when ${it} is synced`]
    : ["when ", code(appliedWhen.version), " contains the change"];
}

/** A limit that the plan is over. */
export function limitText(exceeded: ExceededLimit): string {
  switch (exceeded.limit) {
    case "maxWorkloads":
      return `${counted(exceeded.actual, "workload rolls", "workloads roll")}, at most ${exceeded.allowed} may (--max-workloads)`;
    case "maxPods":
      return `up to ${counted(exceeded.actual, "pod is", "pods are")} replaced, at most ${exceeded.allowed} may be (--max-pods)`;
    case "maxDeletes":
      return `${counted(exceeded.actual, "workload or volume claim is", "workloads and volume claims are")} deleted, at most ${exceeded.allowed} may be (--max-deletes)`;
    case "failOn":
      return "rule" in exceeded
        ? `${counted(exceeded.findings, "finding")} of ${exceeded.rule} (--fail-on)`
        : `${counted(exceeded.rows, ...GATE_WORDS[exceeded.gate])} (--fail-on ${exceeded.gate})`;
  }
}

const GATE_WORDS: Readonly<Record<Gate, readonly [string, string]>> = {
  refused: ["change is refused", "changes are refused"],
  danger: ["change is dangerous", "changes are dangerous"],
  attention: ["change needs a review", "changes need a review"],
  outage: ["workload has no pod while it rolls", "workloads have no pod while they roll"],
  "may-stick": ["workload may not finish its rollout", "workloads may not finish their rollouts"],
  stale: ["workload keeps the old content", "workloads keep the old content"],
  deletes: ["object is deleted", "objects are deleted"],
  unrendered: ["change is not rendered", "changes are not rendered"],
};

/** Why nothing rolls, or why an apply is refused. */
export function becauseText(because: Because): string {
  switch (because.id) {
    case "rollout":
      return because.text;
    case "immutable-field":
      return `${because.path} is immutable`;
    case "refused-source":
      return `the apply of ${formatObject(because.source)} is refused`;
    case "waiting":
      return "it waits for its new stamps: rollstamp stamp --due writes them";
    case "unstamped":
      return "its pods keep the old content: nothing rolls them out";
    case "reloaded":
      return "a reloader beside the process takes the new content: no pod is replaced";
    case "chart-only":
      return `only because of ${[...marksText("label", because.labels), ...marksText("annotation", because.annotations)].join(" and ")}`;
  }
}

function marksText(noun: string, keys: readonly string[]): string[] {
  return keys.length === 0 ? [] : [`the ${pluralize(keys.length, noun)} ${keys.map(formatName).join(", ")}`];
}

/** What a person has to do. */
export function nextText(next: Next): string {
  switch (next.id) {
    case "rollout":
      return next.text;
    case "promote":
      return `Promote it when its new pods are healthy: it ${next.because}.`;
    case "lower-partition":
      return "Lower the partition step by step: the pods below it keep the old template.";
    case "correct-field":
      return `Give the field a value that ${next.by ?? "the API server"} accepts.`;
    case "keep-selector":
      return selectorText(next);
    case "rename-source":
      return "Give the source a new name and reference it in the workload: an immutable source cannot be changed.";
    case "remove-marks": {
      const marks = pluralize(next.marks, "it", "them");
      return `Remove ${marks} from the pod template with ${next.options.join(" and ")}, if nothing needs ${marks}.`;
    }
  }
}

/** A sentence behind a label: without its capital letter and its period. */
export function clause(sentence: string): string {
  const text = sentence.replace(/\.$/u, "");
  return /^[A-Z][a-z]+[ ,:]/u.test(text) ? `${text.slice(0, 1).toLowerCase()}${text.slice(1)}` : text;
}

function selectorText(next: SelectorNext): string {
  const steps = selectorSteps([next]).map((words, i) => `${i + 1}. ${plainText(words)}`);
  const services = unreachingWords([next]);
  return [`Safest first: ${steps.join("; ")}.`, ...(services === undefined ? [] : [`${plainText(services)}.`])].join(
    " ",
  );
}

/** What a finding says, with its place where it was found while files were read. */
export function findingText(finding: PlanFinding): string {
  const { message } = describeFinding(finding);
  return finding.place === undefined ? message : `${formatPlace(finding.place)}: ${message}`;
}

/** `(seems to be web, renamed)`; nothing for a workload that seems to be no other. */
export function renamedWords({ renamedFrom, renamedTo }: PlannedWorkload): Words {
  if (renamedFrom !== undefined) return [" (seems to be ", code(renamedFrom), ", renamed)"];
  return renamedTo === undefined ? [] : [" (seems to be renamed to ", code(renamedTo), ")"];
}

/** What happens to an application that cannot be rendered. */
export function failureEffect(application: PlannedApplication): string {
  const { failedBefore, baseFailed } = application;
  const where = failedBefore === true ? " in both revisions" : baseFailed === true ? " in BASE" : "";
  return `cannot be rendered${where}${isHeldBack(application) ? " (held back)" : ""}`;
}

/** `Kustomize overlays/prod`, with its path where the name doesn't have it. */
export function applicationText({ name, path, kind, cluster }: PlannedApplication): string {
  const more = [...(containsPath(name, path) ? [] : [path]), ...(cluster === undefined ? [] : [`cluster ${cluster}`])];
  return `${kind} ${name}${more.length === 0 ? "" : ` (${more.join(", ")})`}`;
}
