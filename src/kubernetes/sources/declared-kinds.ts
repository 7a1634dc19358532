import { fieldOf, fieldsOf, isMapping, listOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import type { Coverage, DeclaredKind, DeclaredObject, Provided, TemplateSource } from "./types.ts";
import { isSourceKind, TRUST_BUNDLE, type SourceKind } from "../../base/referenced-kinds.ts";

// From the CRDs and Go types of each project; docs/reference/sources.md says what each leaves invisible. Matched by group and kind,
// in any version.

/** An ExternalSecret at a path of an object. */
const externalSecretAt = (
  kind: string,
  spec: string,
  name: (object: DeclaredObject) => Json,
): Omit<DeclaredKind, "everyNamespace"> => ({
  group: "external-secrets.io",
  kind,
  coverage: "declaration",
  provides: (object) => externalSecret(object.get(`${spec}.target`), name(object)),
  fields: ["data", "dataFrom", "target.template", "secretStoreRef"].map((field) => `${spec}.${field}`),
  madeKeys: (object) => externalKeys(object, spec),
  templateSources: (object) => templateFrom(object.get(`${spec}.target.template.templateFrom`)),
  annotations: `${spec}.target.template.metadata.annotations`,
  required: ["data", "dataFrom", "target.template"].map((field) => `${spec}.${field}`),
});

/**
 * The kinds that say where a Secret comes from: which objects they create, which fields are digested (docs/reference/hash-v1.md,
 * section 1), and how much of the content is in Git.
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
    madeKeys: sealedKeys,
    annotations: "spec.template.metadata.annotations",
    required: ["spec.encryptedData", "spec.data"],
  },
  externalSecretAt("ExternalSecret", "spec", ({ name }) => name),
  {
    ...externalSecretAt(
      "ClusterExternalSecret",
      "spec.externalSecretSpec",
      ({ name, get }) => get("spec.externalSecretName") ?? name,
    ),
    // It creates an ExternalSecret in each namespace that it selects.
    everyNamespace: true,
  },
  {
    group: "secrets-store.csi.x-k8s.io",
    kind: "SecretProviderClass",
    coverage: "declaration",
    provides: (object) => [
      { kind: "SecretProviderClass", name: object.name },
      ...listOf(object.get("spec.secretObjects")).flatMap((synced) => secrets(fieldOf(synced, "secretName"))),
    ],
    fields: ["spec.provider", "spec.parameters", "spec.secretObjects"],
    required: ["spec.provider"],
  },
  {
    group: TRUST_BUNDLE.group,
    kind: TRUST_BUNDLE.kind,
    coverage: "content",
    provides: ({ name }) => [{ kind: TRUST_BUNDLE.kind, name, namespace: "" }],
    fields: ["spec.trustBundle"],
    required: ["spec.trustBundle"],
  },
  {
    group: "secrets.hashicorp.com",
    kind: "VaultStaticSecret",
    coverage: "declaration",
    provides: (object) => secrets(object.get("spec.destination.name")),
    fields: ["spec.mount", "spec.path", "spec.version", "spec.type", "spec.destination.transformation"],
    annotations: "spec.destination.annotations",
    required: ["spec.destination.name"],
    namedBy: ["spec.destination.name"],
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
    provides: (object) => [
      ...[object.get("spec.managedSecretReference"), ...listOf(object.get("spec.managedKubeSecretReferences"))].flatMap(
        (reference) => provided("Secret", fieldOf(reference, "secretName"), fieldOf(reference, "secretNamespace")),
      ),
      ...listOf(object.get("spec.managedKubeConfigMapReferences")).flatMap((reference) =>
        provided("ConfigMap", fieldOf(reference, "configMapName"), fieldOf(reference, "configMapNamespace")),
      ),
    ],
    fields: ["spec"],
    without: ["resyncInterval", "syncInterval", "refreshInterval"],
    required: [
      "spec.managedSecretReference",
      "spec.managedKubeSecretReferences",
      "spec.managedKubeConfigMapReferences",
    ],
    namedBy: [
      "spec.managedSecretReference.secretName",
      "spec.managedKubeSecretReferences[].secretName",
      "spec.managedKubeConfigMapReferences[].configMapName",
    ],
  },
  {
    group: "secrets.infisical.com",
    kind: "InfisicalStaticSecret",
    coverage: "declaration",
    provides: (object) => listOf(object.get("spec.targets")).flatMap(infisicalTarget),
    fields: ["spec"],
    without: ["resyncInterval", "syncInterval", "refreshInterval"],
    required: ["spec.targets"],
    namedBy: ["spec.targets[].name"],
  },
  {
    group: "cert-manager.io",
    kind: "Certificate",
    coverage: "declaration",
    provides: (object) => secrets(object.get("spec.secretName")),
    fields: ["spec"],
    // Git does not show a renewal, and most servers reload their certificates themselves.
    optional: "Certificate",
    annotations: "spec.secretTemplate.annotations",
    required: ["spec.secretName"],
    namedBy: ["spec.secretName"],
  },
];

/** If several sources create one Secret, the best coverage takes precedence. */
export const COVERAGE_RANK: Readonly<Record<Coverage, number>> = { content: 0, ciphertext: 1, declaration: 2 };

function secrets(name: Json | undefined): readonly Provided[] {
  return provided("Secret", name);
}

/** An object by its name, perhaps in another namespace; none without a name. */
export function provided(kind: SourceKind, name: Json | undefined, namespace?: Json): readonly Provided[] {
  if (typeof name !== "string" || name === "") return [];
  return typeof namespace === "string" && namespace !== "" ? [{ kind, name, namespace }] : [{ kind, name }];
}

/**
 * The sealed keys and those that the template adds. The old form, which seals the whole Secret as one text, does not show
 * its keys; it counts only if no key is sealed separately (sealed-secrets, Unseal). A patched Secret has more keys.
 */
function sealedKeys(object: DeclaredObject): ReadonlySet<string> | undefined {
  const sealed = Object.keys(fieldsOf(object.get("spec.encryptedData")));
  if (sealed.length === 0 && object.get("spec.data") !== undefined) return undefined;
  const patches = fieldOf(object.get("spec.template.metadata.annotations"), "sealedsecrets.bitnami.com/patch");
  return patches === "true"
    ? undefined
    : new Set([...sealed, ...Object.keys(fieldsOf(object.get("spec.template.data")))]);
}

/** What an ExternalSecret creates: a Secret, unless `target.manifest` names another kind. */
function externalSecret(target: Json | undefined, otherwise: Json): readonly Provided[] {
  const manifest = fieldOf(target, "manifest");
  const kind = fieldOf(manifest, "kind");
  if (manifest !== undefined && !isSourceKind(kind)) return [];
  return provided(kind === "ConfigMap" ? "ConfigMap" : "Secret", fieldOf(target, "name") ?? otherwise);
}

/**
 * The keys of `data`, or those of the template, which replace them unless it merges (external-secrets, ApplyTemplate in
 * pkg/controllers/externalsecret). What a store or another object has under `dataFrom` and `templateFrom` is not here, and a Secret
 * into which it merges has more.
 */
function externalKeys({ get }: DeclaredObject, spec: string): ReadonlySet<string> | undefined {
  const { manifest, creationPolicy, template } = fieldsOf(get(`${spec}.target`));
  const { data, templateFrom: from, mergePolicy } = fieldsOf(template);
  if (isMapping(manifest) || creationPolicy === "Merge" || creationPolicy === "None" || isFilledList(from))
    return undefined;
  const written = Object.keys(fieldsOf(data));
  if (written.length > 0 && mergePolicy !== "Merge") return new Set(written);
  if (isFilledList(get(`${spec}.dataFrom`))) return undefined;
  const keys = listOf(get(`${spec}.data`)).map((entry) => fieldOf(entry, "secretKey"));
  return keys.length > 0 && keys.every((key) => typeof key === "string") ? new Set([...written, ...keys]) : undefined;
}

function isFilledList(value: Json | undefined): boolean {
  return listOf(value).length > 0;
}

function infisicalTarget(target: Json): readonly Provided[] {
  const kind = fieldOf(target, "kind") === "ConfigMap" ? "ConfigMap" : "Secret";
  return provided(kind, fieldOf(target, "name"), fieldOf(target, "namespace"));
}

/** The ConfigMaps and Secrets that an ExternalSecret's template reads, with their keys. */
function templateFrom(value: Json | undefined): readonly TemplateSource[] {
  return listOf(value).flatMap((entry): TemplateSource[] =>
    (["ConfigMap", "Secret"] as const).flatMap((kind): TemplateSource[] => {
      const reference = fieldOf(entry, kind === "ConfigMap" ? "configMap" : "secret");
      const name = fieldOf(reference, "name");
      if (typeof name !== "string" || name === "") return [];
      const items = fieldOf(reference, "items");
      const keys = listOf(items).flatMap((item) => {
        const key = fieldOf(item, "key");
        return typeof key === "string" ? [key] : [];
      });
      return [{ kind, name, keys: Array.isArray(items) ? new Set(keys) : "*" }];
    }),
  );
}
