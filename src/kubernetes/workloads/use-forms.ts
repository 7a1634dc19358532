import type { ReferenceOption } from "../../base/config-hash-options.ts";
import type { Shape } from "./shapes.ts";

// The forms that pod specs have (k8s.io/api core/v1, types.go), as an object or a schema shows them.

/** What a field of a pod spec can name. */
export type SourceKind = NonNullable<ReferenceOption["kind"]>;

/** A template by its name: core/v1's PodTemplateSpec has a metadata, also where the object writes none. */
export const TEMPLATE_STEP: RegExp = /^(?:template|podTemplate|podTemplateSpec)$/u;

/** An object in an object: a template of something that is applied by itself, or a reference to another one. */
export function isObject(shape: Shape): boolean {
  return shape.get("apiVersion")?.text !== undefined && shape.get("kind")?.text !== undefined;
}

/** True for a metadata and a spec side by side, or, in a field named for it, for a spec alone. */
export function isPodTemplate(shape: Shape, step: string): boolean {
  const containers = shape.get("spec")?.get("containers");
  if (containers?.isList !== true) return false;
  if (!containers.elements().some((container) => container.isMapping || container.isOpen)) return false;
  return shape.get("metadata") !== undefined || (TEMPLATE_STEP.test(step) && !shape.isWhole);
}

/** True for a list of which an element is a container that names or mounts something. */
export function hasContainers(list: Shape | undefined): boolean {
  return hasElement(
    list,
    (element) =>
      (element.get("name") ?? element.get("image")) !== undefined &&
      ["env", "envFrom", "volumeMounts"].some((field) => element.get(field)?.isList === true),
  );
}

/** True for a list of which an element is a volume with a source that pods can name. */
export function hasVolumes(list: Shape | undefined): boolean {
  return hasElement(
    list,
    (element) =>
      element.get("name") !== undefined &&
      (element.get("configMap")?.get("name") ??
        element.get("secret")?.get("secretName") ??
        element.get("projected")?.get("sources") ??
        element.get("csi")?.get("driver")) !== undefined,
  );
}

/** True for a list of which an element refers to a source, as environments do. */
export function refersBy(list: Shape | undefined, fields: ReadonlyMap<string, SourceKind>, below?: string): boolean {
  return hasElement(list, (element) => {
    const from = below === undefined ? element : element.get(below);
    return [...fields.keys()].some((field) => from?.get(field)?.get("name") !== undefined);
  });
}

/** A list of a pod spec, by its name, of which the schema says no more. */
export function isOpenList(list: Shape | undefined): boolean {
  return hasElement(list, (element) => element.isOpen);
}

function hasElement(list: Shape | undefined, is: (element: Shape) => boolean): boolean {
  return list?.isList === true && list.elements().some(is);
}

/** True for a metadata that has, or may have, annotations. */
export function takesAnnotations(metadata: Shape | undefined): boolean {
  return metadata !== undefined && (metadata.isOpen || metadata.get("annotations") !== undefined);
}

/** True for a volume's source, and no choice between keys of a ConfigMap and a Secret. */
export function isVolume(source: Shape | undefined): boolean {
  return source?.get("key") === undefined && (source?.isWhole === false || source?.get("items") !== undefined);
}

/** True for the choice of a key of a ConfigMap or a Secret. */
export function isKeyReference(shape: Shape): boolean {
  return shape.get("name")?.text !== undefined && shape.get("key")?.text !== undefined;
}
