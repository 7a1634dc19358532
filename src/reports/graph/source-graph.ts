import { objectKey } from "../../base/identity.ts";
import { groupedBy, onceFor } from "../../base/grouped.ts";
import { compareBytes, keysOfAll } from "../../base/digest/hash-v1.ts";
import type { Analysis } from "../../stamping/pipeline.ts";
import type { Decision } from "../../stamping/policy/types.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import type { Reference, Via, Workload } from "../../kubernetes/workloads/types.ts";
import type { GraphEdge, SourceGraph, GraphSource, GraphWorkload } from "./graph-report.ts";

/** The sources of an input and the workloads that see them, in one order whatever that of the input. */
export function sourceGraph(analyses: readonly Analysis[]): SourceGraph {
  // A workload may see what stands in another part of the run.
  const scopes = new Map<Source | undefined, number>(
    analyses.flatMap((analysis, scope) => analysis.sources.all.map((one) => [one, scope] as const)),
  );
  const uses = analyses.flatMap((analysis, scope) => usesIn(analysis, (source) => String(scopes.get(source) ?? scope)));
  const workloads = ordered(
    analyses.flatMap(({ workloads: all }) => all.map((workload) => [workload, graphWorkload(workload)] as const)),
  );
  const sources = new Map<string, GraphSource>();
  analyses.forEach((analysis, scope) => {
    for (const source of analysis.sources.all) {
      const { kind, namespace, name } = source.provides;
      // Of several that make one object only the one that counts is a source.
      if (analysis.sources.find(kind, namespace, name)?.item !== source.item) continue;
      sources.set(idOf(String(scope), kind, namespace, name), graphSource(source));
    }
  });
  for (const { id, reference } of uses) {
    if (sources.has(id)) continue;
    const { kind, namespace, name } = reference;
    sources.set(id, { kind, namespace, name, coverage: "missing" });
  }
  const places = ordered([...sources]);
  return {
    workloads: workloads.map(([, workload]) => workload),
    sources: places.map(([, source]) => source),
    edges: edges(
      uses,
      new Map(workloads.map(([workload], at) => [workload, at])),
      new Map(places.map(([id], at) => [id, at])),
    ),
  };
}

/** One reference of a workload to a source. */
interface Use {
  readonly workload: Workload;
  /** What the source is known by. */
  readonly id: string;
  readonly reference: Reference;
  readonly counts: boolean;
}

function usesIn({ decisions, sources }: Analysis, scopeOf: (source: Source | undefined) => string): Use[] {
  return decisions.flatMap((decision) => {
    const { workload } = decision;
    return referencesOf(decision).map(({ reference, source, counts }): Use => {
      const { kind, namespace, name } = reference;
      const found = source ?? sources.find(kind, namespace, name, reference.item ?? workload.item);
      const made = found?.provides ?? reference;
      return { workload, id: idOf(scopeOf(found), made.kind, made.namespace, made.name), reference, counts };
    });
  });
}

/** All that a workload refers to, counted or not: what it sees does not depend on the policy. */
function referencesOf(decision: Decision): { reference: Reference; source: Source | undefined; counts: boolean }[] {
  const isStamped = decision.touched && decision.selected;
  if (decision.templates.length === 0) {
    const references = decision.workload.templates.flatMap((template) => template.references);
    return references.map((reference) => ({ reference, source: undefined, counts: false }));
  }
  return decision.templates.flatMap(({ counted, leftOut }) => [
    ...counted.map(({ reference, source }) => ({ reference, source, counts: isStamped })),
    ...leftOut.map(({ reference, source }) => ({ reference, source, counts: false })),
  ]);
}

function idOf(scope: string, kind: string, namespace: string, name: string): string {
  return `${scope}\n${objectKey({ kind, namespace, name })}`;
}

function graphWorkload({ item, namespace }: Workload): GraphWorkload {
  return { apiVersion: item.apiVersion, kind: item.kind, namespace, name: item.name };
}

function graphSource({ item, provides, coverage, declared }: Source): GraphSource {
  const { kind, namespace, name } = provides;
  const isItself = declared === undefined || (item.kind === kind && item.name === name);
  return { kind, namespace, name, coverage, ...(isItself ? {} : { madeBy: { kind: item.kind, name: item.name } }) };
}

/** By namespace, kind and name; those of several folders that are alike stay in the order of the folders. */
function ordered<T, N extends GraphWorkload | GraphSource>(nodes: readonly (readonly [T, N])[]): (readonly [T, N])[] {
  return [...nodes].sort(
    ([, a], [, b]) =>
      compareBytes(a.namespace, b.namespace) || compareBytes(a.kind, b.kind) || compareBytes(a.name, b.name),
  );
}

function edges(
  uses: readonly Use[],
  workloads: ReadonlyMap<Workload, number>,
  sources: ReadonlyMap<string, number>,
): GraphEdge[] {
  const groups = groupedBy(uses, (use) => `${workloads.get(use.workload) ?? ""} ${use.id}`);
  const found = [...groups.values()].flatMap((group): GraphEdge[] => {
    const first = group[0];
    const workload = first === undefined ? undefined : workloads.get(first.workload);
    const source = first === undefined ? undefined : sources.get(first.id);
    if (workload === undefined || source === undefined) return [];
    return [
      {
        workload,
        source,
        ...shownKeys(group.map(({ reference }) => reference.keys)),
        via: WAYS.filter((way) => group.some(({ reference }) => reference.via === way)),
        optional: group.every(({ reference }) => reference.optional),
        counts: group.some((use) => use.counts),
      },
    ];
  });
  return found.sort((a, b) => a.workload - b.workload || a.source - b.source);
}

const WAYS: readonly Via[] = ["env", "envFrom", "volume", "projected", "csi", "extra"];

type ShownKeys = Pick<GraphEdge, "keys" | "moreKeys">;

/** More keys than this are counted: the sources of one volume all have those of its mounts. */
const MOST_KEYS = 500;

/** The keys of an edge as they are shown. */
function shownKeys(all: readonly Reference["keys"][]): ShownKeys {
  const keys = keysOfAll(all);
  return keys === "*" ? { keys } : cutKeys(keys);
}

/** Put in order once, as several references may share them. */
const cutKeys = onceFor((keys: ReadonlySet<string>): ShownKeys => {
  const sorted = [...keys].sort(compareBytes);
  if (sorted.length <= MOST_KEYS) return { keys: sorted };
  return { keys: sorted.slice(0, MOST_KEYS), moreKeys: sorted.length - MOST_KEYS };
});
