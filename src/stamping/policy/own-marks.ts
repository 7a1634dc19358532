import { objectKey } from "../../base/identity.ts";
import { EXCLUDE, SOURCES, STAMP } from "../../base/keys.ts";
import { comparing, type Spend } from "../../base/limits.ts";
import { firstAnswer, onceFor } from "../../base/grouped.ts";
import {
  type Excludes,
  type NamedSource,
  excludesOf,
  namedSources,
  type Refuse,
} from "../../kubernetes/sources/source-lists.ts";
import { indexTargets, targeting } from "../../kubernetes/workloads/targets.ts";
import type { Reference, Workload } from "../../kubernetes/workloads/types.ts";
import type { Override } from "../function/config-hash.ts";
import { annotationNode, type Item, readFlag, readText, wrongAnnotation } from "../../yaml/read/items.ts";
import { getPath } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";

/** What our annotations set for a workload, or the overrides of the configuration. */
export interface OwnMarks {
  readonly stamp: boolean | undefined;
  /** The name of the annotation or override, for `explain`. */
  readonly stampBy: string;
  /** The sources that count although the pod template does not name them. */
  readonly named: readonly Reference[];
  /** The annotation or override that names a source; undefined if none does. */
  readonly namedBy: (reference: Reference) => string | undefined;
  /** The annotation or override that excludes a source; undefined if none does. */
  readonly excludedBy: (reference: Reference) => string | undefined;
}

/** Returns the marks of a workload. Those of the objects that run its pods take precedence. */
export function marksBy(overrides: readonly Override[]): (workload: Workload) => OwnMarks {
  const context: Context = {
    intended: overrides.length === 0 ? () => [] : targeting(overrides, ({ target }) => target, indexOf(overrides)),
    spend: comparing("patterns with names"),
  };
  return (workload) => marksOf(workload, context);
}

// Cached per configuration: with --scope file, thousands of files are analysed separately.
const indexOf = onceFor((overrides: readonly Override[]) => indexTargets(overrides.map(({ target }) => target)));

interface Context {
  /** The overrides whose target matches a workload. */
  readonly intended: (workload: Pick<Workload, "item" | "namespace">) => readonly Override[];
  readonly spend: Spend;
}

function marksOf(workload: Workload, context: Context): OwnMarks {
  const { item, namespace, runBy } = workload;
  if (runBy.length === 0) return itemMarks(item, namespace, context);
  const all = [...runBy, item].map((marked) => itemMarks(marked, namespace, context));
  const deciding = all.find((marks) => marks.stamp !== undefined);
  return {
    stamp: deciding?.stamp,
    stampBy: deciding?.stampBy ?? "",
    named: all.flatMap((marks) => marks.named),
    namedBy: (reference) => firstAnswer(all, (marks) => marks.namedBy(reference)),
    excludedBy: (reference) => firstAnswer(all, (marks) => marks.excludedBy(reference)),
  };
}

const NO_MARKS: OwnMarks = {
  stamp: undefined,
  stampBy: "",
  named: [],
  namedBy: () => undefined,
  excludedBy: () => undefined,
};

/** For each mark, the annotation counts, else the last override that sets it. */
function itemMarks(item: Item, namespace: string, context: Context): OwnMarks {
  const intended = context.intended({ item, namespace });
  if (intended.length === 0 && !item.isAnnotated) return NO_MARKS;
  const stamp = stampMark(item, intended);
  const lists = sourceMarks(item, intended);
  const named = lists.sources.map((source) => referenceTo(source, item, namespace, lists.place));
  const known = new Set(named.map((reference) => objectKey(reference)));
  const exclude = excludeMark(item, intended);
  return {
    ...stamp,
    named,
    namedBy: (other) => (known.has(objectKey(other)) ? lists.by : undefined),
    excludedBy: ({ kind, name }) => {
      const entry = exclude.excludes(kind, name, (steps) => context.spend(steps, item.tree.limits));
      return entry === undefined ? undefined : `${exclude.by}: ${entry}`;
    },
  };
}

function stampMark(item: Item, overrides: readonly Override[]): Pick<OwnMarks, "stamp" | "stampBy"> {
  const flag = readFlag(item, STAMP);
  if (flag !== undefined) return { stamp: flag, stampBy: STAMP };
  const override = overrides.findLast(({ stamp }) => stamp !== undefined);
  return { stamp: override?.stamp, stampBy: `${override?.path ?? ""}.stamp` };
}

interface SourceMarks {
  readonly sources: readonly NamedSource[];
  readonly by: string;
  /** Where a finding about one of them points to. */
  readonly place: Pick<Reference, "field" | "node">;
}

function sourceMarks(item: Item, overrides: readonly Override[]): SourceMarks {
  const node = annotationNode(item, SOURCES);
  if (node !== NONE) {
    return {
      sources: readNamedSources(item),
      by: SOURCES,
      place: { field: `metadata.annotations[${SOURCES}]`, node },
    };
  }
  const override = overrides.findLast(({ named }) => named !== undefined);
  return {
    sources: override?.named ?? [],
    by: `${override?.path ?? ""}.sources`,
    // The configuration names the source for this object.
    place: { field: "metadata.name", node: getPath(item.tree, item.node, ["metadata", "name"]) },
  };
}

function excludeMark(item: Item, overrides: readonly Override[]): { readonly excludes: Excludes; readonly by: string } {
  if (annotationNode(item, EXCLUDE) !== NONE) return { excludes: readExcludes(item), by: EXCLUDE };
  const override = overrides.findLast(({ excludes }) => excludes !== undefined);
  return { excludes: override?.excludes ?? (() => undefined), by: `${override?.path ?? ""}.exclude` };
}

function referenceTo(
  source: NamedSource,
  item: Item,
  ownNamespace: string,
  place: Pick<Reference, "field" | "node">,
): Reference {
  return {
    kind: source.kind,
    namespace: source.namespace || ownNamespace,
    name: source.name,
    keys: "*",
    requiredKeys: [],
    via: "extra",
    optional: false,
    containers: [],
    ...place,
    item,
  };
}

/** Reads the sources that `rollstamp.dev/sources` names. Throws for an invalid list. */
export function readNamedSources(item: Item): NamedSource[] {
  return namedSources(readList(item, SOURCES), item.tree.limits.name, refusing(item, SOURCES));
}

/** Reads `rollstamp.dev/exclude`. Throws for an invalid list. */
export function readExcludes(item: Item): Excludes {
  return excludesOf(readList(item, EXCLUDE), item.tree.limits.expression, refusing(item, EXCLUDE));
}

function refusing(item: Item, key: string): Refuse {
  return (problem, remedy) => wrongAnnotation(item, key, problem, remedy(", separated by commas"));
}

function readList(item: Item, key: string): string[] {
  const text = readText(item, key);
  return text === undefined || text.trim() === "" ? [] : text.split(",");
}
