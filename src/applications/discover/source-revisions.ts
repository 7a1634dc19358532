import { type Mapping, fieldsOf, textOrEmpty } from "../../yaml/read/json.ts";
import { givenText } from "./objects.ts";
import type { Application } from "./application.ts";
import type { Repository } from "./repository.ts";

// Which revision of the repository Argo CD or Flux takes an application from. A plan is of two revisions, and takes
// everything from these: where the objects themselves go from one tag to another, it has not seen what differs.

/** A `targetRevision` of Argo CD, or the `revision` of a git generator; the default branch is HEAD. */
export function argoRevision({ targetRevision, revision }: Mapping): string {
  const text = textOrEmpty(targetRevision ?? revision).replace(/^refs\/(?:heads|tags)\//u, "");
  return text === "" ? DEFAULT : text;
}

/** Those of sources of this repository; a chart's is its version. */
export function ownRevisions(
  sources: readonly Mapping[],
  { isOwnAddress }: Pick<Repository, "isOwnAddress">,
): readonly string[] {
  const own = sources.filter(
    (one) => givenText(one["chart"]) === undefined && isOwnAddress(textOrEmpty(one["repoURL"])),
  );
  return own.map(argoRevision);
}

/** The `ref` of a GitRepository: of several fields the first counts (source-controller, docs/spec/v1/gitrepositories.md). */
export function fluxRevision(spec: Mapping | undefined): string {
  if (spec === undefined) return UNKNOWN;
  const ref = fieldsOf(spec["ref"]);
  const text = ["commit", "name", "semver", "tag", "branch"].map((field) => givenText(ref[field]));
  return text.find((one) => one !== undefined)?.replace(/^refs\/(?:heads|tags)\//u, "") ?? DEFAULT;
}

const DEFAULT = "HEAD";
/** Of a source that is in no file: one that comes into the repository later is not another one. */
const UNKNOWN = "";

/** Revisions as an application has them: undefined where all are the default branch, an empty list where one isn't known. */
export function withRevisions(all: readonly string[]): Pick<Application, "revisions"> {
  if (all.includes(UNKNOWN)) return { revisions: [] };
  const revisions = [...new Set(all)].sort();
  return revisions.every((one) => one === DEFAULT) ? {} : { revisions };
}

/** The revisions of an application before and after. */
export interface Moved {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** From which revisions to which others an application goes; undefined where it stays. */
export function revisionsMoved(before: Application | undefined, after: Application | undefined): Moved | undefined {
  if (before === undefined || after === undefined) return undefined;
  const [from, to] = [before.revisions ?? [DEFAULT], after.revisions ?? [DEFAULT]];
  const isKnown = from.length > 0 && to.length > 0;
  return !isKnown || from.join("\0") === to.join("\0") ? undefined : { from, to };
}
