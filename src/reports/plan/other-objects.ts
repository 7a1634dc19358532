import { compareBytes } from "../../base/digest/hash-v1.ts";
import { addTo, groupedBy, once } from "../../base/grouped.ts";
import { objectKey } from "../../base/identity.ts";
import { resourceRef } from "../../findings/results/location.ts";
import type { Workload } from "../../kubernetes/workloads/types.ts";
import { hasOwnName, type Item } from "../../yaml/read/items.ts";
import { namespacesIn } from "../../yaml/read/placed.ts";
import { riskOfObject, objectIdentity } from "./judged.ts";
import { lostAccess } from "./lost-access.ts";
import { contentOf } from "./object-content.ts";
import { neededObjects } from "./needed-objects.ts";
import { lostGrants } from "./lost-grants.ts";
import { lostBackends, usersOfDeleted, type LostUse } from "./named-objects.ts";
import { isOfTools } from "./of-tools.ts";
import { objectFields } from "./object-fields.ts";
import type { Applying } from "./planned-application.ts";
import type { PlannedObject } from "./planned-workload.ts";
import { refusedChange } from "./refused-objects.ts";
import { isSameText } from "./same-text.ts";
import type { Places, Side } from "./side.ts";
import type { PlanContext } from "./plan-context.ts";

/** How many objects a report has, unless more are risky. */
const MOST_OBJECTS = 200;

/** How many objects that name a deleted one a report has. */
const MOST_USERS = 20;

/** Two renderings, and what is known about their workloads. */
export interface ComparedSides extends Pick<PlanContext, "part" | "base" | "head" | "places" | "applying"> {
  /** The objects of listed workloads, which are no other objects. */
  readonly listed: ReadonlySet<Item>;
}

/** The objects that differ besides the listed workloads. */
export interface OtherObjects {
  /** All risky ones, and the most important others. */
  readonly objects: readonly PlannedObject[];
  readonly otherObjects: number;
}

/**
 * The objects that are created, deleted or changed besides the workloads that a plan lists: for example a Service, or a
 * workload that changes outside of its pod template. Stamps do not count. `causes` are the sources that change workloads.
 */
export function otherObjects(pairs: readonly ComparedSides[], causes: ReadonlySet<Item>): OtherObjects {
  const objects = pairs.flatMap((pair) => differencesOf(pair, causes));
  return { objects: mostImportantObjects(objects), otherObjects: objects.length };
}

/**
 * All risky objects, and the most important others: the worst first, then deletions, changes and creations; then by
 * identity. Verdict, gates and reports see only these, so what is risky is never left out.
 */
export function mostImportantObjects(objects: readonly PlannedObject[]): PlannedObject[] {
  const ranked = objects.map((object) => ({ object, ...riskOfObject(object), key: objectIdentity(object) }));
  const risky = ranked.filter(({ isRisky }) => isRisky).length;
  return ranked
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        CHANGES.indexOf(a.object.change) - CHANGES.indexOf(b.object.change) ||
        compareBytes(a.key, b.key),
    )
    .slice(0, Math.max(risky, MOST_OBJECTS))
    .map(({ object }) => object);
}

const CHANGES: readonly PlannedObject["change"][] = ["Delete", "Change", "Create"];

function differencesOf(
  { part, base, head, places, listed, applying }: ComparedSides,
  causes: ReadonlySet<Item>,
): PlannedObject[] {
  // The objects of a cluster have fields that no manifest sets.
  if (base.stamps === "Live" || head.stamps === "Live") return [];
  const before = byIdentity(base);
  const after = byIdentity(head);
  const workloads = { base: workloadsOf(base), head: workloadsOf(head) };
  const needed = neededObjects(head);
  const usersOf = usersOfDeleted(base, head);
  const lost = once(() => new Map([...lostBackends(base, head), ...lostGrants(base, head)]));
  // Copies come and go with the content of their sources, which are what a report names.
  const copies = new Set([base, head].flatMap(copyItems));
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const paired = pairedCopies(before.get(key) ?? [], after.get(key) ?? [], places);
    return paired.flatMap(([old, current]): readonly PlannedObject[] => {
      const present = [old, current].flatMap((one) => (one === undefined ? [] : [one.item]));
      const changed = present.some((item) => listed.has(item) || copies.has(item))
        ? undefined
        : changeOf(old, current, workloads, applying, lost);
      if (changed === undefined) return [];
      const isCause = present.some((item) => causes.has(item));
      const isNeeded = changed.change === "Delete" && needed.has(key);
      const users = present.flatMap((item) => [
        ...(changed.change === "Delete" ? usersOf(item, key) : []),
        ...(lost().get(item)?.users ?? []),
      ]);
      return [
        {
          ...changed,
          ...(part === undefined ? {} : { part }),
          ...(isCause ? { isCause } : {}),
          ...(isNeeded ? { isNeeded } : {}),
          ...(users.length > 0 ? { usedBy: users.slice(0, MOST_USERS).map(resourceRef) } : {}),
        },
      ];
    });
  });
}

