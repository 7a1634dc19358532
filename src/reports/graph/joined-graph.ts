import { objectKey } from "../../base/identity.ts";
import { compareBytes } from "../../base/digest/hash-v1.ts";
import type { GraphEdge, GraphSource, GraphWorkload, SourceGraph } from "./graph-report.ts";
import { groupedBy } from "../../base/grouped.ts";

export interface ApplicationGraph {
  readonly application: string;
  /** The cluster where it is applied, if known. */
  readonly cluster: string | undefined;
  readonly graph: SourceGraph;
}

/**
 * Joins the graphs of applications and that of plain manifests. A source that is missing in its own application is
 * looked up in the others of the same cluster. Such a use is not stamped, as each application is stamped separately.
 */
export function joinedGraph(plain: SourceGraph, applications: readonly ApplicationGraph[]): SourceGraph {
  const all: readonly Node[] = [
    ...nodesOf(plain, undefined, undefined),
    ...applications.flatMap(({ application, cluster, graph }) => nodesOf(graph, application, cluster)),
  ];
  const sources = all.flatMap((node) => (node.is === "source" ? [node] : []));
  const elsewhere = byCluster(sources);
  const foundFor = new Map(
    sources.flatMap((node) => {
      const found = node.source.coverage === "missing" ? elsewhere(node) : undefined;
      return found === undefined ? [] : [[node, found] as const];
    }),
  );
  const shownSources = ordered(
    sources.filter((node) => !foundFor.has(node)),
    ({ source }) => source,
  );
  const shownWorkloads = ordered(
    all.flatMap((node) => (node.is === "workload" ? [node] : [])),
    ({ workload }) => workload,
  );
  const sourceAt = new Map(shownSources.map((node, at) => [node, at]));
  const workloadAt = new Map(shownWorkloads.map(({ key }, at) => [key, at]));
  const edges = sources.flatMap((node) =>
    node.edges.flatMap((edge): GraphEdge[] => {
      const workload = workloadAt.get(`${node.part}\n${edge.workload}`);
      const other = foundFor.get(node);
      const source = sourceAt.get(other ?? node);
      if (workload === undefined || source === undefined) return [];
      return [{ ...edge, workload, source, ...(other === undefined ? {} : { counts: false }) }];
    }),
  );
  return {
    workloads: shownWorkloads.map(({ workload }) => workload),
    sources: shownSources.map(({ source }) => source),
    edges: edges.sort((a, b) => a.workload - b.workload || a.source - b.source),
  };
}

type Node = WorkloadNode | SourceNode;

interface WorkloadNode {
  readonly is: "workload";
  readonly key: string;
  readonly workload: GraphWorkload;
}

interface SourceNode {
  readonly is: "source";
  /** The graph that contains it. */
  readonly part: string;
  readonly cluster: string | undefined;
  readonly source: GraphSource;
  readonly edges: readonly GraphEdge[];
}

function nodesOf(
  { workloads, sources, edges }: SourceGraph,
  application: string | undefined,
  cluster: string | undefined,
): Node[] {
  const part = application ?? "";
  const named = application === undefined ? {} : { application };
  const bySource = groupedBy(edges, ({ source }) => source);
  return [
    ...workloads.map((workload, at): Node => ({
      is: "workload",
      key: `${part}\n${at}`,
      workload: { ...workload, ...named },
    })),
    ...sources.map((source, at): Node => ({
      is: "source",
      part,
      cluster,
      source: { ...source, ...named },
      edges: bySource.get(at) ?? [],
    })),
  ];
}

/** Finds the source that exactly one application of the cluster has. */
function byCluster(sources: readonly SourceNode[]): (node: SourceNode) => SourceNode | undefined {
  const keyOf = ({ cluster = "", source }: SourceNode): string => `${cluster}\n${objectKey(source)}`;
  const found = groupedBy(
    sources.filter(({ cluster, source }) => cluster !== undefined && source.coverage !== "missing"),
    keyOf,
  );
  return (node) => {
    if (node.cluster === undefined) return undefined;
    const [only, another] = found.get(keyOf(node)) ?? [];
    return another === undefined ? only : undefined;
  };
}

/** By namespace, kind and name; equal ones keep the order of their applications. */
function ordered<T>(nodes: readonly T[], of: (node: T) => GraphWorkload | GraphSource): T[] {
  return nodes.toSorted((one, other) => {
    const [a, b] = [of(one), of(other)];
    return compareBytes(a.namespace, b.namespace) || compareBytes(a.kind, b.kind) || compareBytes(a.name, b.name);
  });
}
