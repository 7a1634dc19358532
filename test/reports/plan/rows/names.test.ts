import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { countOf, foldedNames, type NamedObject } from "../../../../src/reports/plan/rows/names.ts";

/** `Deployment shop/web @prod`: its kind, namespace, name and application. */
function named(text: string): NamedObject {
  const [, kind = "", namespace = "", name = "", place] =
    /^(\w+) (?:([\w-]+)\/)?([\w-]+)(?: @(\S+))?$/u.exec(text) ?? [];
  return { kind, namespace, name, place };
}

/** The names of each group by kind, and where they are. */
function shown(objects: readonly string[], places: readonly string[] | undefined): string[] {
  return foldedNames(objects.map(named), places).map(({ kinds, where }) => {
    const names = kinds.map(({ kind, names: own }) => `${kind} ${own.map(({ name }) => name).join(" ")}`).join("; ");
    switch (where.is) {
      case "inNames":
        return names;
      case "namespace":
        return `${names} in ${where.namespace}`;
      case "everywhere":
        return `${names} everywhere`;
      case "places":
        return `${names} in ${where.places.map(({ name, namespace = "" }) => (namespace === "" ? name : `${name}(${namespace})`)).join(" ")}`;
    }
  });
}

const CASES: readonly (readonly [
  what: string,
  places: readonly string[] | undefined,
  objects: string[],
  shown: string[],
])[] = [
  ["one object with its namespace", undefined, ["Deployment shop/web"], ["Deployment shop/web"]],
  ["an object of the cluster", undefined, ["Namespace shop"], ["Namespace shop"]],
  [
    "the namespace of several once, kinds and names in order",
    undefined,
    ["StatefulSet shop/db", "Deployment shop/web-10", "Deployment shop/web-9"],
    ["Deployment web-9 web-10; StatefulSet db in shop"],
  ],
  [
    "namespaces that differ with the names",
    undefined,
    ["Deployment a/web", "Deployment b/web"],
    ["Deployment a/web b/web"],
  ],
  ["one object with its application", ["p", "q"], ["Deployment shop/web @p"], ["Deployment shop/web in p"]],
  [
    "several of one application",
    ["p", "q"],
    ["Deployment shop/web @p", "Deployment shop/api @p"],
    ["Deployment api web in p(shop)"],
  ],
  [
    "one name of several applications once",
    ["p", "q", "r"],
    ["Deployment shop/web @p", "Deployment shop/web @q"],
    ["Deployment shop/web in p q"],
  ],
  [
    "with the namespace where it differs",
    ["p", "q"],
    ["Deployment a/web @p", "Deployment b/web @q", "Deployment a/api @p", "Deployment b/api @q"],
    ["Deployment api web in p(a) q(b)"],
  ],
  [
    "names of one application that differ in their namespaces as others",
    ["p", "q"],
    ["Deployment a/web @p", "Deployment b/web @p", "Deployment a/web @q"],
    ["Deployment a/web in p q", "Deployment b/web in p"],
  ],
  [
    "all of many applications as all",
    ["p", "q", "r", "s"],
    ["p", "q", "r", "s"].flatMap((place) => [`Deployment x/web @${place}`, `Deployment y/api @${place}`]),
    ["Deployment x/web y/api everywhere"],
  ],
  [
    "other places as another group",
    ["p", "q", "r", "s"],
    ["Deployment x/web @p", "Deployment x/web @q", "Deployment x/api @p"],
    ["Deployment x/web in p q", "Deployment x/api in p"],
  ],
  ["what has no application", ["p", "q"], ["Deployment x/web"], ["Deployment x/web"]],
];

describe("the names of a row", () => {
  for (const [what, places, objects, expected] of CASES)
    it(`have ${what}`, () => {
      assert.deepEqual(shown(objects, places), expected);
      assert.equal(countOf(foldedNames(objects.map(named), places)), objects.length);
    });
});