type Copies = readonly (readonly [old: PlacedItem | undefined, current: PlacedItem | undefined])[];

/** The copies of one object on both sides: those of one file, then the others in their order. */
function pairedCopies(from: readonly PlacedItem[], to: readonly PlacedItem[], places: Places | undefined): Copies {
  const isNamed = [...from, ...to].every(({ item }) => hasOwnName(item));
  if (!isNamed || from.length <= to.length) return inOrder(from, to);
  const fileOf = ({ item }: PlacedItem): string => places?.fileOf(item) ?? "";
  const [before, after] = [groupedBy(from, fileOf), groupedBy(to, fileOf)];
  const paired = [...before].map(([file, copies]) => inOrder(copies, after.get(file) ?? []));
  const come = [...after].flatMap(([file, copies]) => copies.slice(before.get(file)?.length ?? 0));
  const stays = paired.flat().filter(([old, current]) => old !== undefined && current !== undefined);
  const gone = paired.flat().flatMap(([old, current]) => (old === undefined || current !== undefined ? [] : [old]));
  const left = inOrder(gone, come).map(([old, current]): Copies[number] => {
    if (old === undefined || current !== undefined) return [old, current];
    const item = places === undefined ? to.at(-1)?.item : places.keptAs(old.item);
    return [old, item === undefined ? undefined : { item, namespace: old.namespace }];
  });
  return [...stays, ...left];
}

function inOrder(from: readonly PlacedItem[], to: readonly PlacedItem[]): Copies {
  return Array.from({ length: Math.max(from.length, to.length) }, (_, nth) => [from[nth], to[nth]]);
}

/** What happens to an object; undefined if it stays the same. */
function changeOf(
  old: PlacedItem | undefined,
  current: PlacedItem | undefined,
  workloads: Readonly<Record<"base" | "head", ReadonlyMap<Item, Workload>>>,
  applying: Applying,
  lost: () => ReadonlyMap<Item, LostUse>,
): PlannedObject | undefined {
  const present = current ?? old;
  if (present === undefined) return undefined;
  const { apiVersion, kind, name } = present.item;
  const named = { apiVersion, kind, namespace: present.namespace, name };
  if (old === undefined) {
    const refused = refusedChange(present.item, null, contentOf(present.item, undefined), applying);
    return { ...named, change: "Create", fields: [], ...refused };
  }
  if (current === undefined) return { ...named, change: "Delete", fields: [] };
  if (isSameText(old.item, current.item)) return undefined;
  const from = contentOf(old.item, workloads.base.get(old.item));
  const to = contentOf(current.item, workloads.head.get(current.item));
  const { fields, moreFields } = objectFields(current.item, from, to);
  if (fields.length === 0) return undefined;
  const loses = lostAccess(current.item, from, to) ?? lost().get(current.item)?.field;
  return {
    ...named,
    change: "Change",
    fields,
    ...(moreFields > 0 ? { moreFields } : {}),
    ...refusedChange(current.item, from, to, applying),
    ...(loses === undefined ? {} : { loses }),
  };
}

interface PlacedItem {
  readonly item: Item;
  readonly namespace: string;
}

/** Kinds that two groups serve: kubectl applies either as an update. */
const MOVED_KINDS: ReadonlyMap<string, string> = new Map([
  ["Deployment", "apps"],
  ["DaemonSet", "apps"],
  ["ReplicaSet", "apps"],
  ["Ingress", "networking.k8s.io"],
  ["NetworkPolicy", "networking.k8s.io"],
]);

/** Objects by identity. Objects with generated names share one, and are distinguished by their order. */
function byIdentity({ analysis: { items }, spec }: Side): ReadonlyMap<string, readonly PlacedItem[]> {
  const found = new Map<string, PlacedItem[]>();
  const namespaceOf = namespacesIn(items, spec.defaultNamespace);
  for (const item of items) {
    if (isOfTools(item) || item.group === "kustomize.config.k8s.io") continue;
    const namespace = namespaceOf(item);
    const group = item.group === "extensions" ? (MOVED_KINDS.get(item.kind) ?? item.group) : item.group;
    addTo(found, objectKey({ group, kind: item.kind, name: item.name }, namespace), { item, namespace });
  }
  return found;
}

function copyItems({ analysis: { sources } }: Side): readonly Item[] {
  return sources.copies.map(({ source }) => source.item);
}

function workloadsOf({ analysis }: Side): ReadonlyMap<Item, Workload> {
  return new Map(analysis.workloads.map((workload) => [workload.item, workload]));
}
