/** The tables of docs/why/observed.md: what a test has seen is held against them, or written with UPDATE_FIXTURES=1. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { inRoot } from "../support/paths.ts";
import type { EngineRow } from "./engine-rows.ts";
import type { Effect } from "./observed-effects.ts";
import type { Outcome, Situation } from "./situation-parts.ts";

/** Rollouts of one kind and one strategy. */
export interface Bounds {
  readonly kind: string;
  readonly strategy: string;
  /** Whether each was seen at its bounds, or within them. */
  readonly exact: boolean;
  readonly cases: readonly {
    readonly replicas: number;
    readonly safety: string;
    /** Undefined: the plan doesn't know. */
    readonly least: number | undefined;
    readonly most: number | undefined;
  }[];
}

/** Holds rollouts against the table of them. */
export function heldBounds(rows: readonly Bounds[]): void {
  const header = "| kind | strategy | pods: least available to most in all | safety | seen |";
  checkSection("bounds", [header, "|---|---|---|---|---|", ...rows.map(boundsRow)]);
}

function boundsRow({ kind, strategy, exact, cases }: Bounds): string {
  const isKnown = cases.every(({ least }) => least !== undefined);
  const numbers = cases.map(({ replicas, least, most }) => `${replicas}: ${least ?? "?"} to ${most ?? "?"}`);
  const safeties = [...new Set(cases.map(({ safety }) => safety))];
  const seen = !isKnown ? "not predicted" : exact ? "these very numbers" : "never outside";
  return `| ${[kind, strategy, numbers.join(" · "), safeties.join(", "), seen].join(" | ")} |`;
}

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  rolls: "rolls to its end",
  sticks: "sticks: no node takes the new pod",
  fails: "is given up at its deadline, with the pods as the plan says",
  waits: "waits for a person",
  held: "no pod is evicted",
  nothing: "no pod is replaced",
  invalid: "InvalidSpec: no pod is replaced",
  refused: "422",
};

/** Holds situations against the tables of them. */
export function heldSituations(situations: readonly Situation[], refusals: readonly Situation[]): void {
  const rows = situations.map(({ name, action, safety, caveat, outcome }) => {
    const says = safety === undefined || action !== "Roll" ? action : safety;
    return `| ${name} | ${says}${caveat === undefined ? "" : `, caveat ${caveat}`} | ${OUTCOMES[outcome]} |`;
  });
  checkSection("situations", ["| what | the plan says | the cluster |", "|---|---|---|", ...rows]);
  const refused = refusals.map(
    ({ name, action, outcome }) => `| ${name} | ${action} | ${outcome === "refused" ? OUTCOMES.refused : "taken"} |`,
  );
  checkSection("refusals", ["| what changes | the plan says | the API server |", "|---|---|---|", ...refused]);
}

/** Holds effects against the table of them. */
export function checkEffects(effects: readonly Effect[]): void {
  const rows = effects.map(({ name, planned: { action, safety, isLost, findings = [] }, does }) => {
    const says = [safety ?? action ?? [], isLost === true ? "lost" : [], findings].flat();
    return `| ${name} | ${says.join(", ")} | ${does} |`;
  });
  checkSection("effects", ["| what changes | the plan says | the cluster |", "|---|---|---|", ...rows]);
}

/** Holds what engines do against the table of it. */
export function checkEngines(engines: readonly EngineRow[]): void {
  const rows = engines.flatMap(({ does, flux, argocd, replace, plugin }) => [
    `| ${does} | ${flux.says} | ${argocd.says} |`,
    ...(replace === undefined ? [] : [`| the same, with \`Replace=true\` | has no such option | ${replace.says} |`]),
    ...(plugin === undefined ? [] : [`| the same; our plugin stamps | runs no plugins | ${plugin.says} |`]),
  ]);
  checkSection("engines", ["| what happens | Flux | Argo CD |", "|---|---|---|", ...rows]);
}

/** Holds what Argo CD renders again against the table of it. */
export function checkCache(cached: readonly { readonly does: string; readonly says: string }[]): void {
  const rows = cached.map(({ does, says }) => `| ${does} | ${says} |`);
  checkSection("cache", ["| what happens | Argo CD |", "|---|---|", ...rows]);
}

/** Holds what programs do against a table of it. */
export function checkRows(
  section: "versioned" | "settings",
  rows: readonly { readonly does: string; readonly with: string; readonly says: string }[],
): void {
  const lines = rows.map(({ does, with: programs, says }) => `| ${does} | ${programs} | ${says} |`);
  checkSection(section, ["| what happens | with | observed |", "|---|---|---|", ...lines]);
}

const FILE = inRoot("docs/why/observed.md");

function checkSection(section: string, lines: readonly string[]): void {
  const text = readFileSync(FILE, "utf8");
  const begin = `<!-- ${section}: written by test/e2e -->\n`;
  const end = `<!-- end of ${section} -->`;
  const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
  assert.ok(from >= begin.length && to >= from, `docs/why/observed.md has a part for ${section}`);
  const table = `\n${lines.join("\n")}\n\n`;
  if (process.env["UPDATE_FIXTURES"] === "1") writeFileSync(FILE, text.slice(0, from) + table + text.slice(to));
  else assert.equal(text.slice(from, to), table, "UPDATE_FIXTURES=1 writes it again");
}
