import type { Level, PlannedWorkload } from "../../reports/plan/plan-report.ts";
import type { Safety } from "../../kubernetes/rollout/safety.ts";
import { rowWord, toneOf } from "../plan-levels.ts";
import { element, type Html } from "./html.ts";

// Signs that fonts everywhere have, so that a level is told by more than its colour: in print, too, and to who sees no
// red. A word stands beside each.

const LEVEL_MARKS: Readonly<Record<Level, string>> = { refused: "✕", danger: "!", attention: "▲", ok: "✓" };

const SAFETY_MARKS: Readonly<Record<Safety, string>> = {
  Outage: "●",
  MayStick: "◆",
  Waits: "‖",
  Reduced: "▼",
  Unknown: "?",
  Safe: "✓",
};

export const FAIL_MARK = "✕";

export function levelMark(level: Level): Html {
  return mark(LEVEL_MARKS[level]);
}

export function safetyMark(safety: Safety): Html {
  return mark(SAFETY_MARKS[safety]);
}

/** A sign for the eye only. */
export function mark(sign: string): Html {
  return element("span", { class: "mark", "aria-hidden": "true" }, sign);
}

/** What becomes of a workload, as a sign and a word: what a row begins with. */
export function badge(workload: PlannedWorkload): Html {
  return element("span", { class: `badge ${toneOf(workload)}` }, mark(signOf(workload)), " ", rowWord(workload));
}

function signOf({ action, safety }: PlannedWorkload): string {
  switch (action) {
    case "Fail":
      return FAIL_MARK;
    case "Roll":
      return SAFETY_MARKS[safety];
    case "NoEffect":
      return "○";
    case "Create":
      return "+";
    case "Delete":
      return "−";
    case "Waiting":
      return "…";
    case "NextRun":
    case "Reload":
    case "None":
      return "·";
    default:
      return "";
  }
}
