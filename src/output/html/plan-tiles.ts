import type { PlannedWorkload, PlanReport } from "../../reports/plan/plan-report.ts";
import { SAFETY_WORDS } from "../plan-levels.ts";
import { pluralize } from "../../base/words.ts";
import { element, type Child, type Html } from "./html.ts";
import { FAIL_MARK, mark, safetyMark } from "./plan-marks.ts";

/** A number of the head, or several that belong together. */
interface Tile {
  readonly label: string;
  readonly class: "" | "bad" | "look";
  readonly figures: readonly Figure[];
}

interface Figure {
  readonly sign?: Html;
  readonly text: string;
  readonly word?: string;
  /** The first of the workloads that it counts. */
  readonly first?: PlannedWorkload | undefined;
}

/** The numbers of a plan that decide: what fails, what loses availability, what it costs. */
export function tiles(report: PlanReport, idOf: (workload: PlannedWorkload) => string): Html {
  return element(
    "dl",
    { class: "tiles" },
    rowsOf(report).map(({ label, class: name, figures }) =>
      element(
        "div",
        { class: figures.length > 1 ? `several ${name}` : name },
        element("dt", {}, label),
        element(
          "dd",
          {},
          figures.map((figure) => element("span", { class: "figure" }, figureText(figure, idOf))),
        ),
      ),
    ),
  );
}

function figureText({ sign, text, word, first }: Figure, idOf: (workload: PlannedWorkload) => string): Child {
  const told = [
    sign === undefined ? "" : [sign, " "],
    element("strong", {}, text),
    word === undefined ? "" : ` ${word}`,
  ];
  return first === undefined ? told : element("a", { href: `#${idOf(first)}` }, told);
}

function rowsOf({ workloads, summary }: PlanReport): Tile[] {
  const fails = workloads.filter(({ action }) => action === "Fail");
  const rolling = (safety: PlannedWorkload["safety"]): PlannedWorkload[] =>
    workloads.filter((workload) => workload.action === "Roll" && workload.safety === safety);
  const taken = workloads.filter(({ action, safety }) => action === "Delete" && safety !== "Safe");
  const lost = (["Outage", "MayStick", "Reduced"] as const).map((safety) => ({ safety, own: rolling(safety) }));
  const isLost = (lost[0]?.own.length ?? 0) + (lost[1]?.own.length ?? 0) > 0;
  const waits = rolling("Waits");
  const unknown = rolling("Unknown");
  const range = summary.podsAtMost === summary.pods ? "" : ` to ${summary.podsAtMost}`;
  return [
    {
      label: pluralize(fails.length, "fails to apply", "fail to apply"),
      class: fails.length > 0 ? "bad" : "",
      figures: [
        { text: String(fails.length), ...(fails.length > 0 ? { sign: mark(FAIL_MARK) } : {}), first: fails[0] },
      ],
    },
    {
      label: "lost availability: workloads",
      class: isLost ? "bad" : lost.some(({ own }) => own.length > 0) || taken.length > 0 ? "look" : "",
      figures: [
        ...lost.map(({ safety, own: [...own] }) => ({
          text: String(own.length),
          word: SAFETY_WORDS[safety],
          ...(own.length > 0 ? { sign: safetyMark(safety) } : {}),
          first: own[0],
        })),
        ...(taken.length > 0 ? [{ text: String(taken.length), word: "deleted", first: taken[0] }] : []),
      ],
    },
    ...alsoOf("wait for a person", waits),
    ...alsoOf("unknown to Git", unknown),
    {
      label: `of ${summary.workloads} ${pluralize(summary.workloads, "workload")} ${pluralize(summary.rolls, "rolls", "roll")}`,
      class: "",
      figures: [{ text: String(summary.rolls) }],
    },
    {
      label: pluralize(summary.podsAtMost, "pod replaced", "pods replaced"),
      class: "",
      figures: [{ text: `${summary.pods}${range}` }],
    },
  ];
}

function alsoOf(label: string, own: readonly PlannedWorkload[]): Tile[] {
  const [first] = own;
  if (first === undefined) return [];
  return [{ label, class: "look", figures: [{ text: String(own.length), sign: safetyMark(first.safety), first }] }];
}
