// What charts write into pod templates so that pods roll, or so that they can be told apart by the chart's version.

/** A form in which charts write a digest of rendered text into a pod template's annotations. */
interface ChecksumForm {
  readonly key: RegExp;
  readonly value: RegExp;
  /** Charts that write it. */
  readonly charts: string;
}

// MD5, SHA-1, SHA-256: what Helm's template functions give.
const DIGEST = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/iu;
// `sha256sum | trunc 63`: as long as a label's value may be.
const SHORTENED = /^[0-9a-f]{63,64}$/iu;

/** The forms that `checksums: Remove` knows; docs/helm.md lists them. */
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

/** True for a chart's own checksum, as `checksums: Remove` knows it. */
export function isChecksum(key: string, value: string): boolean {
  return CHECKSUM_FORMS.some((form) => form.key.test(key) && form.value.test(value));
}

/** True for the key of a chart's own checksum, whatever its value is. */
export function isChecksumKey(key: string): boolean {
  return CHECKSUM_FORMS.some((form) => form.key.test(key));
}

/** The labels that hold a chart's version, or its application's: `versionLabels: Remove` takes them. */
export const VERSION_LABELS: readonly string[] = [
  // Helm's own guide, "Standard Labels".
  "helm.sh/chart",
  // The same before it had a prefix: charts for Helm 2, and those that kept its labels.
  "chart",
  // Kubernetes, "Recommended Labels".
  "app.kubernetes.io/version",
];

// Words that say how, not what of: `checksum/secret-core` is of something called core.
const ANY_KIND =
  /^(?:checksum|hash|digest|sha256|sha256sum|md5|config|configs|configuration|conf|settings|file|files|ya?ml|tpl|hashicorp|com|k8s)$/u;
const CONFIG_MAP = /^(?:cm|cms|configmap|configmaps|map|maps)$/u;
const SECRET = /^(?:secret|secrets)$/u;

/** What the name of a checksum says that it is of. */
export interface ChecksumWords {
  /** The words of the name that are no form; none where it could be of anything. */
  readonly names: readonly string[];
  /** The kind that the name says; undefined where it says none. */
  readonly kind: "ConfigMap" | "Secret" | undefined;
}

/** Reads the name of a checksum: `checksum/config-core` is of something called core. */
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

/** True for a word of the name of an object that says nothing but its form. */
export function isFormWord(word: string): boolean {
  return [ANY_KIND, CONFIG_MAP, SECRET].some((form) => form.test(word));
}
