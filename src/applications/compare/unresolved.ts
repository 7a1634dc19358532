import { ENGINE_FOUND, type Application } from "../discover/application.ts";
import type { NotFound } from "../discover/not-found.ts";
import type { Repository } from "../discover/repository.ts";
import type { InBoth } from "../discover/same-applications.ts";
import { PLAIN_KINDS } from "./not-rendered.ts";

// What an object of Argo CD or Flux defines, although one revision does not show it: engines report an error, or apply
// something from elsewhere. They do not delete or create everything.

/** A revision: the rows of objects that define nothing, and its objects. */
interface Revision {
  readonly notFound: readonly NotFound[];
  readonly repository: Repository;
}

type Sides = InBoth<{ readonly application: Application }>;

/** The row of a file with an object of an engine that cannot be read in one revision: the object stays in the cluster. */
export function unreadDefinition(
  { before, after }: Sides,
  { base, head }: Readonly<Record<"base" | "head", Pick<Revision, "notFound">>>,
): NotFound | undefined {
  const [application, rows] = after === undefined ? [before?.application, head] : [after.application, base];
  if (application === undefined || (before !== undefined && after !== undefined)) return undefined;
  if (!ENGINE_FOUND.has(application.foundBy)) return undefined;
  const [file] = application.definedIn;
  return rows.notFound.find(({ kind, path }) => PLAIN_KINDS.has(kind) && path === file);
}

/** The row of the object that defines an application of one revision, if the other one does not resolve it. */
export function unresolvedRow(
  { before, after }: Sides,
  { base, head }: Readonly<Record<"base" | "head", Revision>>,
): NotFound | undefined {
  if (after === undefined) return before && rowIn(head, before.application, base);
  if (before !== undefined) return undefined;
  const row = rowIn(base, after.application, head);
  // What is wrong, or names a folder that only the head has, applied nothing before.
  const isElsewhere = row !== undefined && !row.isFailure && row.isShown !== true;
  return isElsewhere && row.missing !== after.application.path ? row : undefined;
}

/** The row in a revision of the object that defines an application of the other one. */
function rowIn(
  { notFound, repository }: Revision,
  { foundBy, objects, definedIn: [file] }: Application,
  other: Revision,
): NotFound | undefined {
  const [object] = objects ?? [];
  if (object === undefined || !ENGINE_FOUND.has(foundBy)) return undefined;
  const isOfSet = ({ kind, name, path }: NotFound): boolean =>
    kind === "ApplicationSet" &&
    repository.objects.some((one) => one.kind === kind && one.name === name && one.file === path);
  const isRow = (row: NotFound): boolean =>
    row.kind === foundBy && row.path === file && (row.name === object.name || isOfSet(row));
  const row = other.notFound.some(isRow) ? undefined : notFound.find(isRow);
  // The ApplicationSet has a row of its own, and Argo CD keeps its Applications.
  return row !== undefined && isOfSet(row) ? { ...row, isFailure: false } : row;
}
