import { nothingWords, type Naming } from "../../findings/not-examined/account-words.ts";
import { isNothing } from "../../findings/not-examined/not-examined.ts";
import { notExaminedSection } from "./not-examined.ts";
import type { GraphEdge, GraphReport, GraphSource, GraphWorkload } from "../../reports/graph/graph-report.ts";
import { counted } from "../../base/words.ts";
import { groupedBy } from "../../base/grouped.ts";
import { element, type Html, type Child } from "./html.ts";
import { page } from "./page.ts";
import { GRAPH_SCRIPT } from "./pages.js";
import { choice, compareNames as compare, filterBar, searchField } from "./parts.ts";

/** `graph -o html`: which workloads use which sources, as a page to read, search and print. */
export function graphHtml(graph: GraphReport, naming: Naming = {}): string {
  return page({ title: "Sources and workloads", body: graphBody(graph, naming), script: GRAPH_SCRIPT });
}

function graphBody(graph: GraphReport, naming: Naming): Html {
  const bySource = groupedBy(graph.edges, ({ source }) => source);
  const byWorkload = groupedBy(graph.edges, ({ workload }) => workload);
  const sources = graph.sources
    .map((source, index): Side => ({ index, ...source, edges: bySource.get(index) ?? [] }))
    .sort(byName);
  const workloads = graph.workloads
    .map((workload, index): Side => ({ index, ...workload, edges: byWorkload.get(index) ?? [] }))
    .sort(byName);
  return element(
    "div",
    { class: "page graph" },
    element(
      "header",
      {},
      element("h1", {}, "Sources and workloads"),
      element("p", { class: "lead" }, isNothing(graph) ? nothingWords(graph) : lead(graph)),
      notExaminedSection(graph, { command: "graph", ...naming }),
      filters(sources, workloads),
    ),
    element(
      "main",
      {},
      column("sources", "Sources", "used by", sources, (edge) => ({
        href: `#w${edge.workload}`,
        other: graph.workloads[edge.workload],
      })),
      // The script draws lines here, between the two columns.
      element("div", { id: "lines", "aria-hidden": "true" }),
      column("workloads", "Workloads", "uses", workloads, (edge) => ({
        href: `#s${edge.source}`,
        other: graph.sources[edge.source],
      })),
    ),
  );
}

/** A source or a workload, with its edges. */
interface Side {
  readonly index: number;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly coverage?: GraphSource["coverage"];
  readonly madeBy?: GraphSource["madeBy"];
  readonly application?: string;
  readonly edges: readonly GraphEdge[];
}

function byName(a: Side, b: Side): number {
  return compare(a.namespace, b.namespace) || compare(a.name, b.name) || compare(a.kind, b.kind) || a.index - b.index;
}

function lead({ workloads, sources, edges }: GraphReport): string {
  const used = new Set(edges.map((edge) => edge.source)).size;
  const missing = sources.filter(({ coverage }) => coverage === "missing").length;
  const unused = sources.length - used;
  return [
    `${counted(workloads.length, "workload")} and ${counted(sources.length, "source")}`,
    ...(unused > 0 ? [`${unused} of them used by no workload`] : []),
    ...(missing > 0 ? [`${missing} not in the input`] : []),
  ].join(", ");
}

function filters(sources: readonly Side[], workloads: readonly Side[]): Html {
  const values = (list: readonly Side[], of: (side: Side) => string | undefined): string[] =>
    [...new Set(list.flatMap((side) => of(side) ?? []))].sort(compare);
  return filterBar(
    searchField("Search"),
    choice(
      "namespace",
      "Namespace",
      values([...sources, ...workloads], ({ namespace }) => namespace),
    ),
    choice(
      "source-kind",
      "Source",
      values(sources, ({ kind }) => kind),
    ),
    choice(
      "coverage",
      "Coverage",
      values(sources, ({ coverage }) => coverage),
    ),
    choice(
      "workload-kind",
      "Workload",
      values(workloads, ({ kind }) => kind),
    ),
    choice("use", "Use", ["shared by several", "used by one", "used by none"]),
  );
}

type Link = (edge: GraphEdge) => { href: `#${string}`; other: GraphWorkload | GraphSource | undefined };

function column(id: string, title: string, verb: string, sides: readonly Side[], link: Link): Html {
  return element(
    "section",
    { id, class: "column", "aria-labelledby": `${id}-title` },
    element("h2", { id: `${id}-title` }, title, " ", element("span", { class: "total" }, sides.length)),
    element(
      "ul",
      { class: "cards", role: "list" },
      sides.map((side) => card(id === "sources" ? "s" : "w", side, verb, link)),
    ),
  );
}

function card(letter: "s" | "w", side: Side, verb: string, link: Link): Html {
  const { index, kind, namespace, name, coverage, madeBy, application, edges } = side;
  return element(
    "li",
    {
      id: `${letter}${index}`,
      class: "card",
      "data-namespace": namespace,
      "data-kind": kind,
      "data-coverage": coverage,
    },
    element(
      "h3",
      {},
      element(
        "a",
        { href: `#${letter}${index}`, class: "name" },
        element("span", { class: "kind" }, kind),
        " ",
        element("span", { class: "namespace" }, `${namespace}/`),
        element("span", { class: "own" }, name),
      ),
      coverage === undefined || coverage === "content"
        ? undefined
        : [" ", element("span", { class: `coverage ${coverage}` }, COVERAGE_WORDS[coverage])],
      madeBy === undefined ? undefined : element("span", { class: "via" }, ` by ${madeBy.kind} ${madeBy.name}`),
      application === undefined ? undefined : element("span", { class: "via" }, ` of ${application}`),
      " ",
      element("span", { class: "degree" }, element("span", { class: "unseen" }, `${verb} `), edges.length),
    ),
    edges.length === 0
      ? undefined
      : element(
          "ul",
          { class: "edges", role: "list", "aria-label": verb },
          edges.map((edge) => edgeItem(edge, namespace, link)),
        ),
  );
}

const COVERAGE_WORDS: Readonly<Record<Exclude<GraphSource["coverage"], "content">, string>> = {
  ciphertext: "encrypted",
  declaration: "declared only",
  missing: "not in the input",
};

function edgeItem(edge: GraphEdge, namespace: string, link: Link): Html {
  const { href, other } = link(edge);
  const suffix = other?.application === undefined ? "" : ` of ${other.application}`;
  const name =
    other === undefined ? "" : `${other.namespace === namespace ? "" : `${other.namespace}/`}${other.name}${suffix}`;
  // Few elements, as there is one for each reference, at both of its ends.
  return element(
    "li",
    { "data-to": href.slice(1) },
    element("a", { href }, `${other?.kind ?? ""} ${name}`),
    element("span", { class: "via" }, ` ${via(edge)}: `),
    edge.keys === "*" ? "all keys" : keysItem(edge.keys, edge.moreKeys ?? 0),
  );
}

/** More keys are only counted: each edge is shown at both of its ends. */
const MOST_KEYS = 50;

function keysItem(keys: readonly string[], others: number): Child {
  const more = others + Math.max(keys.length - MOST_KEYS, 0);
  return [element("code", {}, keys.slice(0, MOST_KEYS).join(", ")), more === 0 ? "" : ` and ${more} more`];
}

function via(edge: GraphEdge): string {
  return [...edge.via, ...(edge.optional ? ["optional"] : []), ...(edge.counts === false ? ["not stamped"] : [])].join(
    ", ",
  );
}
