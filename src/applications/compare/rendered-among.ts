import { addTo, groupedBy } from "../../base/grouped.ts";
import { kindKey, objectKey } from "../../base/identity.ts";
import { whyElsewhere } from "../../findings/not-examined/elsewhere.ts";
import type { SourceUser } from "../../findings/catalogue/unrendered-rows.ts";
import type { Item } from "../../yaml/read/items.ts";
import { getPath, getString } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";
import { rendersOf, type Application } from "../discover/application.ts";
import type { DefiningObject } from "../discover/objects.ts";
import type { NotFound } from "../discover/not-found.ts";
import type { AppPairs } from "./application-pairs.ts";
import type { AppPair } from "./pairs.ts";

/** What a plan over applications knows about objects of Argo CD and Flux (RS024). */
export interface RenderedAmong {
  /** Whether the plan compares what an object makes: a finding about the object would repeat it. */
  readonly isRendered: (item: Item) => boolean;
  /** Why the plan does not compare what an object makes, if that is known. */
  readonly whyNot: (item: Item) => string | undefined;
  readonly usersOf: (item: Item) => readonly SourceUser[];
}

/** The kinds of objects that define applications. */
const FOUND_BY: ReadonlyMap<string, string> = new Map([
  ["helm.toolkit.fluxcd.io/HelmRelease", "HelmRelease"],
  ["kustomize.toolkit.fluxcd.io/Kustomization", "FluxKustomization"],
  ["argoproj.io/Application", "Application"],
]);

/** Fields of a GitRepository that change what its files are, and that no rendering follows. */
const NOT_FOLLOWED = ["include", "sparseCheckout"];

/** Indexes the applications of a plan by the objects that define them. */
export function renderedAmong({ pairs, notFound }: Pick<AppPairs, "pairs" | "notFound">): RenderedAmong {
  const byName = new Map<string, AppPair[]>();
  const bySource = new Map<string, { readonly pair: AppPair; readonly namespace: string }[]>();
  for (const pair of pairs) {
    for (const key of new Set([pair.base, pair.head].flatMap((side) => nameOf(side?.application))))
      addTo(byName, key, pair);
    for (const source of [pair.base, pair.head].flatMap((side) => side?.application.objects?.slice(1) ?? []))
      addTo(bySource, sourceKey(source), { pair, namespace: source.namespace });
  }
  const rows = [...notFound.head, ...notFound.base];
  const byObject = groupedBy(rows, ({ kind, name = "" }) => `${kind}\n${name}`);
  const rowOf = (kind: string, { name, namespace }: Item): NotFound | undefined =>
    byObject.get(`${kind}\n${name}`)?.find((row) => areAlike(row.namespace, namespace));
  const pairsUsing = (item: Item): readonly AppPair[] => {
    const using = (bySource.get(sourceKey(item)) ?? []).filter(({ namespace }) => areAlike(namespace, item.namespace));
    return [...new Set(using.map(({ pair }) => pair))];
  };
  return {
    isRendered: (item) => {
      if (item.kind === "ApplicationSet") return rowOf(item.kind, item) === undefined;
      const foundBy = FOUND_BY.get(kindKey(item));
      if (foundBy === undefined) {
        if (NOT_FOLLOWED.some((field) => getPath(item.tree, item.node, ["spec", field]) !== NONE)) return false;
        const using = pairsUsing(item);
        return using.length > 0 && using.every((pair) => pair.isAffected || !isOfOtherChart(pair));
      }
      const namespace = namespaceOf(item);
      // Of both sides: an object that moves to another namespace is deleted in the first one.
      const sides = (byName.get(`${foundBy}\n${item.name}`) ?? []).flatMap(({ base, head }) => [base, head]);
      return sides.some((side) => {
        return side !== undefined && areAlike(side.application.namespace, namespace);
      });
    },
    whyNot: (item) => {
      const kind = item.kind === "ApplicationSet" ? item.kind : FOUND_BY.get(kindKey(item));
      return kind === undefined ? whyElsewhere(item) : rowOf(kind, item)?.reason;
    },
    usersOf: (item) =>
      pairsUsing(item).flatMap(({ application, base, head }) => {
        const [object] = (head ?? base)?.application.objects ?? [];
        if (object === undefined) return [];
        const { kind, namespace, name } = object;
        return [{ object: { kind, namespace, name }, application: application.name }];
      }),
  };
}

/** Without what makes it unique in a report of two revisions. */
function nameOf(application: Application | undefined): readonly string[] {
  if (application === undefined) return [];
  const { foundBy, name, givenName = name } = application;
  return [`${foundBy}\n${givenName}`];
}

/** Without the namespace, which a rendering may not show. */
function sourceKey({ group, kind, name }: Pick<DefiningObject, "group" | "kind" | "name">): string {
  return objectKey({ group, kind, name });
}

/** Whether two namespaces may be the same: a rendering may not show one. */
function areAlike(a: string = "", b: string = ""): boolean {
  return a === "" || b === "" || a === b;
}

/** Whether a chart of an application is outside of the repository. */
function isOfOtherChart({ application: { render } }: AppPair): boolean {
  return rendersOf(render).some((one) => one.by === "helm" && (one.chart.in === "helm" || one.chart.in === "git"));
}

/** The namespace that the application is applied to. */
function namespaceOf(item: Item): string {
  const target = getString(item.tree, item.node, ...(TARGETS[item.kind] ?? [])) ?? "";
  return target !== "" || item.kind !== "HelmRelease" ? target : item.namespace;
}

const TARGETS: Readonly<Record<string, readonly string[]>> = {
  Application: ["spec", "destination", "namespace"],
  HelmRelease: ["spec", "targetNamespace"],
  Kustomization: ["spec", "targetNamespace"],
};
