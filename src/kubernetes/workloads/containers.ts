import { nameAt } from "../../yaml/read/items.ts";
import { get, getString, isTrue, itemsOf } from "../../yaml/read/node.ts";
import type { ReferencedKind } from "../../base/referenced-kinds.ts";
import { whole, type ReferenceScope } from "./reference-scope.ts";
import type { PodTemplate, Reference } from "./types.ts";

/** A container, or a mapping with its fields: `env`, `envFrom`, `volumeMounts`. */
export interface Container {
  readonly node: number;
  readonly name: string;
  readonly field: string;
}

/** The lists of containers of a pod spec, in reading order: core/v1, types.go, PodSpec. */
export const CONTAINER_LISTS = ["initContainers", "containers", "ephemeralContainers"] as const;

export function readContainers({ tree }: Pick<ReferenceScope, "tree">, list: number, field: string): Container[] {
  return itemsOf(tree, list).map((node, i) => ({
    node,
    name: nameAt(tree, node, "name") ?? String(i),
    field: `${field}[${i}]`,
  }));
}

/** The containers of a pod template, from all lists or some. */
export function podContainers(
  { item: { tree }, podSpecs }: PodTemplate,
  lists: readonly (typeof CONTAINER_LISTS)[number][] = CONTAINER_LISTS,
): Container[] {
  return podSpecs.flatMap(({ node, field }) =>
    lists.flatMap((list) => readContainers({ tree }, get(tree, node, list), `${field}.${list}`)),
  );
}

/** The containers that run as long as the pod: its containers, and the init containers that are sidecars. */
export function lastingContainers(template: PodTemplate): Container[] {
  const { tree } = template.item;
  const isSidecar = ({ node }: Container): boolean => getString(tree, node, "restartPolicy") === "Always";
  return [...podContainers(template, ["containers"]), ...podContainers(template, ["initContainers"]).filter(isSidecar)];
}

/** The references in a container's environment. */
export function containerReferences(scope: ReferenceScope, container: Container): Reference[] {
  const { tree } = scope;
  return [
    ...envReferences(scope, container),
    ...itemsOf(tree, get(tree, container.node, "envFrom")).flatMap((entry, i) =>
      ENV_FROM.flatMap(({ key, kind }) => {
        const reference = get(tree, entry, key);
        const name = nameAt(tree, reference, "name");
        if (name === undefined || name === "") return [];
        return [
          whole(scope, kind, name, "envFrom", reference, `${container.field}.envFrom[${i}].${key}`, [container.name]),
        ];
      }),
    ),
  ];
}

const ENV_FROM: readonly { key: string; kind: ReferencedKind }[] = [
  { key: "configMapRef", kind: "ConfigMap" },
  { key: "secretRef", kind: "Secret" },
];

const ENV_VALUE_FROM: readonly { key: string; kind: ReferencedKind }[] = [
  { key: "configMapKeyRef", kind: "ConfigMap" },
  { key: "secretKeyRef", kind: "Secret" },
];

function envReferences(scope: ReferenceScope, container: Container): Reference[] {
  const { tree } = scope;
  return itemsOf(tree, get(tree, container.node, "env")).flatMap((entry, i) =>
    ENV_VALUE_FROM.flatMap(({ key, kind }) => {
      const node = get(tree, get(tree, entry, "valueFrom"), key);
      const found = keyReference(scope, kind, node, `${container.field}.env[${i}].valueFrom.${key}`, [container.name]);
      const variable = nameAt(tree, entry, "name");
      return variable === undefined ? found : found.map((reference) => ({ ...reference, variable }));
    }),
  );
}

/** The reference of a mapping with `name` and `key`: it shows one key. */
export function keyReference(
  scope: ReferenceScope,
  kind: ReferencedKind,
  node: number,
  field: string,
  containers: readonly string[],
): Reference[] {
  const { tree } = scope;
  const name = nameAt(tree, node, "name");
  const shown = nameAt(tree, node, "key");
  if (name === undefined || name === "" || shown === undefined) return [];
  return [
    {
      kind,
      namespace: scope.namespace,
      name,
      keys: new Set([shown]),
      requiredKeys: [shown],
      via: "env",
      optional: isTrue(tree, get(tree, node, "optional")),
      containers,
      field,
      node,
    },
  ];
}
