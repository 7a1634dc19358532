/** What a pod template can name: content that a stamp is for. */
export const REFERENCED_KINDS = ["ConfigMap", "Secret", "SecretProviderClass"] as const;

export type ReferencedKind = (typeof REFERENCED_KINDS)[number];

/** The kind as annotations have it, in keys and in lists. */
export function kindWord(kind: ReferencedKind): string {
  return kind.toLowerCase();
}

const KINDS: ReadonlyMap<string, ReferencedKind> = new Map(REFERENCED_KINDS.map((kind) => [kindWord(kind), kind]));

/** The kind for its word in annotations; undefined for any other word. */
export function kindOfWord(word: string): ReferencedKind | undefined {
  return KINDS.get(word);
}

/** All of its words, as a regular expression has them. */
export const KIND_WORDS: string = REFERENCED_KINDS.map(kindWord).join("|");
