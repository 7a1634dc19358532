import { ENGINE_FOUND, type Application } from "../discover/application.ts";
import type { NotFound } from "../discover/not-found.ts";
import type { Repository } from "../discover/repository.ts";
import type { InBoth } from "../discover/same-applications.ts";
import { PLAIN_KINDS } from "./not-rendered.ts";

// What an object of Argo CD or Flux still defines, although the head does not show it: engines report an error, or apply
// something from elsewhere. They do not delete everything.

/** The rows of each revision for objects that define nothing. */
interface Revisions {
  readonly base: { readonly notFound: readonly NotFound[] };
  readonly head: { readonly notFound: readonly NotFound[]; readonly repository: Repository };
}

/** The row of a file with an object of an engine that cannot be read in one revision: the object stays in the cluster. */
export function unreadDefinition(
  { before, after }: InBoth<{ readonly application: Application }>,
  { base, head }: Readonly<Record<"base" | "head", { readonly notFound: readonly NotFound[] }>>,
): NotFound | undefined {
  const [application, rows] = after === undefined ? [before?.application, head] : [after.application, base];
  if (application === undefined || (before !== undefined && after !== undefined)) return undefined;
  if (!ENGINE_FOUND.has(application.foundBy)) return undefined;
  const [file] = application.definedIn;
  return rows.notFound.find(({ kind, path }) => PLAIN_KINDS.has(kind) && path === file);
}

/** The row of the object that defines an application of the base, if the head does not resolve it. */
export function unresolvedRow(
  { before, after }: InBoth<{ readonly application: Application }>,
  { base, head }: Revisions,
): NotFound | undefined {
  const { foundBy, objects, definedIn } = before?.application ?? {};
  const [object] = objects ?? [];
  const [file] = definedIn ?? [];
  if (after !== undefined || foundBy === undefined || object === undefined || !ENGINE_FOUND.has(foundBy))
    return undefined;
  const isOfSet = ({ kind, name, path }: NotFound): boolean =>
    kind === "ApplicationSet" &&
    head.repository.objects.some((one) => one.kind === kind && one.name === name && one.file === path);
  const isRow = (row: NotFound): boolean =>
    row.kind === foundBy && row.path === file && (row.name === object.name || isOfSet(row));
  const row = base.notFound.some(isRow) ? undefined : head.notFound.find(isRow);
  // The ApplicationSet has a row of its own, and Argo CD keeps its Applications.
  return row !== undefined && isOfSet(row) ? { ...row, isFailure: false } : row;
}
