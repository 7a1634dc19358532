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

/**
 * Why the revision without an application may have it: the file of its object cannot be read there, so that the object stays
 * in the cluster, or the revision does not resolve the object.
 */
export function unresolvedRow(
  { before, after }: InBoth<{ readonly application: Application }>,
  { base, head }: Readonly<Record<"base" | "head", Revision>>,
): NotFound | undefined {
  const [{ application } = {}, without, other] = after === undefined ? [before, head, base] : [after, base, head];
  if (application === undefined || (before !== undefined && after !== undefined)) return undefined;
  if (!ENGINE_FOUND.has(application.foundBy)) return undefined;
  const [file] = application.definedIn;
  const unread = without.notFound.find(({ kind, path }) => PLAIN_KINDS.has(kind) && path === file);
  const row = unread ?? rowIn(without, application, other);
  if (row === undefined || row === unread || after === undefined) return row;
  // What is wrong, or names a folder that only the head has, applied nothing before.
  return row.isFailure || row.isShown === true || row.missing === application.path ? undefined : row;
}

/** The row in a revision of the object that defines an application of the other one. */
function rowIn(
  { notFound, repository }: Revision,
  { foundBy, objects, definedIn: [file] }: Application,
  other: Revision,
): NotFound | undefined {
  const [object] = objects ?? [];
  if (object === undefined) return undefined;
  const isOfSet = ({ kind, name, path }: NotFound): boolean =>
    kind === "ApplicationSet" &&
    repository.objects.some((one) => one.kind === kind && one.name === name && one.file === path);
  const isRow = (row: NotFound): boolean =>
    row.kind === foundBy && row.path === file && (row.name === object.name || isOfSet(row));
  const row = other.notFound.some(isRow) ? undefined : notFound.find(isRow);
  // The ApplicationSet has a row of its own, and Argo CD keeps its Applications.
  return row !== undefined && isOfSet(row) ? { ...row, isFailure: false } : row;
}
