// Names of the KRM functions specification and of its hosts.

/** The API group of the data that hosts and functions exchange, and the domain of its annotations. */
export const DOMAIN = "config.kubernetes.io";
/** The domain of annotations in kustomize's own pipelines (kyaml/kio/kioutil/kioutil.go). */
const INTERNAL_DOMAIN = `internal.${DOMAIN}`;

/** True for the apiVersion of a ResourceList, in any version. */
export function isResourceListVersion(apiVersion: string): boolean {
  return apiVersion.startsWith(`${DOMAIN}/`);
}

/** The annotation of a transformer that configures how a host runs it. */
export const FUNCTION_ANNOTATION: string = `${DOMAIN}/function`;

/** Marks an object for tools only, not for a cluster. */
export const LOCAL_CONFIG: string = `${DOMAIN}/local-config`;

/** True if the text may contain an object's instructions to kustomize, for example to leave it out or to rename it. */
export function namesDirectives(text: string): boolean {
  return /config\.(?:kubernetes|k8s)\.io\//u.test(text);
}

/** The annotations with the file of an item. The first one counts. */
export const PATH_ANNOTATIONS: readonly string[] = [
  `${INTERNAL_DOMAIN}/path`,
  `${DOMAIN}/path`,
  // Helm 4 (pkg/action/action.go, filenameAnnotation).
  "postrenderer.helm.sh/postrender-filename",
];

/** The annotation with the folder of an item's package: kpt reads paths relative to it (kpt, internal/fnruntime). */
export const PACKAGE_PATH: string = `${INTERNAL_DOMAIN}/package-path`;

/** The annotations with the index of an item in its file. */
export const INDEX_ANNOTATIONS: readonly string[] = [`${INTERNAL_DOMAIN}/index`, `${DOMAIN}/index`];

/** The annotations that kustomize keeps between its steps (api/internal/utils/annotations.go). */
export const BUILD_ANNOTATIONS: Readonly<
  Record<"previousNames" | "previousKinds" | "prefixes" | "suffixes" | "needsHashSuffix", string>
> = {
  previousNames: `${INTERNAL_DOMAIN}/previousNames`,
  previousKinds: `${INTERNAL_DOMAIN}/previousKinds`,
  prefixes: `${INTERNAL_DOMAIN}/prefixes`,
  suffixes: `${INTERNAL_DOMAIN}/suffixes`,
  needsHashSuffix: `${INTERNAL_DOMAIN}/needsHashSuffix`,
};

/**
 * The annotations with which kpt and kustomize find each item again after a function (kyaml/kio/kioutil/kioutil.go,
 * kpt internal/fnruntime): they are on every item, and say nothing about the object.
 */
export const TRACKING_ANNOTATIONS: readonly string[] = [
  ...[DOMAIN, INTERNAL_DOMAIN].flatMap((domain) =>
    ["index", "path", "id", "seqindent", "annotations-migration-resource-id"].map((name) => `${domain}/${name}`),
  ),
  "config.k8s.io/id",
  "kustomize.config.k8s.io/id",
];

/**
 * The annotation that kustomize adds to the output of helm, to which it gives no namespace, and then removes
 * (api/konfig/general.go).
 */
export const HELM_GENERATED: string = `${INTERNAL_DOMAIN}/helm-generated`;
