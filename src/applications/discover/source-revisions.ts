import { type Mapping, fieldsOf, textOrEmpty } from "../../yaml/read/json.ts";
import { givenText, givenVersion } from "./objects.ts";
import type { Application } from "./application.ts";
import type { Repository } from "./repository.ts";

// The revision of the repository that Argo CD or Flux takes an application from. A plan compares two revisions and
// takes everything from these: if the objects themselves move from one tag to another, it does not see what differs.

/** `targetRevision` of Argo CD, or `revision` of a git generator; HEAD is the default branch. */
export function argoRevision({ targetRevision, revision }: Mapping): string {
  const text = shortName(givenVersion(targetRevision ?? revision) ?? "");
  return text === "" ? DEFAULT : text;
}

/** The revisions of sources of this repository; that of a chart is its version. */
export function ownRevisions(
  sources: readonly Mapping[],
  { isOwnAddress }: Pick<Repository, "isOwnAddress">,
): readonly string[] {
  const ownSources = sources.filter(
    (one) => givenText(one["chart"]) === undefined && isOwnAddress(textOrEmpty(one["repoURL"])),
  );
  return ownSources.map(argoRevision);
}

/**
 * `ref` of a GitRepository: the first of several fields counts (source-controller, docs/spec/v1/gitrepositories.md).
 */
export function fluxRevision(spec: Mapping | undefined): string {
  if (spec === undefined) return UNKNOWN;
  const ref = fieldsOf(spec["ref"]);
  const text = ["commit", "name", "semver", "tag"].map((field) => givenVersion(ref[field]));
  const branch = givenVersion(ref["branch"]);
  const first = text.find((one) => one !== undefined) ?? (branch === undefined ? undefined : `refs/heads/${branch}`);
  return first === undefined ? DEFAULT : shortName(first);
}

/** A reference without `refs/tags/` or `refs/heads/`; a branch that is called like a version keeps it. */
function shortName(reference: string): string {
  const short = reference.replace(/^refs\/(?:heads|tags)\//u, "");
  return reference.startsWith("refs/heads/") && PIN.test(short) ? reference : short;
}

const USUAL: ReadonlySet<string> = new Set(["", "HEAD", "main", "master"]);

/** The revision of a source, if it may differ from the one that is checked out: a tenant may have its own branch. */
export function otherRevision(revision: string): string | undefined {
  return USUAL.has(revision) ? undefined : revision;
}

const DEFAULT = "HEAD";
/** The revision of a source that is in no file: if it is added later, nothing has moved. */
const UNKNOWN = "";

/** The field of an application: undefined if all are the default branch, empty if one is unknown. */
export function withRevisions(all: readonly string[]): Pick<Application, "revisions"> {
  if (all.includes(UNKNOWN)) return { revisions: [] };
  const revisions = [...new Set(all)].sort();
  return revisions.every((one) => one === DEFAULT) ? {} : { revisions };
}

/** A commit, or a version or range of versions. Another name may be a branch, which a merge changes. */
const PIN = /^(?:[\da-f]{40}|v?\d+\.\d+\.\d+(?:[-+][-+.\w]{1,30})?|[<>=~^][-+.\w\s<>=~^,|]{1,40})$/u;

/** What an application is deployed from if a merge into any branch can't change it; undefined if one may. */
export function pinOf({ revisions = [] }: Pick<Application, "revisions">): string | undefined {
  const [revision, ...others] = revisions;
  return revision !== undefined && others.length === 0 && PIN.test(revision) ? revision : undefined;
}

export interface Moved {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** The revisions before and after; undefined if they are the same, such as HEAD and the branch that usually is the default. */
export function revisionsMoved(before: Application | undefined, after: Application | undefined): Moved | undefined {
  if (before === undefined || after === undefined) return undefined;
  const [from, to] = [before.revisions ?? [DEFAULT], after.revisions ?? [DEFAULT]];
  const isKnown = from.length > 0 && to.length > 0;
  const all = new Set([DEFAULT, ...from, ...to]);
  const isDefault = all.size <= 2 && [...all].every((one) => USUAL.has(one));
  return !isKnown || isDefault || from.join("\0") === to.join("\0") ? undefined : { from, to };
}
