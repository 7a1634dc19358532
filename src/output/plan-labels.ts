import type { Label } from "../reports/plan/labels.ts";
import type { Level } from "../reports/plan/plan-report.ts";
import type { Action } from "../reports/plan/planned-workload.ts";
import type { Tone } from "./document/document.ts";

// The words, tones and signs of what happens: every report has them from here.

/** What a row begins with. */
export function labelWord(label: Label): string {
  return label === "scaled-to-zero" ? "scaled" : label.replaceAll("-", " ");
}

const OF_ACTIONS: Readonly<Record<Action, Label>> = {
  Fail: "refused",
  Roll: "rolls",
  NextRun: "next-run",
  NoEffect: "no-effect",
  Reload: "reloads",
  Waiting: "waiting",
  Stale: "stale",
  Scale: "scaled",
  Create: "created",
  Delete: "deleted",
  None: "unchanged",
};

/** What happens to a workload, as the label of a row says it. */
export function actionWord(action: Action): string {
  return labelWord(OF_ACTIONS[action]);
}

const TONES: Readonly<Record<Level, Tone>> = { refused: "danger", danger: "danger", attention: "attention", ok: "ok" };

/** The color of a level; grey for what is not applied, or was accepted. */
export function toneOf(level: Level | undefined): Tone {
  return level === undefined ? "muted" : TONES[level];
}

const SIGNS: Readonly<Record<Level, string>> = { refused: "✕", danger: "●", attention: "▲", ok: "✓" };
const GOES: ReadonlySet<Label> = new Set(["deleted", "moved"]);

/** The sign of a row on a page. It says the same as its color. */
export function signOf(label: Label, level: Level | undefined): string {
  if (GOES.has(label)) return "−";
  return level === undefined ? "○" : SIGNS[level];
}

/** The sign of a verdict. */
export function verdictSign(level: Level): string {
  return level === "danger" ? SIGNS.refused : SIGNS[level];
}
