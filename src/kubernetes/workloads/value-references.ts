import { nameAt } from "../../yaml/read/items.ts";
import { entriesOf, get, getString, hasEntries, isFalse, itemsOf, kindOf } from "../../yaml/read/node.ts";
import type { ReferencedKind } from "../../base/referenced-kinds.ts";
import { keyReference } from "./containers.ts";
import { whole, type NamingField, type ReferenceScope } from "./reference-scope.ts";
import type { Reference, ValueForm } from "./types.ts";
import { volumeReferences } from "./volumes.ts";

/** The references of a value of a chart, by its form. */
export function valueReferences(
  scope: ReferenceScope,
  form: ValueForm,
  { node, field, stars, anchorStars, root }: NamingField,
): Reference[] {
  // The star after those of the pods' path is the key of a container.
  const containers = stars.slice(anchorStars, anchorStars + 1);
  switch (form) {
    case "env":
      return elements(scope, node, field).flatMap((element) => variable(scope, element, containers));
    case "envFrom":
      return elements(scope, node, field).flatMap((element) => fromSource(scope, element, root, containers));
    case "typed":
      return elements(scope, node, field).flatMap((element) => typed(scope, element));
    case "persistence":
      return entriesOf(scope.tree, node).flatMap(({ key, valueNode }) =>
        persistence(scope, { node: valueNode, field: `${field}.${key}` }, stars[0] ?? ""),
      );
  }
}

interface Element {
  readonly node: number;
  readonly field: string;
  /** The key of the element, if it is in a mapping. */
  readonly key?: string;
}

/** The elements of a list or of a mapping. Anything else, and a mapping with a `name`, is itself the only element. */
function elements({ tree }: ReferenceScope, node: number, field: string): Element[] {
  const kind = kindOf(tree, node);
  if (kind === "sequence") return itemsOf(tree, node).map((item, i) => ({ node: item, field: `${field}[${i}]` }));
  if (kind === "mapping" && nameAt(tree, node, "name") === undefined)
    return entriesOf(tree, node).map(({ key, valueNode }) => ({ node: valueNode, field: `${field}.${key}`, key }));
  return [{ node, field }];
}

const KEY_REFERENCES: readonly (readonly [field: string, kind: ReferencedKind])[] = [
  ["configMapKeyRef", "ConfigMap"],
  ["secretKeyRef", "Secret"],
];

/** A variable with `valueFrom`, or with its content directly, as some charts write it in mappings. */
function variable(scope: ReferenceScope, { node, field, key }: Element, containers: readonly string[]): Reference[] {
  const { tree } = scope;
  const below = kindOf(tree, get(tree, node, "valueFrom")) === "mapping" ? ["valueFrom"] : [];
  const from = below.length === 0 ? node : get(tree, node, "valueFrom");
  const name = key ?? nameAt(tree, node, "name");
  return KEY_REFERENCES.flatMap(([of, kind]) =>
    keyReference(scope, kind, get(tree, from, of), [field, ...below, of].join("."), containers).map((reference) =>
      name === undefined ? reference : { ...reference, variable: name },
    ),
  );
}

const SOURCE_REFERENCES: readonly (readonly [field: string, kind: ReferencedKind, short: string, made: string])[] = [
  ["configMapRef", "ConfigMap", "configMap", "configMaps"],
  ["secretRef", "Secret", "secret", "secrets"],
];

/**
 * app-template also accepts `{secret: name}`. If the name is one of the chart's own Secrets, the chart digests it
 * itself.
 */
function fromSource(
  scope: ReferenceScope,
  { node, field }: Element,
  values: number,
  containers: readonly string[],
): Reference[] {
  const { tree } = scope;
  return SOURCE_REFERENCES.flatMap(([of, kind, short, made]) => {
    const reference = get(tree, node, of);
    const name = nameAt(tree, reference, "name");
    if (name !== undefined && name !== "")
      return [whole(scope, kind, name, "envFrom", reference, `${field}.${of}`, containers)];
    const given = getString(tree, node, short) ?? "";
    const isMade = given === "" || entriesOf(tree, get(tree, values, made)).some(({ key }) => key === given);
    return isMade ? [] : [whole(scope, kind, given, "envFrom", node, `${field}.${short}`, containers)];
  });
}

const TYPES: ReadonlyMap<string, ReferencedKind> = new Map([
  ["configMap", "ConfigMap"],
  ["secret", "Secret"],
]);

function typed(scope: ReferenceScope, { node, field }: Element): Reference[] {
  const kind = TYPES.get(getString(scope.tree, node, "type") ?? "");
  const name = nameAt(scope.tree, node, "name") ?? "";
  if (kind === undefined || name === "") return [];
  return [{ ...whole(scope, kind, name, "volume", node, field, []), node: get(scope.tree, node, "name") }];
}

/** A volume of app-template (templates/lib/pod/fields/_volumes.tpl), if the controller mounts it. */
function persistence(scope: ReferenceScope, { node, field }: Element, controller: string): Reference[] {
  const { tree } = scope;
  if (isFalse(tree, get(tree, node, "enabled"))) return [];
  const [everywhere, some] = [get(tree, node, "globalMounts"), get(tree, node, "advancedMounts")];
  const ofController = get(tree, some, controller);
  const isEverywhere = itemsOf(tree, everywhere).length > 0;
  if (!isEverywhere && hasEntries(tree, some) && !hasEntries(tree, ofController)) return [];
  if (getString(tree, node, "type") === "custom")
    return volumeReferences(scope, get(tree, node, "volumeSpec"), `${field}.volumeSpec`);
  const mounts = [
    ...itemsOf(tree, everywhere),
    ...entriesOf(tree, ofController).flatMap(({ valueNode }) => itemsOf(tree, valueNode)),
  ];
  const shown = shownKeys(scope, node, mounts);
  return typed(scope, { node, field }).map((reference) => ({ ...reference, keys: shown }));
}

/** The keys that a volume shows: those of its `items`, or of the mounted paths. */
function shownKeys({ tree }: ReferenceScope, node: number, mounts: readonly number[]): Reference["keys"] {
  const items = itemsOf(tree, get(tree, node, "items")).flatMap((item) => nameAt(tree, item, "key") ?? []);
  if (items.length > 0) return new Set(items);
  const paths = mounts.map((mount) => getString(tree, mount, "subPath") ?? "");
  // A path with a folder or a template counts as all keys.
  return paths.length > 0 && paths.every((path) => /^[^/.{][^/{]*$/u.test(path)) ? new Set(paths) : "*";
}
