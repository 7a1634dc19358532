import { kindKey } from "../../base/identity.ts";
import { getString } from "../../yaml/read/node.ts";
import type { Item } from "../../yaml/read/items.ts";
import type { AppPair } from "./application-pairs.ts";
import { addTo } from "../../base/grouped.ts";

/** The kinds of objects that tell of an application, by who finds it. */
const TOLD_BY: ReadonlyMap<string, string> = new Map([
  ["helm.toolkit.fluxcd.io/HelmRelease", "HelmRelease"],
  ["argoproj.io/Application", "Application"],
]);

/**
 * Whether what an object makes is among the applications that are rendered: one of its kind with its name, and of its
 * namespace as far as both tell it. One that fails to render says so itself.
 */
export function renderedAmong(pairs: readonly AppPair[]): (item: Item) => boolean {
  const byName = new Map<string, AppPair[]>();
  for (const pair of pairs) {
    const { foundBy, name, givenName = name } = pair.application;
    addTo(
      byName,
      `${foundBy}
${givenName}`,
      pair,
    );
  }
  return (item) => {
    const foundBy = TOLD_BY.get(kindKey(item));
    if (foundBy === undefined) return false;
    const namespace = namespaceOf(item);
    return (byName.get(`${foundBy}\n${item.name}`) ?? []).some(
      ({ application }) =>
        namespace === "" || (application.namespace ?? "") === "" || application.namespace === namespace,
    );
  };
}

/** Where what it makes goes. */
function namespaceOf(item: Item): string {
  const path = item.kind === "HelmRelease" ? ["spec", "targetNamespace"] : ["spec", "destination", "namespace"];
  const target = getString(item.tree, item.node, ...path) ?? "";
  return target !== "" || item.kind !== "HelmRelease" ? target : item.namespace;
}
