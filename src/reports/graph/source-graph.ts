import { makerOf } from "../../kubernetes/sources/content.ts";
import { objectKey } from "../../base/identity.ts";
import { groupedBy, onceFor } from "../../base/grouped.ts";
import { compareBytes, keysOfAll } from "../../base/digest/hash-v1.ts";
import type { Analysis } from "../../stamping/pipeline.ts";
import type { Decision } from "../../stamping/policy/types.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import type { Reference, Via, Workload } from "../../kubernetes/workloads/types.ts";
import type { GraphEdge, SourceGraph, GraphSource, GraphWorkload } from "./graph-report.ts";

/** The sources of an input and the workloads that see them, in an order that does not depend on the input. */
export function sourceGraph(analyses: readonly Analysis[]): SourceGraph {
  // A workload may see a source of another part of the run.
  const scopes = new Map<Source | undefined, number>(
    analyses.flatMap((analysis, scope) => analysis.sources.all.map((one) => [one, scope] as const)),
  );
  const uses = analyses.flatMap((analysis, scope) =>
    usesOf(analysis).map((use): GraphUse => {
      const { kind, namespace, name } = use.source?.provides ?? use.reference;
      return { ...use, id: idOf(String(scopes.get(use.source) ?? scope), kind, namespace, name) };
    }),
  );
  const workloads = ordered(
    analyses.flatMap(({ workloads: all }) => all.map((workload) => [workload, graphWorkload(workload)] as const)),
  );
  const sources = new Map<string, GraphSource>();
  analyses.forEach((analysis, scope) => {
    for (const source of analysis.sources.all) {
      const { kind, namespace, name } = source.provides;
      // If several objects make the source, only the one that takes precedence counts.
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

/** A reference of a workload to a source. */
interface Use {
  readonly decision: Decision;
  readonly reference: Reference;
  /** Undefined if it is not in the input. */
  readonly source: Source | undefined;
  /** Whether it goes into the stamps of the workload. */
  readonly counts: boolean;
}

interface GraphUse extends Use {
  /** Identifies the source. */
  readonly id: string;
}

/** All references of workloads, whether or not they count: what a workload sees does not depend on the policy. */
function usesOf({ decisions, sources }: Analysis): Use[] {
  return decisions.flatMap((decision) => {
    const { workload, templates, touched, selected } = decision;
    const use = (reference: Reference, known: Source | undefined, counts: boolean): Use => {
      const { kind, namespace, name } = reference;
      const source = known ?? sources.find(kind, namespace, name, reference.item ?? workload.item);
      return { decision, reference, source, counts };
    };
    if (templates.length === 0)
      return workload.templates.flatMap(({ references }) => references.map((each) => use(each, undefined, false)));
    const isStamped = touched && selected;
    return templates.flatMap(({ counted, leftOut }) => [
      ...counted.map((each) => use(each.reference, each.source, isStamped)),
      ...leftOut.map((each) => use(each.reference, each.source, false)),
    ]);
  });
}

function idOf(scope: string, kind: string, namespace: string, name: string): string {
  return `${scope}\n${objectKey({ kind, namespace, name })}`;
}

function graphWorkload({ item, namespace }: Workload): GraphWorkload {
  return { apiVersion: item.apiVersion, kind: item.kind, namespace, name: item.name };
}

function graphSource(source: Source): GraphSource {
  const { kind, namespace, name } = source.provides;
  const maker = makerOf(source);
  const madeBy = maker === undefined ? {} : { madeBy: { kind: maker.kind, name: maker.name } };
  return { kind, namespace, name, coverage: source.coverage, ...madeBy };
}

/** By namespace, kind and name; equal ones of several folders keep the order of the folders. */
function ordered<T, N extends GraphWorkload | GraphSource>(nodes: readonly (readonly [T, N])[]): (readonly [T, N])[] {
  return [...nodes].sort(
    ([, a], [, b]) =>
      compareBytes(a.namespace, b.namespace) || compareBytes(a.kind, b.kind) || compareBytes(a.name, b.name),
  );
}

function edges(
  uses: readonly GraphUse[],
  workloads: ReadonlyMap<Workload, number>,
  sources: ReadonlyMap<string, number>,
): GraphEdge[] {
  const groups = groupedBy(uses, (use) => `${workloads.get(use.decision.workload) ?? ""} ${use.id}`);
  const found = [...groups.values()].flatMap((group): GraphEdge[] => {
    const [first] = group;
    const workload = workloads.get(first.decision.workload);
    const source = sources.get(first.id);
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

/** More keys are only counted: each source of a volume has the keys of all its mounts. */
const MOST_KEYS = 500;

function shownKeys(all: readonly Reference["keys"][]): ShownKeys {
  const keys = keysOfAll(all);
  return keys === "*" ? { keys } : cutKeys(keys);
}

/** Sorted once, as several references may share the set. */
const cutKeys = onceFor((keys: ReadonlySet<string>): ShownKeys => {
  const sorted = [...keys].sort(compareBytes);
  if (sorted.length <= MOST_KEYS) return { keys: sorted };
  return { keys: sorted.slice(0, MOST_KEYS), moreKeys: sorted.length - MOST_KEYS };
});
