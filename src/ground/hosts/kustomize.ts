// Names and forms that kustomize has fixed.

/** Its own list, in its order: api/konfig/general.go, RecognizedKustomizationFileNames. */
export const KUSTOMIZATION_FILES = ["kustomization.yaml", "kustomization.yml", "Kustomization"] as const;

const NAMES: ReadonlySet<string> = new Set(KUSTOMIZATION_FILES);

/** True for the names of kustomization files. */
export function isKustomizationFile(name: string): boolean {
  return NAMES.has(name);
}

// Ten of the digits that its encoding leaves: hexadecimal, with letters in the place of vowels and of
// what looks like them (api/hasher/hasher.go).
const HASH_SUFFIX = /-[2456789bcdfghkmt]{10}$/u;

/** True for a name that ends as one to which kustomize has added a hash of the content. */
export function hasHashSuffix(name: string): boolean {
  return HASH_SUFFIX.test(name);
}

/** The name that an object had before kustomize added the hash of its content. */
export function withoutHashSuffix(name: string): string {
  return name.replace(HASH_SUFFIX, "");
}
