import type { Json } from "../manifest/node.ts";
import type { Coverage, DeclaredKind, Provided, TemplateSource } from "./types.ts";

// Read in the CRDs and Go types of each project (docs/sources.md lists them with what each leaves
// invisible). Matched by group and kind, in any version.

/**
 * The kinds that say where a Secret comes from. A row tells which objects the kind makes, which
 * fields go into the digest (docs/hash-v1.md, section 1), and how much of the content is in Git.
 */
export const DECLARED_KINDS: readonly DeclaredKind[] = [
  {
    group: "bitnami.com",
    kind: "SealedSecret",
    coverage: "ciphertext",
    // The controller names the Secret after the SealedSecret, whatever the template says.
    provides: (object) => secrets(object.name),
    fields: ["spec.template.data", "spec.template.type", "spec.data"],
    keys: "spec.encryptedData",
    required: ["spec.encryptedData", "spec.data"],
  },
  {
    group: "external-secrets.io",
    kind: "ExternalSecret",
    coverage: "declaration",
    provides: (object) => secrets(object.at("spec.target.name") ?? object.name),
    fields: ["spec.data", "spec.dataFrom", "spec.target.template", "spec.secretStoreRef"],
    templateSources: (object) => templateFrom(object.at("spec.target.template.templateFrom")),
    required: ["spec.data", "spec.dataFrom", "spec.target.template"],
  },
  {
    group: "external-secrets.io",
    kind: "ClusterExternalSecret",
    coverage: "declaration",
    // It makes an ExternalSecret in each namespace that it selects.
    everyNamespace: true,
    provides: (object) =>
      secrets(object.at("spec.externalSecretSpec.target.name") ?? object.at("spec.externalSecretName") ?? object.name),
    fields: [
      "spec.externalSecretSpec.data",
      "spec.externalSecretSpec.dataFrom",
      "spec.externalSecretSpec.target.template",
      "spec.externalSecretSpec.secretStoreRef",
    ],
    templateSources: (object) => templateFrom(object.at("spec.externalSecretSpec.target.template.templateFrom")),
    required: [
      "spec.externalSecretSpec.data",
      "spec.externalSecretSpec.dataFrom",
      "spec.externalSecretSpec.target.template",
    ],
  },
  {
    group: "secrets-store.csi.x-k8s.io",
    kind: "SecretProviderClass",
    coverage: "declaration",
    provides: (object) => [
      { kind: "SecretProviderClass", name: object.name },
      ...list(object.at("spec.secretObjects")).flatMap((synced) => secrets(field(synced, "secretName"))),
    ],
    fields: ["spec.provider", "spec.parameters", "spec.secretObjects"],
    required: ["spec.provider"],
  },
  {
    group: "secrets.hashicorp.com",
    kind: "VaultStaticSecret",
    coverage: "declaration",
    provides: (object) => secrets(object.at("spec.destination.name")),
    fields: ["spec.mount", "spec.path", "spec.version", "spec.type", "spec.destination.transformation"],
    required: ["spec.destination.name"],
  },
  {
    group: "onepassword.com",
    kind: "OnePasswordItem",
    coverage: "declaration",
    provides: (object) => secrets(object.name),
    fields: ["spec.itemPath", "type"],
    required: ["spec.itemPath"],
  },
  {
    group: "secrets.infisical.com",
    kind: "InfisicalSecret",
    coverage: "declaration",
    provides: (object) =>
      [object.at("spec.managedSecretReference"), ...list(object.at("spec.managedKubeSecretReferences"))].flatMap((reference) =>
        secrets(field(reference, "secretName"), field(reference, "secretNamespace")),
      ),
    fields: ["spec"],
    without: ["resyncInterval", "syncInterval", "refreshInterval"],
    required: ["spec.managedSecretReference", "spec.managedKubeSecretReferences"],
  },
  {
    group: "secrets.infisical.com",
    kind: "InfisicalStaticSecret",
    coverage: "declaration",
    provides: (object) => list(object.at("spec.targets")).flatMap(infisicalTarget),
    fields: ["spec"],
    without: ["resyncInterval", "syncInterval", "refreshInterval"],
    required: ["spec.targets"],
  },
  {
    group: "cert-manager.io",
    kind: "Certificate",
    coverage: "declaration",
    provides: (object) => secrets(object.at("spec.secretName")),
    fields: ["spec"],
    // A renewal is invisible in Git, and most servers reload their certificates by themselves.
    optional: "Certificate",
    required: ["spec.secretName"],
  },
];

/** The best coverage comes first where several sources make one Secret. */
export const COVERAGE_RANK: Readonly<Record<Coverage, number>> = { content: 0, ciphertext: 1, declaration: 2 };

function secrets(name: Json | undefined, namespace?: Json): readonly Provided[] {
  if (typeof name !== "string" || name === "") return [];
  return typeof namespace === "string" && namespace !== "" ? [{ kind: "Secret", name, namespace }] : [{ kind: "Secret", name }];
}

function infisicalTarget(target: Json): readonly Provided[] {
  const name = field(target, "name");
  const kind = field(target, "kind") === "ConfigMap" ? "ConfigMap" : "Secret";
  return typeof name === "string" && name !== "" ? [{ kind, name }] : [];
}

/** The ConfigMaps and Secrets that an ExternalSecret's template is made from, with the keys it reads. */
function templateFrom(value: Json | undefined): readonly TemplateSource[] {
  return list(value).flatMap((entry): TemplateSource[] =>
    (["ConfigMap", "Secret"] as const).flatMap((kind): TemplateSource[] => {
      const reference = field(entry, kind === "ConfigMap" ? "configMap" : "secret");
      const name = field(reference, "name");
      if (typeof name !== "string" || name === "") return [];
      const items = field(reference, "items");
      const keys = list(items).flatMap((item) => {
        const key = field(item, "key");
        return typeof key === "string" ? [key] : [];
      });
      return [{ kind, name, keys: Array.isArray(items) ? new Set(keys) : "*" }];
    }),
  );
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function field(value: Json | undefined, key: string): Json | undefined {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? value[key] : undefined;
}

