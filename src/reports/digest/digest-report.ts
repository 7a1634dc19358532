import type { Account } from "../../findings/not-examined/not-examined.ts";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { areKeys } from "../../base/names.ts";
import { compareBytes, digestOf, digestsByKey, digestText } from "../../base/digest/hash-v1.ts";
import type { Analysis } from "../../stamping/pipeline.ts";
import type { ReferencedKind } from "../../base/referenced-kinds.ts";
import type { Coverage, Source } from "../../kubernetes/sources/types.ts";

// The report of `digest` (contract, section 8; schemas/digest.json).

/** The digests, with the account of the inputs. */
export interface DigestReport extends SourceDigests, Account {}

export interface SourceDigests {
  readonly sources: readonly SourceDigest[];
}

export interface SourceDigest {
  /** A declared source has its own kind and name. */
  readonly kind: string;
  /** "*" for a cluster-scoped source, which makes objects in namespaces that only the cluster knows; "" for a ClusterTrustBundle. */
  readonly namespace: string;
  readonly name: string;
  readonly coverage: Coverage;
  readonly digest: string;
  /** The digest if only that key is visible. */
  readonly keys: Readonly<Record<string, string>>;
  /** The object that a declared source makes. */
  readonly provides?: { readonly kind: ReferencedKind; readonly name: string };
  /** The application that contains it, if applications were rendered. */
  readonly application?: string;
}

/** The digest of every source, as a whole and for each key. With `secrets: Ignore`, Secrets are left out. */
export function digestReport(
  analyses: readonly Analysis[],
  spec: ConfigHashSpec,
  hmacKey: Uint8Array | undefined,
): SourceDigests {
  const sources = analyses.flatMap((analysis) => {
    const digests = rememberedDigests(analysis);
    return analysis.sources.all
      .filter(({ provides }) => provides.kind !== "Secret" || spec.secrets !== "Ignore")
      .map((source) => sourceDigest(source, digests, spec, hmacKey));
  });
  return { sources: sources.sort(inOrder) };
}

/** The digests of plain manifests and of applications, in one order. */
export function joinedDigests(
  plain: SourceDigests,
  applications: readonly (SourceDigests & { readonly application: string })[],
): SourceDigests {
  if (applications.length === 0) return plain;
  const ofApplications = applications.flatMap(({ application, sources }) =>
    sources.map((source) => ({ ...source, application })),
  );
  return { sources: [...plain.sources, ...ofApplications].sort(inOrder) };
}

type Digests = Pick<SourceDigest, "digest" | "keys">;
type DigestsOf = (source: Source, hmacKey: Uint8Array | undefined) => Digests;

/** Digests each object once, regardless of how many sources it makes. */
function rememberedDigests({ sources }: Analysis): DigestsOf {
  const known = { plain: new Map<Source["item"], Digests>(), keyed: new Map<Source["item"], Digests>() };
  return (source, hmacKey) => {
    const digests = hmacKey === undefined ? known.plain : known.keyed;
    let found = digests.get(source.item);
    if (found === undefined) {
      const entries = sources.entries(source);
      const isNamed = source.item.kind !== "Secret" || areKeys([...entries.keys()]);
      const byKey = [...digestsByKey(entries, hmacKey)].sort(([a], [b]) => compareBytes(a, b));
      found = {
        digest: digestText(digestOf(entries, "*", hmacKey)),
        keys: Object.fromEntries(isNamed ? byKey.map(([name, digest]) => [name, digestText(digest)]) : []),
      };
      digests.set(source.item, found);
    }
    return found;
  };
}

function sourceDigest(
  source: Source,
  digestsOf: DigestsOf,
  spec: ConfigHashSpec,
  hmacKey: Uint8Array | undefined,
): SourceDigest {
  const { item, provides, coverage } = source;
  const { digest, keys } = digestsOf(
    source,
    provides.kind === "Secret" && spec.secrets === "Keyed" ? hmacKey : undefined,
  );
  const isItself = item.kind === provides.kind && item.name === provides.name;
  const isOfCluster = provides.namespace === "*" || provides.namespace === "";
  return {
    kind: item.kind,
    namespace: isOfCluster ? provides.namespace : item.namespace || spec.defaultNamespace,
    name: item.name,
    coverage,
    digest,
    keys,
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
