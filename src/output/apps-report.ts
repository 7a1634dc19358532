import type { Application } from "../applications/discover/application.ts";
import { rowOf, type NotFound } from "../applications/discover/not-found.ts";
import type { Applications } from "../applications/discover/find-applications.ts";
import { counted, saysPath } from "../base/words.ts";
import { alikeGroups } from "../base/alike.ts";
import { jsonText } from "../findings/results/json-text.ts";
import { lineText, pathText, printable } from "../findings/results/terminal.ts";

export interface AppsNaming {
  /** Whether all that was not found is named. */
  readonly verbose?: boolean;
  /** Whether what only renderings show is listed. */
  readonly isRendered?: boolean;
}

/** `apps -o json` (contract, section 9; schemas/apps.json). */
export function appsJson({ applications, notFound }: Applications): string {
  const shape = {
    applications: applications.map(shapeOf),
    notExamined: notFound.map((row) => ({ ...rowOf(row), ...(row.isFailure ? { severity: "error" } : {}) })),
  };
  return `${jsonText(shape, 2)}\n`;
}

/** What a program learns of an application. Values and parameters are not told: they may be secret. */
function shapeOf({ name, path, kind, foundBy, cluster, namespace, definedIn, shownBy }: Application): unknown {
  const more = { ...(definedIn.length === 0 ? {} : { definedIn }), ...(shownBy === undefined ? {} : { shownBy }) };
  return { name, path, kind, foundBy, cluster, namespace, ...more };
}

const FOUND_BY: Readonly<Record<Application["foundBy"], string>> = {
  Applications: "rollstamp.yaml",
  Application: "Argo CD Application",
  ApplicationSet: "Argo CD ApplicationSet",
  FluxKustomization: "Flux Kustomization",
  HelmRelease: "Flux HelmRelease",
  Kustomization: "kustomization",
  Chart: "chart",
  Kptfile: "Kptfile",
  Manifests: "plain manifests",
};

/** `apps -o text`: a line for each application, and one for each reason why there isn't one. */
export function appsText(
  { applications, notFound }: Applications,
  { verbose = false, isRendered = false }: AppsNaming = {},
): string {
  const lines = applications.length === 0 ? ["no applications"] : [...table(applications), "", totals(applications)];
  const rows = notFoundLines(notFound, verbose);
  const shown = isRendered ? 0 : notFound.filter(({ isShown }) => isShown === true).length;
  const hint =
    shown === 0 ? [] : [`${counted(shown, "object")} of these may be told by a rendering: rollstamp apps --render`];
  return [...lines, ...(rows.length === 0 ? [] : ["", ...rows]), ...(hint.length === 0 ? [] : ["", ...hint])]
    .map((line) => `${line}\n`)
    .join("");
}

interface Column {
  readonly head: string;
  readonly of: (application: Application) => string | undefined;
}

// Names have paths in them, and are as long as they are: they stand behind what is short.
const COLUMNS: readonly Column[] = [
  { head: "KIND", of: ({ kind }) => kind },
  { head: "FOUND BY", of: ({ foundBy }) => FOUND_BY[foundBy] },
  { head: "CLUSTER", of: ({ cluster }) => cluster },
  { head: "NAMESPACE", of: ({ namespace }) => namespace },
];

/** A column is no wider than this: of a longer cell only its own line is. */
const WIDEST = 40;
const NONE = "-";

function table(applications: readonly Application[]): string[] {
  const columns = [...COLUMNS.filter((column) => applications.some((one) => column.of(one) !== undefined)), NAME];
  const behind = BEHIND.filter((column) => applications.some((one) => column.of(one) !== undefined));
  // A name with nothing behind it needs no room.
  const before = (column: Column): readonly Application[] =>
    column === NAME ? applications.filter((one) => behind.some(({ of }) => of(one) !== undefined)) : applications;
  const all = [...columns, ...behind];
  const widths = all.map((column) =>
    Math.min(WIDEST, Math.max(column.head.length, ...before(column).map((one) => cellOf(column, one).length))),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd();
  return [
    line(all.map(({ head }) => head)),
    ...applications.map((one) => pathText(line(all.map((column) => cellOf(column, one))))),
  ];
}

const NAME: Column = { head: "NAME", of: ({ name }) => name };

const BEHIND: readonly Column[] = [
  { head: "PATH", of: ({ name, path }) => (saysPath(name, path) ? undefined : path) },
  { head: "SHOWN BY", of: ({ shownBy }) => shownBy },
];

function cellOf(column: Column, application: Application): string {
  const cell = column.of(application);
  if (cell !== undefined) return printable(cell);
  return BEHIND.includes(column) ? "" : NONE;
}

function totals(applications: readonly Application[]): string {
  const by = new Map<string, number>();
  for (const { foundBy } of applications) by.set(FOUND_BY[foundBy], (by.get(FOUND_BY[foundBy]) ?? 0) + 1);
  const counts = [...by].map(([what, n]) => `${n} by ${what}`).join(", ");
  return `${counted(applications.length, "application")}: ${counts}`;
}

const FIRST = 3;

/** What is wrong first; the same of several once. */
function notFoundLines(rows: readonly NotFound[], verbose: boolean): string[] {
  const inOrder = [...rows.filter((one) => one.isFailure), ...rows.filter((one) => !one.isFailure)];
  const groups = alikeGroups(inOrder, ({ reason, missing, isFailure, kind }) => ({
    message: reason,
    ...(missing === undefined ? {} : { missing }),
    apart: `${isFailure}\n${kind}`,
  }));
  return groups.map(({ all: group, message }) => {
    const [first] = group;
    const shown = verbose ? group : group.slice(0, FIRST);
    const more = group.length - shown.length;
    const names = shown
      .map(({ path, name }) => (name === undefined ? path : saysPath(name, path) ? name : `${name} in ${path}`))
      .join(", ");
    return lineText(
      `${first.isFailure ? "error" : "not examined"}: ${first.kind} ${names}${more === 0 ? "" : ` and ${more} more`}: ${message}`,
    );
  });
}
