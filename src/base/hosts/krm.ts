// Names of the KRM functions specification and of those who run functions.

/** The API group of what hosts and functions exchange, and the domain of its annotations. */
const DOMAIN = "config.kubernetes.io";
/** The domain of what kustomize's own code hands through a pipeline (kyaml/kio/kioutil/kioutil.go). */
const INTERNAL_DOMAIN = `internal.${DOMAIN}`;

/** True for the apiVersion of a ResourceList, whatever its version. */
export function isResourceListVersion(apiVersion: string): boolean {
  return apiVersion.startsWith(`${DOMAIN}/`);
}

/** A transformer's own annotation: how a host is to run it. */
export const FUNCTION_ANNOTATION: string = `${DOMAIN}/function`;

/** An object that is for tools, not for a cluster. */
export const LOCAL_CONFIG: string = `${DOMAIN}/local-config`;

/** True for a text in which an object may say how kustomize is to treat it: leave it out, name it otherwise. */
export function namesDirectives(text: string): boolean {
  return /config\.(?:kubernetes|k8s)\.io\//u.test(text);
}

/** The annotations that name the file of an item, the one that counts first. */
export const PATH_ANNOTATIONS: readonly string[] = [
  `${INTERNAL_DOMAIN}/path`,
  `${DOMAIN}/path`,
  // Helm 4 (pkg/action/action.go, filenameAnnotation).
  "postrenderer.helm.sh/postrender-filename",
];

/** The annotations that tell an item's place in its file. */
export const INDEX_ANNOTATIONS: readonly string[] = [`${INTERNAL_DOMAIN}/index`, `${DOMAIN}/index`];

/** What kustomize notes of an object between its steps (api/internal/utils/annotations.go). */
export const BUILD_ANNOTATIONS: Readonly<
  Record<"previousNames" | "previousKinds" | "prefixes" | "suffixes" | "needsHashSuffix", string>
> = {
  previousNames: `${INTERNAL_DOMAIN}/previousNames`,
  previousKinds: `${INTERNAL_DOMAIN}/previousKinds`,
  prefixes: `${INTERNAL_DOMAIN}/prefixes`,
  suffixes: `${INTERNAL_DOMAIN}/suffixes`,
  needsHashSuffix: `${INTERNAL_DOMAIN}/needsHashSuffix`,
};

/** What kustomize puts on what helm has made: it gives that no namespace, and takes this off (api/konfig/general.go). */
export const HELM_GENERATED: string = `${INTERNAL_DOMAIN}/helm-generated`;

/** What kustomize writes of files, where `buildMetadata` asks for it. */
export const BUILD_METADATA: readonly string[] = [`${DOMAIN}/origin`, `alpha.${DOMAIN}/transformations`];
