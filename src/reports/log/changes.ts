import { objectKey } from "../../base/identity.ts";
import { quietly } from "../../base/errors.ts";
import { sourceOfStampKey } from "../../base/stamp-keys.ts";
import { readManifests, type Item, type Manifests } from "../../yaml/read/items.ts";
import type { API_VERSION } from "../../base/keys.ts";
import type { Reason } from "../plan/plan-reasons.ts";
import type { Action } from "../plan/plan-report.ts";
import { changesOf, type ReasonReporting } from "../plan/pair.ts";
import { readSide, type Side, type SideWorkload } from "../plan/side.ts";
import { valueDiffs } from "../plan/value-diffs.ts";
import { changedKeys, isUnchanged } from "../../kubernetes/sources/changed-keys.ts";
import {
  documentsOf,
  isWanted,
  manifestsOf,
  remembered,
  type Found,
  type Reading,
  type Wanted,
} from "./find-workload.ts";

/** `rollstamp log -o json`. */
export interface RolloutLog {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: "RolloutLog";
  readonly workload: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  };
  /** The file that it is in now, from the root of the repository. */
  readonly path: string;
  /** The clone has not all of the history. */
  readonly shallow: boolean;
  /** The newest first. */
  readonly commits: readonly LoggedCommit[];
}

/** What a commit did to a workload. */
export interface Change {
  readonly action: Action;
  readonly reasons: readonly Reason[];
}

export interface LoggedCommit extends Change {
  readonly commit: string;
  readonly date: string;
  readonly author: string;
  readonly subject: string;
  /** The file that the workload is in behind it. */
  readonly path: string;
}

/** One side of a commit: the workload, and the documents that may hold its sources, the likeliest first. */
export interface SideTexts {
  readonly workload: Found | undefined;
  readonly sources: readonly string[];
}

/**
 * Takes the documents out of a text that may hold a source of a workload. `names` are those that it ever names;
 * undefined for any.
 */
export function sourceFinder(names: ReadonlySet<string> | undefined): (text: string) => readonly string[] {
  const isSource = remembered(
    (document) =>
      SOURCE_KIND.test(document) &&
      (names === undefined || (document.match(WORDS) ?? []).some((word) => names.has(word))),
  );
  return (text) => (SOURCE_KIND.test(text) ? documentsOf(text).filter(isSource) : []);
}

// Those that declare a Secret have it in their kind as well.
const SOURCE_KIND = /ConfigMap|Secret/u;

// What names of objects are made of (kubernetes.io/docs/concepts/overview/working-with-objects/names).
const WORDS = /[\w.-]+/gu;

/** Tells what became of a workload from one side to the other, by the stamps that stand there; undefined for nothing. */
export type ChangeOf = (before: SideTexts, after: SideTexts) => Change | undefined;

export function changeTeller(wanted: Wanted, reading: Reading): ChangeOf {
  const side = sideReader(reading);
  return (before, after) =>
    quietly(() => {
      // What a commit found is mostly what the one before it left, which is told next.
      const head = side(after);
      const base = side(before);
      const [from, to] = [ownIn(base, wanted), ownIn(head, wanted)];
      if (to === undefined) return from === undefined ? undefined : { action: "Delete", reasons: [] };
      if (from === undefined) return { action: "Create", reasons: [] };
      const { template, immutable } = changesOf(base, head, from, to, TELLING);
      if (immutable.length > 0) return { action: "Fail", reasons: [...immutable, ...template] };
      return template.length === 0 ? undefined : { action: to.rollout().effect, reasons: template };
    });
}

const TELLING: ReasonReporting = { showValues: false, valueDiffs: valueDiffs(), changedKeys };

function ownIn({ workloads }: Side, wanted: Wanted): SideWorkload | undefined {
  return [...workloads.values()].find(({ workload }) => isWanted(wanted, workload));
}

/** A side has the stamps that are committed: what a check would say of them was not what rolled. */
function sideReader({ limits, spec, hmacKey }: Reading): (texts: SideTexts) => Side {
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
    const own = texts.workload === undefined ? [] : [ownManifests(texts.workload)];
    const read = quietly(() => readSide([...own, ...sources], spec, hmacKey, true));
    // A source that can't be digested is no reason to lose the commit.
    const side = read ?? readSide(own, spec, hmacKey, true);
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

/** The sources of stamps that changed though what is at hand of them did not, or isn't there. */
export function unexplainedSources({ reasons }: Change): string[] {
  return reasons.flatMap((reason) => {
    if (reason.type === "Source") {
      const { keys, source } = reason;
      return isUnchanged(keys) && source.previousName === undefined ? [source.name] : [];
    }
    if (reason.type !== "Template") return [];
    const [, key = ""] = /^metadata\.annotations\["([^"]+)"\]$/u.exec(reason.path) ?? [];
    return sourceOfStampKey(key)?.name ?? [];
  });
}
