import type { SourceKind } from "../referenced-kinds.ts";
// What charts write into pod templates to roll pods, or to name the chart's version.

/** A form in which charts write a digest of rendered text into the annotations of a pod template. */
interface ChecksumForm {
  readonly key: RegExp;
  readonly value: RegExp;
  /** Charts that use it. */
  readonly charts: string;
}

// MD5, SHA-1 or SHA-256, as Helm's template functions return them.
const DIGEST = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/iu;
// `sha256sum | trunc 63`: the maximum length of a label value.
const SHORTENED = /^[0-9a-f]{63,64}$/iu;

/** The forms that `checksums: Remove` removes. docs/guides/helm.md lists them. */
export const CHECKSUM_FORMS: readonly ChecksumForm[] = [
  { key: /^checksum\/./u, value: DIGEST, charts: "most, as 'helm create' and Helm's own guide have it" },
  { key: /^checksum\/./u, value: SHORTENED, charts: "OpenSearch's data-prepper" },
  {
    key: /^(?:config|securityconfig|pipeline|pattern|secrets)checksum$/iu,
    value: SHORTENED,
    charts:
      "Elastic's elasticsearch, kibana, logstash, filebeat, metricbeat, apm-server; opensearch, opensearch-dashboards",
  },
  { key: /^configmap\/checksum$/u, value: DIGEST, charts: "k8s-at-home's, by their common library" },
  {
    key: /^(?:consul|vault)\.hashicorp\.com\/config-checksum$/u,
    value: DIGEST,
    charts: "HashiCorp's consul and vault",
  },
  { key: /^(?:nextcloud-config|php-config|nginx-config|hooks)-hash$/u, value: DIGEST, charts: "nextcloud" },
];

/** True for a chart's checksum that `checksums: Remove` removes. */
export function isChecksum(key: string, value: string): boolean {
  return CHECKSUM_FORMS.some((form) => form.key.test(key) && form.value.test(value));
}

/** True for the key of a chart's checksum, whatever its value. */
export function isChecksumKey(key: string): boolean {
  return CHECKSUM_FORMS.some((form) => form.key.test(key));
}

/** The labels with the version of a chart or its application, which `versionLabels: Remove` removes. */
export const VERSION_LABELS: readonly string[] = [
  // Helm's guide, "Standard Labels".
  "helm.sh/chart",
  // The same without a prefix, in charts for Helm 2 and those that kept its labels.
  "chart",
  // Kubernetes, "Recommended Labels".
  "app.kubernetes.io/version",
];

// Words about the form, not the source: `checksum/secret-core` covers something called core.
const ANY_KIND =
  /^(?:checksum|hash|digest|sha256|sha256sum|md5|config|configs|configuration|conf|settings|file|files|ya?ml|tpl|hashicorp|com|k8s)$/u;
const CONFIG_MAP = /^(?:cm|cms|configmap|configmaps|map|maps)$/u;
const SECRET = /^(?:secret|secrets)$/u;

/** What the name of a checksum says about the source. */
export interface ChecksumWords {
  /** The words that are not about the form; empty if it may cover anything. */
  readonly names: readonly string[];
  /** The kind in the name; undefined if it has none. */
  readonly kind: SourceKind | undefined;
}

/** Parses the name of a checksum: `checksum/config-core` covers something called core. */
export function checksumWords(key: string): ChecksumWords {
  const words = wordsOf(key);
  return {
    names: words.filter((word) => ![ANY_KIND, CONFIG_MAP, SECRET].some((form) => form.test(word))),
    kind: words.some((word) => SECRET.test(word))
      ? "Secret"
      : words.some((word) => CONFIG_MAP.test(word))
        ? "ConfigMap"
        : undefined,
  };
}

/** The words of a name: `installInfo`, `install_info` and `install-info` have the same two. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/gu, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/u)
    .filter((word) => word !== "");
}

/** True for a word in the name of an object that is only about its form. */
export function isFormWord(word: string): boolean {
  return [ANY_KIND, CONFIG_MAP, SECRET].some((form) => form.test(word));
}
