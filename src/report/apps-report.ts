import type { Application } from "../applications/application.ts";
import type { NotFound } from "../applications/not-found.ts";
import type { Applications } from "../applications/find-applications.ts";
import { counted, saysPath } from "../ground/words.ts";
import { jsonText } from "../results/json-text.ts";
import { lineText, pathText, printable } from "../results/terminal.ts";

export interface AppsNaming {
  /** Whether all that was not found is named. */
  readonly verbose?: boolean;
}

/** `apps -o json` (contract, section 9; schemas/apps.json). */
export function appsJson({ applications, notFound }: Applications): string {
  const shape = {
    applications: applications.map(shapeOf),
    notExamined: notFound.map(({ isFailure, ...row }) => ({ ...row, ...(isFailure ? { severity: "error" } : {}) })),
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
export function appsText({ applications, notFound }: Applications, { verbose = false }: AppsNaming = {}): string {
  const width = Math.min(60, Math.max(0, ...applications.map(({ name }) => printable(name).length)));
  const lines = applications.map((application) => lineOf(application, width));
  if (applications.length === 0) lines.push("no applications");
  else lines.push("", totals(applications));
  const rows = notFoundLines(notFound, verbose);
  return [...lines, ...(rows.length === 0 ? [] : ["", ...rows])].map((line) => `${line}\n`).join("");
}

function lineOf({ name, path, kind, foundBy, cluster, namespace, shownBy }: Application, width: number): string {
  const more = [
    ...(saysPath(name, path) ? [] : [path]),
    ...(cluster === undefined ? [] : [`cluster ${cluster}`]),
    ...(namespace === undefined ? [] : [`namespace ${namespace}`]),
    `by ${FOUND_BY[foundBy]}${shownBy === undefined ? "" : ` in what ${shownBy} renders to`}`,
  ].join(", ");
  return `${pathText(name).padEnd(width)}  ${kind.padEnd("Kustomize".length)}  ${printable(more)}`;
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
  const groups = new Map<string, NotFound[]>();
  for (const row of [...rows.filter((one) => one.isFailure), ...rows.filter((one) => !one.isFailure)]) {
    const key = `${row.isFailure}\n${row.kind}\n${row.reason}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [row]);
    else known.push(row);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const shown = verbose ? group : group.slice(0, FIRST);
    const more = group.length - shown.length;
    const names = shown
      .map(({ path, name }) => (name === undefined ? path : saysPath(name, path) ? name : `${name} in ${path}`))
      .join(", ");
    return [
      lineText(
        `${first.isFailure ? "error" : "not examined"}: ${first.kind} ${names}${more === 0 ? "" : ` and ${more} more`}: ${first.reason}`,
      ),
    ];
  });
}
