import { kindKey } from "../../base/identity.ts";
import type { Item } from "../../yaml/read/items.ts";
import { fieldOf, fieldsOf, listOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { declaredObject } from "./content.ts";
import { provided } from "./declared-kinds.ts";
import { type ReferencedKind, isSource, isSourceKind } from "../../base/referenced-kinds.ts";
import type { DeclaredObject, Provided } from "./types.ts";

// What creates a ConfigMap or Secret that is not in the input: a reference to it is not missing. Git does not show its
// content, so it is not digested. Kinds whose objects say where the content comes from are in DECLARED_KINDS.

/** A kind whose objects create sources at run time. */
interface MakerKind {
  readonly group: string;
  readonly kind: string;
  readonly makes: (object: DeclaredObject) => readonly Provided[];
}

const EVERYWHERE = "*";

const secret = (name: Json | undefined, namespace?: Json): readonly Provided[] => provided("Secret", name, namespace);

/** Sources in every namespace, unless one is set, of any cluster or of those of a distribution or mesh. */
const BY_ITSELF: readonly Provided[] = [
  // kube-controller-manager, root-ca-certificate-publisher.
  { kind: "ConfigMap", name: "kube-root-ca.crt" },
  // OpenShift's service-ca operator.
  { kind: "ConfigMap", name: "openshift-service-ca.crt" },
  // istiod, namespace controller.
  { kind: "ConfigMap", name: "istio-ca-root-cert" },
  // kube-apiserver: the certificates of front proxies and clients.
  { kind: "ConfigMap", name: "extension-apiserver-authentication", namespace: "kube-system" },
];

/** A kind that creates the Secret that a field names. */
function secretAt(group: string, kind: string, name: string, namespace?: string): MakerKind {
  return { group, kind, makes: ({ get }) => secret(get(name), namespace === undefined ? undefined : get(namespace)) };
}

/** A kind that creates Secrets with the name of the object and a suffix. */
function suffixed(group: string, kind: string, ...suffixes: string[]): MakerKind {
  return { group, kind, makes: ({ name }) => suffixes.flatMap((suffix) => secret(`${name}${suffix}`)) };
}

// From the types and documentation of each project; matched by group and kind, in any version. A function, because most
// runs miss nothing.
const makerKinds = (): readonly MakerKind[] => [
  secretAt("cert-manager.io", "Certificate", "spec.secretName"),
  { group: "networking.k8s.io", kind: "Ingress", makes: ingressCertificates },
  { group: "extensions", kind: "Ingress", makes: ingressCertificates },
  { group: "gateway.networking.k8s.io", kind: "Gateway", makes: gatewayCertificates },
  {
    group: "",
    kind: "Service",
    makes: ({ get }) => SERVING_CERTIFICATE.flatMap((key) => secret(fieldOf(get("metadata.annotations"), key))),
  },
  secretAt("cloudcredential.openshift.io", "CredentialsRequest", "spec.secretRef.name", "spec.secretRef.namespace"),
  {
    group: "objectbucket.io",
    kind: "ObjectBucketClaim",
    makes: ({ name }) => [{ kind: "ConfigMap", name }, ...secret(name)],
  },
  {
    group: "trust.cert-manager.io",
    kind: "Bundle",
    makes: ({ name }) => [{ kind: "ConfigMap", name, namespace: EVERYWHERE }, ...secret(name, EVERYWHERE)],
  },
  secretAt("secrets.hashicorp.com", "VaultDynamicSecret", "spec.destination.name"),
  secretAt("secrets.hashicorp.com", "VaultPKISecret", "spec.destination.name"),
  secretAt("secrets.doppler.com", "DopplerSecret", "spec.managedSecret.name", "spec.managedSecret.namespace"),
  suffixed("kubernetes-client.io", "ExternalSecret", ""),
  suffixed("ricoberger.de", "VaultSecret", ""),
  suffixed("secretgenerator.mittwald.de", "StringSecret", ""),
  ...["Password", "RSAKey", "SSHKey", "Certificate", "SecretTemplate", "SecretImport"].map((kind) =>
    suffixed("secretgen.k14s.io", kind, ""),
  ),
  {
    group: "isindir.github.com",
    kind: "SopsSecret",
    makes: ({ get }) => listOf(get("spec.secretTemplates")).flatMap((template) => secret(fieldOf(template, "name"))),
  },
  secretAt("spv.no", "AzureKeyVaultSecret", "spec.output.secret.name"),
  {
    group: "kyverno.io",
    kind: "ClusterPolicy",
    makes: ({ get }) => listOf(get("spec.rules")).flatMap((rule) => generated(fieldOf(rule, "generate"))),
  },
  // Databases, queues and others that create what their clients need.
  suffixed("postgresql.cnpg.io", "Cluster", "-app", "-superuser", "-ca", "-server", "-replication"),
  {
    group: "acid.zalan.do",
    kind: "postgresql",
    makes: ({ name, get }) =>
      Object.keys(fieldsOf(get("spec.users"))).flatMap((user) =>
        secret(`${user.replaceAll("_", "-")}.${name}.credentials.postgresql.acid.zalan.do`),
      ),
  },
  {
    group: "postgres-operator.crunchydata.com",
    kind: "PostgresCluster",
    makes: ({ name, get }) =>
      [name, ...listOf(get("spec.users")).map((user) => fieldOf(user, "name"))].flatMap((user) =>
        typeof user === "string" ? secret(`${name}-pguser-${user}`) : [],
      ),
  },
  suffixed("kafka.strimzi.io", "Kafka", "-cluster-ca-cert", "-clients-ca-cert"),
  suffixed("kafka.strimzi.io", "KafkaUser", ""),
  suffixed(
    "elasticsearch.k8s.elastic.co",
    "Elasticsearch",
    "-es-elastic-user",
    "-es-http-certs-public",
    "-es-http-certs-internal",
  ),
  { group: "platform.stackrox.io", kind: "Central", makes: () => secret("central-htpasswd") },
  suffixed("rabbitmq.com", "RabbitmqCluster", "-default-user"),
  suffixed("grafana.integreatly.org", "Grafana", "-admin-credentials"),
  suffixed("k8s.keycloak.org", "Keycloak", "-initial-admin"),
];

/** Annotations of a Service for which OpenShift's service-ca operator creates a certificate. */
const SERVING_CERTIFICATE = [
  "service.beta.openshift.io/serving-cert-secret-name",
  "service.alpha.openshift.io/serving-cert-secret-name",
] as const;

/** An annotation that creates or copies a source; a switch must be "true". */
interface MakerAnnotation {
  readonly key: string;
  readonly isSwitch?: true;
}

/** cert-manager's ingress-shim and gateway-shim create a Certificate for one of these. */
const ISSUERS: readonly MakerAnnotation[] = [
  { key: "cert-manager.io/issuer" },
  { key: "cert-manager.io/cluster-issuer" },
  { key: "certmanager.k8s.io/issuer" },
  { key: "certmanager.k8s.io/cluster-issuer" },
  { key: "kubernetes.io/tls-acme", isSwitch: true },
];

/** Tools that copy a ConfigMap or Secret to other namespaces: reflector, replicator, kubed (now Config Syncer). */
const COPIED_BY: readonly MakerAnnotation[] = [
  { key: "reflector.v1.k8s.emberstack.com/reflection-allowed", isSwitch: true },
  { key: "replicator.v1.mittwald.de/replicate-to" },
  { key: "replicator.v1.mittwald.de/replicate-to-matching" },
  // An empty value means every namespace.
  { key: "kubed.appscode.com/sync" },
];

/** What creates sources: the cluster, or objects of the input. */
export interface Makers {
  /** Whether something creates a source of this name in a namespace. */
  readonly isMade: (kind: ReferencedKind, namespace: string, name: string) => boolean;
  /** What creates a source of this name in any namespace. */
  readonly named: (kind: ReferencedKind, name: string) => FirstMaker | undefined;
}

/** The first makers of a name, which thousands of namespaces may have. */
interface FirstMaker {
  readonly any: Item;
  /** The first that sets no namespace. */
  unwritten?: Item;
}

/** Indexes what the objects of an input create. */
export function indexMakers(items: readonly Item[], defaultNamespace: string): Makers {
  const rows = new Map(makerKinds().map((row) => [kindKey(row), row]));
  const made = new Set<string>();
  const named = new Map<string, FirstMaker>();
  const add = ({ kind, namespace = defaultNamespace, name }: Provided): unknown =>
    made.add(`${kind}/${namespace}/${name}`);
  for (const source of BY_ITSELF) add({ namespace: EVERYWHERE, ...source });
  for (const item of items) {
    const object = declaredObject(item);
    const found = [...(rows.get(kindKey(item))?.makes(object) ?? []), ...copies(item, object), ...connection(object)];
    for (const source of found) {
      add({ namespace: item.namespace || defaultNamespace, ...source });
      const key = `${source.kind}/${source.name}`;
      const first = named.get(key) ?? { any: item };
      if (item.namespace === "") first.unwritten ??= item;
      named.set(key, first);
    }
  }
  return {
    isMade: (kind, namespace, name) => [namespace, EVERYWHERE].some((in_) => made.has(`${kind}/${in_}/${name}`)),
    named: (kind, name) => named.get(`${kind}/${name}`),
  };
}

function copies(item: Item, { name, get }: DeclaredObject): readonly Provided[] {
  if (!isSource(item)) return [];
  return hasOne(COPIED_BY, get("metadata.annotations")) ? [{ kind: item.kind, name, namespace: EVERYWHERE }] : [];
}

/** Crossplane writes the connection details of any managed resource or claim to a Secret. */
function connection({ get }: DeclaredObject): readonly Provided[] {
  const target = get("spec.writeConnectionSecretToRef");
  return secret(fieldOf(target, "name"), fieldOf(target, "namespace"));
}

function ingressCertificates(object: DeclaredObject): readonly Provided[] {
  if (!hasIssuer(object)) return [];
  return listOf(object.get("spec.tls")).flatMap((tls) => secret(fieldOf(tls, "secretName")));
}

function gatewayCertificates(object: DeclaredObject): readonly Provided[] {
  if (!hasIssuer(object)) return [];
  return listOf(object.get("spec.listeners"))
    .flatMap((listener) => listOf(fieldOf(fieldOf(listener, "tls"), "certificateRefs")))
    .flatMap((reference) => secret(fieldOf(reference, "name"), fieldOf(reference, "namespace")));
}

function hasIssuer(object: DeclaredObject): boolean {
  return hasOne(ISSUERS, object.get("metadata.annotations"));
}

function hasOne(those: readonly MakerAnnotation[], annotations: Json | undefined): boolean {
  return those.some(({ key, isSwitch }) => {
    const value = fieldOf(annotations, key);
    return isSwitch === true ? value === "true" : value !== undefined;
  });
}

function generated(rule: Json | undefined): readonly Provided[] {
  const kind = fieldOf(rule, "kind");
  const name = fieldOf(rule, "name");
  if (!isSourceKind(kind) || typeof name !== "string") return [];
  const namespace = fieldOf(rule, "namespace");
  // A variable stands for the namespace that triggers the rule.
  const isFixed = typeof namespace === "string" && !namespace.includes("{{");
  return [{ kind, name, namespace: isFixed ? namespace : EVERYWHERE }];
}
