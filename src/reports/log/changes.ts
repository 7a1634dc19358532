import type { ObjectName } from "../../base/names.ts";
import { objectKey } from "../../base/identity.ts";
import { quietly } from "../../base/errors.ts";
import { sourceOfStampKey } from "../../base/stamp-keys.ts";
import { readManifests, type Item, type Manifests } from "../../yaml/read/items.ts";
import type { API_VERSION } from "../../base/keys.ts";
import type { Reason } from "../plan/plan-reasons.ts";
import type { Action } from "../plan/planned-workload.ts";
import { changesOf, type ReasonReporting } from "../plan/pair.ts";
import { secretTextsOf } from "../plan/secret-texts.ts";
import { readSide, type Side, type SideWorkload } from "../plan/side.ts";
import { changedKeys } from "../../kubernetes/sources/changed-keys.ts";
import {
  documentsOf,
  isWanted,
  manifestsOf,
  remembered,
  type Found,
  type Reading,
  type Wanted,
} from "./find-workload.ts";

/** The report of `rollstamp log` (schemas/log.json). */
export interface RolloutLog {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: "RolloutLog";
  readonly workload: ObjectName;
  /** The current file of the workload, relative to the root of the repository. */
  readonly path: string;
  /** The clone does not contain the whole history. */
  readonly shallow: boolean;
  /** Newest first. */
  readonly commits: readonly LoggedCommit[];
}

export interface Change {
  readonly action: Action;
  readonly reasons: readonly Reason[];
}

export interface LoggedCommit extends Change {
  readonly commit: string;
  readonly date: string;
  readonly author: string;
  /** Without values of Secrets. */
  readonly subject: string;
  /** The file that contains the workload after the commit. */
  readonly path: string;
}

/** One side of a commit: the workload, and documents that may be its sources, the most likely first. */
export interface SideTexts {
  readonly workload: Found | undefined;
  readonly sources: readonly string[];
}

/**
 * Finds the documents of a file that may be sources of a workload. `names` are the sources that it ever refers to;
 * undefined if any source may count.
 */
export function sourceFinder(names: ReadonlySet<string> | undefined): (text: string) => readonly string[] {
  const isSource = remembered(
    (document) =>
      SOURCE_KIND.test(document) &&
      (names === undefined || (document.match(WORDS) ?? []).some((word) => names.has(word))),
  );
  return (text) => (SOURCE_KIND.test(text) ? documentsOf(text).filter(isSource) : []);
}

// The kinds that declare a Secret contain the word as well.
const SOURCE_KIND = /ConfigMap|Secret/u;

// The characters of object names (kubernetes.io/docs/concepts/overview/working-with-objects/names).
const WORDS = /[\w.-]+/gu;

/** The effect of a change on a workload, according to its committed stamps; undefined if there is none. */
export type ChangeOf = (before: SideTexts, after: SideTexts) => Change | undefined;

/** `secrets` gets the values of the Secrets of all changes: a subject or field of any commit may repeat one. */
export function changeFinder(wanted: Wanted, reading: Reading, secrets: Set<string>): ChangeOf {
  const side = sideReader(reading, secrets);
  return (before, after) =>
    quietly(() => {
      // The newer side is usually the older side of the next comparison, so it is read first.
      const head = side(after);
      const base = side(before);
      const [from, to] = [ownIn(base, wanted), ownIn(head, wanted)];
      if (to === undefined) return from === undefined ? undefined : { action: "Delete", reasons: [] };
      if (from === undefined) return { action: "Create", reasons: [] };
      const { template, immutable } = changesOf({ base, head, from, to }, REPORTING);
      const reasons = [...immutable, ...template];
      if (immutable.length > 0) return { action: "Fail", reasons };
      return reasons.length === 0 ? undefined : { action: to.rollout().effect, reasons };
    });
}

const REPORTING: ReasonReporting = { showValues: false, changedKeys };

function ownIn({ workloads }: Side, wanted: Wanted): SideWorkload | undefined {
  return [...workloads.values()].find(({ workload }) => isWanted(wanted, workload));
}

/** Adds the values of the Secrets in files to `secrets`. */
export function secretFinder(reading: Reading, secrets: Set<string>): (text: string) => void {
  const sourcesIn = sourceFinder(undefined);
  const side = sideReader(reading, secrets);
  return (text) => quietly(() => side({ workload: undefined, sources: sourcesIn(text) }));
}

/** Reads a side with its committed stamps. What `stamp --check` would report did not roll out anything. */
function sideReader({ limits, spec, hmacKey }: Reading, secrets: Set<string>): (texts: SideTexts) => Side {
  const sourcesIn = remembered((document): Manifests | undefined => {
    const manifests = manifestsOf(document, limits);
    const items = manifests?.items.filter(({ kind }) => SOURCE_KIND.test(kind)) ?? [];
    return manifests === undefined || items.length === 0 ? undefined : { ...manifests, items };
  });
  let last: { readonly texts: SideTexts; readonly side: Side } | undefined;
  return (texts) => {
    if (last !== undefined && isSame(last.texts, texts)) return last.side;
    const seen = new Set<string>();
    const isNew = (item: Item): boolean => {
      const id = objectKey(item);
      if (seen.has(id)) return false;
      seen.add(id);
      return true;
    };
    const sources = texts.sources.flatMap((document): Manifests[] => {
      const manifests = sourcesIn(document);
      const items = manifests?.items.filter(isNew) ?? [];
      return manifests === undefined || items.length === 0 ? [] : [{ ...manifests, items }];
    });
    const workload = texts.workload === undefined ? [] : [ownManifests(texts.workload)];
    const read = quietly(() => readSide([...workload, ...sources], spec, hmacKey, "Live"));
    // If a source cannot be digested, the commit is still reported.
    const side = read ?? readSide(workload, spec, hmacKey, "Live");
    for (const text of secretTextsOf(side)) secrets.add(text);
    last = { texts, side };
    return side;
  };
}

function isSame(a: SideTexts, b: SideTexts): boolean {
  return (
    a.workload?.digest === b.workload?.digest &&
    a.sources.length === b.sources.length &&
    a.sources.every((document, i) => document === b.sources[i])
  );
}

function ownManifests({ item }: Found): Manifests {
  return { ...readManifests(item.tree), items: [item] };
}

/** The sources of changed stamps whose available content is unchanged or missing. */
export function unexplainedSources({ reasons }: Change): string[] {
  return reasons.flatMap((reason) => {
    if (reason.type !== "Stamp") return [];
    const [, key = ""] = /^metadata\.annotations\["([^"]+)"\]$/u.exec(reason.path) ?? [];
    return sourceOfStampKey(key)?.name ?? [];
  });
}
