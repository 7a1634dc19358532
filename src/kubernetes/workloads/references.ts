import type { ReferencedKind } from "../../base/referenced-kinds.ts";
import { nameAt, tooLong } from "../../yaml/read/items.ts";
import { get, getString, itemsOf, kindOf, stringOf } from "../../yaml/read/node.ts";
import { CONTAINER_LISTS, containerReferences, keyReference, readContainers, type Container } from "./containers.ts";
import { whole, type NamingField, type ReferenceScope } from "./reference-scope.ts";
import type { PodSpec, Reference } from "./types.ts";
import { valueReferences } from "./value-references.ts";
import { projectedReferences, viewsOf, volumeReferences, volumesReferences, type Views } from "./volumes.ts";

// The places of a pod spec that name ConfigMaps and Secrets (k8s.io/api core/v1, types.go: EnvVarSource, EnvFromSource,
// VolumeSource). imagePullSecrets do not reach a container.

/**
 * All references of one pod template, in order: the environments of its containers, other names, then volumes. Mounts
 * and volumes may be in different places of a kind.
 */
export function templateReferences(
  scope: ReferenceScope,
  podSpecs: readonly PodSpec[],
  fields: readonly NamingField[],
): Reference[] {
  const { tree } = scope;
  const containers = [
    ...podSpecs.flatMap(({ node, field }) =>
      CONTAINER_LISTS.flatMap((list) => readContainers(scope, get(tree, node, list), `${field}.${list}`)),
    ),
    ...fields.flatMap((field) => fieldContainers(scope, field)),
  ];
  const views = viewsOf(tree, containers);
  return [
    ...containers.flatMap((container) => containerReferences(scope, container)),
    ...fields.flatMap((field) => fieldNames(scope, field)),
    ...podSpecs.flatMap(({ node, field }) =>
      volumesReferences(scope, get(tree, node, "volumes"), `${field}.volumes`, views),
    ),
    ...fields.flatMap((field) => fieldVolumes(scope, field, views)),
  ];
}

function fieldContainers(scope: ReferenceScope, { path, node, field }: NamingField): Container[] {
  if (path.form === "containers") return readContainers(scope, node, field);
  return path.form === "container" ? [{ node, name: path.name, field }] : [];
}

function fieldNames(scope: ReferenceScope, at: NamingField): Reference[] {
  const { path, node, field } = at;
  const { tree } = scope;
  switch (path.form) {
    case "key":
      return keyReference(scope, path.kind, node, field, []);
    case "name": {
      const isList = kindOf(tree, node) === "sequence";
      return (isList ? itemsOf(tree, node) : [node]).flatMap((element, i) =>
        fieldName(scope, path.kind, element, isList ? `${field}[${i}]` : field),
      );
    }
    case "env":
    case "envFrom":
    case "typed":
    case "persistence":
      return valueReferences(scope, path.form, at);
    default:
      return [];
  }
}

/** A name as a string, or as `name` of a mapping, with or without `key` (core/v1, types.go, SecretKeySelector). */
function fieldName(scope: ReferenceScope, kind: ReferencedKind, node: number, field: string): Reference[] {
  const { tree } = scope;
  const isMapping = kindOf(tree, node) === "mapping";
  if (isMapping && getString(tree, node, "key") !== undefined) return keyReference(scope, kind, node, field, []);
  const name = isMapping ? nameAt(tree, node, "name") : stringOf(tree, node);
  if (name !== undefined && name.length > tree.limits.name) throw tooLong(tree, node, name.length);
  return name === undefined || name === "" ? [] : [whole(scope, kind, name, "volume", node, field, [])];
}

function fieldVolumes(scope: ReferenceScope, { path, node, field }: NamingField, views: Views): Reference[] {
  switch (path.form) {
    case "volumes":
      return volumesReferences(scope, node, field, views);
    case "volume":
      return volumeReferences(scope, node, field);
    case "projected":
      return projectedReferences(scope, node, field);
    default:
      return [];
  }
}
