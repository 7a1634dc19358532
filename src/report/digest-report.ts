import type { Account } from "../examined/not-examined.ts";
import type { ConfigHashSpec } from "../config/config-hash.ts";
import { compareBytes, DECLARED_KEY, digestOf, digestText, type Keys } from "../digest/hash-v1.ts";
import type { Analysis } from "../pipeline.ts";
import { jsonText } from "../results/json-text.ts";
import type { ReferencedKind } from "../ground/referenced-kinds.ts";
import type { Coverage, Source } from "../sources/types.ts";

// The shape of `digest -o json` (contract, section 8; schemas/digest.json).

/** The digests with what was met while the inputs were read. */
export interface DigestReport extends SourceDigests, Account {}

export interface SourceDigests {
  readonly sources: readonly SourceDigest[];
}

export interface SourceDigest {
  /** A declared source has its own kind and name. */
  readonly kind: string;
  /** "*" for a cluster-scoped source, which makes its object in namespaces that only the cluster knows. */
  readonly namespace: string;
  readonly name: string;
  readonly coverage: Coverage;
  readonly digest: string;
  /** The digest with only that key visible. */
  readonly keys: Readonly<Record<string, string>>;
  /** What a declared source makes. */
  readonly provides?: { readonly kind: ReferencedKind; readonly name: string };
}

/** The digest of every source, whole and key by key. With `secrets: Ignore` Secrets are left out. */
export function digestReport(
  analyses: readonly Analysis[],
  spec: ConfigHashSpec,
  hmacKey: Uint8Array | undefined,
): SourceDigests {
  const sources = analyses.flatMap((analysis) =>
    analysis.sources.all
      .filter(({ provides }) => provides.kind !== "Secret" || spec.secrets !== "Ignore")
      .map((source) => sourceDigest(source, analysis, spec, hmacKey)),
  );
  return { sources: sources.sort(inOrder) };
}

function sourceDigest(
  source: Source,
  { sources }: Analysis,
  spec: ConfigHashSpec,
  hmacKey: Uint8Array | undefined,
): SourceDigest {
  const { item, provides, coverage } = source;
  const entries = sources.entries(source);
  const key = provides.kind === "Secret" && spec.secrets === "Keyed" ? hmacKey : undefined;
  const digest = (keys: Keys): string => digestText(digestOf(entries, keys, key));
  const shown = [...entries.keys()].filter((name) => name !== DECLARED_KEY).sort(compareBytes);
  const isItself = item.kind === provides.kind && item.name === provides.name;
  const isEverywhere = provides.namespace === "*";
  return {
    kind: item.kind,
    namespace: isEverywhere ? "*" : item.namespace || spec.defaultNamespace,
    name: item.name,
    coverage,
    digest: digest("*"),
    keys: Object.fromEntries(shown.map((name) => [name, digest(new Set([name]))])),
    ...(isItself ? {} : { provides: { kind: provides.kind, name: provides.name } }),
  };
}

function inOrder(a: SourceDigest, b: SourceDigest): number {
  return (
    compareBytes(a.namespace, b.namespace) ||
    compareBytes(a.kind, b.kind) ||
    compareBytes(a.name, b.name) ||
    compareBytes(a.provides?.kind ?? "", b.provides?.kind ?? "") ||
    compareBytes(a.provides?.name ?? "", b.provides?.name ?? "")
  );
}

/** `digest -o json`. */
export function digestJson(report: DigestReport): string {
  return `${jsonText(report, 2)}\n`;
}
