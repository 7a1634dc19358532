import type { Safety } from "../kubernetes/rollout/safety.ts";
import { isError } from "../reports/plan/counted.ts";
import type { Action, Level, PlannedWorkload } from "../reports/plan/plan-report.ts";
import type { Tone } from "./document/document.ts";

// The labels, tones and signs of levels: every report of a plan has them from here.

/** The label of what happens to a workload, in the order in which people want to know of it, and its sign. */
export const ACTIONS: readonly { readonly action: Action; readonly label: string; readonly sign: string }[] = [
  { action: "Fail", label: "refused", sign: "✕" },
  { action: "Roll", label: "rolls", sign: "✓" },
  { action: "NextRun", label: "next run", sign: "·" },
  { action: "NoEffect", label: "no effect", sign: "○" },
  { action: "Reload", label: "reloads", sign: "·" },
  { action: "Waiting", label: "waiting", sign: "…" },
  { action: "Stale", label: "stale", sign: "▲" },
  { action: "Scale", label: "scaled", sign: "~" },
  { action: "Create", label: "created", sign: "+" },
  { action: "Delete", label: "deleted", sign: "−" },
  { action: "None", label: "unchanged", sign: "·" },
];

/** How safe a rollout is. For `waits` and `outage` `status --wait` has the same words. */
export const SAFETY_LABELS: Readonly<Record<Safety, string>> = {
  Outage: "outage",
  MayStick: "may stick",
  Waits: "waits",
  Reduced: "reduced",
  Unknown: "unknown",
  Safe: "safe",
};

const SAFETY_SIGNS: Readonly<Record<Safety, string>> = {
  Outage: "●",
  MayStick: "◆",
  Waits: "‖",
  Reduced: "▼",
  Unknown: "?",
  Safe: "✓",
};

const SAFETY_TONES: Readonly<Record<Safety, Tone>> = {
  Outage: "danger",
  MayStick: "danger",
  Waits: "attention",
  Reduced: "attention",
  Unknown: "attention",
  Safe: "ok",
};

export const LEVEL_TONES: Readonly<Record<Level, Tone>> = {
  refused: "danger",
  danger: "danger",
  attention: "attention",
  ok: "ok",
};

export const LEVEL_SIGNS: Readonly<Record<Level, string>> = { refused: "✕", danger: "!", attention: "▲", ok: "✓" };

type Rated = Pick<PlannedWorkload, "action" | "safety">;

/** What a row begins with: how safe a rollout is, or what else happens. */
export function labelOf({ action, safety }: Rated): string {
  return action === "Roll" ? SAFETY_LABELS[safety] : actionLabel(action);
}

export function actionLabel(action: Action): string {
  return ACTIONS.find((row) => row.action === action)?.label ?? action;
}

export function signOf({ action, safety }: Rated): string {
  return action === "Roll" ? SAFETY_SIGNS[safety] : (ACTIONS.find((row) => row.action === action)?.sign ?? "");
}

export function toneOf({ action, safety, findings }: Rated & Pick<PlannedWorkload, "findings">): Tone {
  if (action === "Fail" || findings.some(isError)) return "danger";
  return action === "NoEffect" ? "attention" : SAFETY_TONES[safety];
}
