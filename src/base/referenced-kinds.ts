/** The kinds that a pod template can reference. */
export const REFERENCED_KINDS = ["ConfigMap", "Secret", "SecretProviderClass", "ClusterTrustBundle"] as const;

export type ReferencedKind = (typeof REFERENCED_KINDS)[number];

/** A cluster-scoped object with certificates, which projected volumes name or select (certificates.k8s.io/v1, types.go). */
export const TRUST_BUNDLE = { group: "certificates.k8s.io", kind: "ClusterTrustBundle" } as const;

/** The kinds that Stakater Reloader watches. */
export type ReloadedKind = Exclude<ReferencedKind, "ClusterTrustBundle">;

export const RELOADED_KINDS: readonly ReloadedKind[] = REFERENCED_KINDS.filter(isReloaded);

export function isReloaded(kind: ReferencedKind): kind is ReloadedKind {
  return kind !== "ClusterTrustBundle";
}

/** The kinds with the content that pods read. */
export type SourceKind = "ConfigMap" | "Secret";

export function isSourceKind(kind: unknown): kind is SourceKind {
  return kind === "ConfigMap" || kind === "Secret";
}

/** Whether an object is a ConfigMap or a Secret. */
export function isSource<T extends { readonly group: string; readonly kind: string }>(
  object: T,
): object is T & { readonly kind: SourceKind } {
  return object.group === "" && isSourceKind(object.kind);
}

/** The kind in keys and lists of annotations. */
export function kindWord(kind: ReferencedKind): string {
  return kind.toLowerCase();
}

const KINDS: ReadonlyMap<string, ReferencedKind> = new Map(REFERENCED_KINDS.map((kind) => [kindWord(kind), kind]));

/** The kind of a word in annotations; undefined for other words. */
export function kindOfWord(word: string): ReferencedKind | undefined {
  return KINDS.get(word);
}

/** All of these words as a part of a regular expression. */
export const KIND_WORDS: string = REFERENCED_KINDS.map(kindWord).join("|");
