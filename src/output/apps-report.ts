import { list, paragraph, table, texts } from "./document/blocks.ts";
import type { Application } from "../applications/discover/application.ts";
import { rowOf, type NotFound } from "../applications/discover/not-found.ts";
import type { Applications } from "../applications/discover/find-applications.ts";
import { counted, containsPath } from "../base/words.ts";
import { alikeGroups } from "../base/alike.ts";
import { pathText } from "../findings/results/terminal.ts";
import { jsonText } from "../findings/results/json-text.ts";
import type { Block, Document } from "./document/document.ts";
import { groupedBy } from "../base/grouped.ts";

export interface AppsNaming {
  /** Whether all objects that are not applications are named. */
  readonly verbose?: boolean;
  /** Whether applications that only a rendering shows are included. */
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

/** `apps -o name`: a name in each line, as `--app` takes it. */
export function appsNames({ applications }: Applications): string {
  return applications.map(({ name }) => `${pathText(name)}\n`).join("");
}

/** An application in JSON. Values and parameters are left out: they may be secret. */
function shapeOf(application: Application): unknown {
  const { name, path, kind, foundBy, cluster, namespace, definedIn, shownBy } = application;
  const { stampedBy = "Nothing", held, orphan } = application;
  const more = { ...(definedIn.length === 0 ? {} : { definedIn }), ...(shownBy === undefined ? {} : { shownBy }) };
  return { name, path, kind, foundBy, cluster, namespace, ...more, stampedBy, held, orphan };
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

/** `apps -o text`: a line for each application, and one for each reason why something is not an application. */
export function appsDocument(
  { applications, notFound }: Applications,
  { verbose = false, isRendered = false }: AppsNaming = {},
): Document {
  const rows = notFoundLines(notFound, verbose);
  const shown = isRendered ? 0 : notFound.filter(({ isShown }) => isShown === true).length;
  const blocks: Block[] =
    applications.length === 0
      ? [paragraph("no applications")]
      : [applicationTable(applications), paragraph(totals(applications))];
  if (rows.length > 0) blocks.push(list(rows));
  if (shown > 0)
    blocks.push(
      paragraph(
        `A rendering may show ${counted(shown, "of these objects", "of these objects")}: rollstamp apps --expand`,
      ),
    );
  return { title: "apps", blocks };
}

const COLUMNS: readonly { readonly title: string; readonly cell: (application: Application) => string | undefined }[] =
  [
    { title: "KIND", cell: ({ kind }) => kind },
    { title: "FOUND BY", cell: ({ foundBy }) => FOUND_BY[foundBy] },
    { title: "STAMPED BY", cell: ({ stampedBy }) => (stampedBy === "Nothing" ? undefined : stampedBy) },
    { title: "HELD", cell: ({ held, orphan }) => (orphan === true ? "Orphan" : held) },
    { title: "CLUSTER", cell: ({ cluster }) => cluster },
    { title: "NAMESPACE", cell: ({ namespace }) => namespace },
    // Names may contain paths and be long, so short columns come first.
    { title: "NAME", cell: ({ name }) => name },
    { title: "PATH", cell: ({ name, path }) => (containsPath(name, path) ? undefined : path) },
    { title: "SHOWN BY", cell: ({ shownBy }) => shownBy },
  ];

const OPTIONAL: ReadonlySet<string> = new Set(["PATH", "SHOWN BY"]);

/** Columns without any value are left out. */
function applicationTable(applications: readonly Application[]): Block {
  const columns = COLUMNS.filter(({ cell }) => applications.some((application) => cell(application) !== undefined));
  return table(
    columns.map(({ title }) => texts(title)),
    applications.map((application) =>
      columns.map(({ title, cell }) => [cell(application) ?? (OPTIONAL.has(title) ? "" : "-")]),
    ),
  );
}

function totals(applications: readonly Application[]): string {
  const groups = groupedBy(applications, ({ foundBy }) => FOUND_BY[foundBy]);
  const counts = [...groups].map(([what, all]) => `${all.length} by ${what}`).join(", ");
  return `${counted(applications.length, "application")}: ${counts}`;
}

const FIRST = 3;

/** What is not listed, and why: errors first, and the same reason of several objects in one line. */
export function notFoundLines(rows: readonly NotFound[], verbose: boolean): string[] {
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
      .map(({ path, name }) => (name === undefined ? path : containsPath(name, path) ? name : `${name} in ${path}`))
      .join(", ");
    return `${first.isFailure ? "error" : "not examined"}: ${first.kind} ${names}${more === 0 ? "" : ` and ${more} more`}: ${message}`;
  });
}
