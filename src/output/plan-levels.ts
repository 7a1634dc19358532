import type { Action, Level, PlannedWorkload } from "../reports/plan/plan-report.ts";
import type { Safety } from "../kubernetes/rollout/safety.ts";

// The one wording of levels: text, Markdown, HTML and docs/plan.md have their words from here.

/** A safety as people read it. Of `status --wait` `waits` and `outage` mean the same. */
export const SAFETY_WORDS: Readonly<Record<Safety, string>> = {
  Outage: "outage",
  MayStick: "may stick",
  Waits: "waits",
  Reduced: "fewer pods",
  Unknown: "unknown",
  Safe: "safe",
};

/** Actions in the order in which people want to know of them, with the word for each. */
export const ACTIONS: readonly { readonly action: Action; readonly word: string }[] = [
  { action: "Fail", word: "fails" },
  { action: "Roll", word: "rolls" },
  { action: "NextRun", word: "next run" },
  { action: "NoEffect", word: "no effect" },
  { action: "Reload", word: "reloads" },
  { action: "Waiting", word: "waiting" },
  { action: "Create", word: "created" },
  { action: "Delete", word: "deleted" },
  { action: "None", word: "unchanged" },
];

/** The word for an action. */
export function actionWord(action: Action): string {
  return ACTIONS.find((row) => row.action === action)?.word ?? action;
}

/** The word that a row begins with: of what rolls how safe it is, of all else what becomes of it. */
export function rowWord({ action, safety }: Pick<PlannedWorkload, "action" | "safety">): string {
  return action === "Roll" ? SAFETY_WORDS[safety] : actionWord(action);
}

/** How loud a row or a verdict is: `bad` stops a reviewer, `look` is to be read, `quiet` may be skipped. */
export type Tone = "bad" | "look" | "quiet";

/** How loud a verdict is. */
export const LEVEL_TONES: Readonly<Record<Level, Tone>> = {
  refused: "bad",
  danger: "bad",
  attention: "look",
  ok: "quiet",
};

const SAFETY_TONES: Readonly<Record<Safety, Tone>> = {
  Outage: "bad",
  MayStick: "bad",
  Waits: "look",
  Reduced: "look",
  Unknown: "look",
  Safe: "quiet",
};

/** How loud a workload's row is. */
export function toneOf(workload: Pick<PlannedWorkload, "action" | "safety" | "findings">): Tone {
  const { action, safety } = workload;
  if (action === "Fail" || hasError(workload)) return "bad";
  return action === "NoEffect" ? "look" : SAFETY_TONES[safety];
}

/** Whether a workload has a finding for which the plan's verdict is no better than `danger`. */
export function hasError({ findings }: Pick<PlannedWorkload, "findings">): boolean {
  return findings.some(({ severity, before }) => severity === "error" && before !== true);
}
