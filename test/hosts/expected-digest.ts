// The digests of hash-v1 for content in fixtures, computed from the definition alone, independently of the function.
import { createHash } from "node:crypto";

/** What the pod template sees of a source: key to text. */
export type Content = Readonly<Record<string, string>>;

/** The value of a `configmap.` or `secret.` annotation (hash-v1, sections 2 and 4). */
export function stampOf(content: Content): string {
  return text(digestOf(content));
}

/** The value of `config-hash` over sources named `configmap/NAME` and `secret/NAME` (section 3). */
export function combinedStampOf(sources: Readonly<Record<string, Content>>): string {
  const parts = Object.entries(sources)
    .map(([source, content]) => {
      const [kind = "", name = ""] = source.split("/");
      return { kind: KINDS[kind] ?? kind, name, content };
    })
    .sort((a, b) => compare(a.kind, b.kind) || compare(a.name, b.name))
    .flatMap(({ kind, name, content }) => [kind, "", name, digestOf(content)]);
  return text(sha256(["rollstamp/1/combined", ...parts]));
}

const KINDS: Readonly<Record<string, string>> = { configmap: "ConfigMap", secret: "Secret" };

function digestOf(content: Content): Buffer {
  const entries = Object.entries(content).sort(([a], [b]) => compare(a, b));
  return sha256(["rollstamp/1", ...entries.flat()]);
}

function sha256(fields: readonly (string | Buffer)[]): Buffer {
  const hash = createHash("sha256");
  for (const field of fields) {
    hash
      .update(`${Buffer.byteLength(field)}:`)
      .update(field)
      .update(",");
  }
  return hash.digest();
}

function text(digest: Buffer): string {
  return `h1-${digest.toString("hex").slice(0, 40)}`;
}

function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
