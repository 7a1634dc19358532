import { KUSTOMIZATION_FILES } from "../../base/hosts/kustomize.ts";
import { isMapping, listOf, type Mapping, fieldOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { jsonText } from "../../findings/results/json-text.ts";
import { RENDERED_FILE, type PostRender } from "./step.ts";

// How helm-controller changes a rendering (internal/postrender): each of `postRenderers` is a kustomization with the rendering as
// its only resource. Then it adds the labels and annotations of `commonMetadata`. Its labels for the owner of an object are not
// added here: they contain the name and namespace of the release, and no pod has them.

export interface CommonMetadata {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The kustomizations of a HelmRelease, in order. */
export function postRenders(postRenderers: readonly Json[], common: CommonMetadata): readonly PostRender[] {
  const kustomizations = postRenderers.flatMap((one): PostRender[] => {
    const kustomize = fieldOf(one, "kustomize");
    return isMapping(kustomize) ? [kustomization(kustomizeFields(kustomize))] : [];
  });
  const transformers = [
    ...transformer("LabelTransformer", "labels", common.labels),
    ...transformer("AnnotationsTransformer", "annotations", common.annotations),
  ];
  if (transformers.length === 0) return kustomizations;
  return [
    ...kustomizations,
    kustomization({ transformers: transformers.map(([name]) => name) }, Object.fromEntries(transformers)),
  ];
}

/** Only the fields that helm-controller uses, none of which makes kustomize read files or run programs. */
function kustomizeFields(given: Mapping): Mapping {
  const images = listOf(given["images"]).map((image) => picked(image, ["name", "newName", "newTag", "digest"]));
  return {
    patches: [
      ...listOf(given["patches"]).map((patch) => ({ ...picked(patch, ["patch"]), ...targetOf(patch) })),
      // Fields of API versions before helm.toolkit.fluxcd.io/v2.
      ...listOf(given["patchesStrategicMerge"]).map((patch) => ({ patch: jsonText(patch, 0) })),
      ...listOf(given["patchesJson6902"]).map((patch) => ({
        patch: jsonText(isMapping(patch) ? (patch["patch"] ?? []) : [], 0),
        ...targetOf(patch),
      })),
    ],
    images,
  };
}

function targetOf(patch: Json): Mapping {
  const target = fieldOf(patch, "target");
  if (!isMapping(target)) return {};
  const fields = ["group", "version", "kind", "name", "namespace", "labelSelector", "annotationSelector"];
  return { target: picked(target, fields) };
}

/** The string fields of an object. The API rejects numbers. */
function picked(given: Json, fields: readonly string[]): Mapping {
  if (!isMapping(given)) return {};
  return Object.fromEntries(
    fields.flatMap((field): [string, Json][] => {
      const value = given[field];
      return typeof value === "string" ? [[field, value]] : [];
    }),
  );
}

function kustomization(fields: Mapping, more: Readonly<Record<string, string>> = {}): PostRender {
  const text = jsonText({ resources: [RENDERED_FILE], ...fields }, 0);
  return new Map([[KUSTOMIZATION_FILES[0], text], ...Object.entries(more)]);
}

function transformer(
  kind: string,
  field: "labels" | "annotations",
  entries: Readonly<Record<string, string>>,
): readonly (readonly [string, string])[] {
  if (Object.keys(entries).length === 0) return [];
  const fieldSpecs = [{ path: `metadata/${field}`, create: true }];
  const text = jsonText(
    { apiVersion: "builtin", kind, metadata: { name: `common-${field}` }, [field]: entries, fieldSpecs },
    0,
  );
  return [[`${field}.yaml`, text]];
}
