import { kindKey } from "../../base/identity.ts";
import type { Item } from "../../yaml/read/items.ts";
import { fieldOf, fieldsOf, listOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { declaredObject } from "./content.ts";
import type { ReferencedKind } from "../../base/referenced-kinds.ts";
import type { DeclaredObject, Provided } from "./types.ts";

// What makes a ConfigMap or a Secret that no manifest holds: a reference to it is not missing. Of its content Git says
// nothing, so nothing of it is digested; kinds whose objects say where the content comes from are DECLARED_KINDS.

/** A kind whose objects make a source while they run. */
interface MakerKind {
  readonly group: string;
  readonly kind: string;
  readonly makes: (object: DeclaredObject) => readonly Provided[];
}

/** What is in each namespace, where none is said, of any cluster, or of those of a distribution or mesh. */
const BY_ITSELF: readonly Provided[] = [
  // kube-controller-manager, root-ca-certificate-publisher.
  { kind: "ConfigMap", name: "kube-root-ca.crt" },
  // OpenShift's service-ca operator.
  { kind: "ConfigMap", name: "openshift-service-ca.crt" },
  // istiod, namespace controller.
  { kind: "ConfigMap", name: "istio-ca-root-cert" },
  // kube-apiserver: the certificates by which it knows front proxies and clients.
  { kind: "ConfigMap", name: "extension-apiserver-authentication", namespace: "kube-system" },
];

const EVERYWHERE = "*";

// Read in the types and documentation of each project; matched by group and kind, in any version.
// Made when it is asked for: most runs miss nothing.
const makerKinds = (): readonly MakerKind[] => [
  { group: "cert-manager.io", kind: "Certificate", makes: ({ at }) => secret(at("spec.secretName")) },
  { group: "networking.k8s.io", kind: "Ingress", makes: ingressCertificates },
  { group: "extensions", kind: "Ingress", makes: ingressCertificates },
  {
    group: "gateway.networking.k8s.io",
    kind: "Gateway",
    makes: (object) =>
      hasIssuer(object)
        ? listOf(object.at("spec.listeners")).flatMap((listener) =>
            listOf(fieldOf(fieldOf(listener, "tls"), "certificateRefs")).flatMap((reference) =>
              secret(fieldOf(reference, "name"), fieldOf(reference, "namespace")),
            ),
          )
        : [],
  },
  {
    group: "",
    kind: "Service",
    makes: ({ at }) => SERVING_CERTIFICATE.flatMap((key) => secret(fieldOf(at("metadata.annotations"), key))),
  },
  {
    group: "cloudcredential.openshift.io",
    kind: "CredentialsRequest",
    makes: ({ at }) => secret(at("spec.secretRef.name"), at("spec.secretRef.namespace")),
  },
  {
    group: "objectbucket.io",
    kind: "ObjectBucketClaim",
    makes: ({ name }) => [
      { kind: "ConfigMap", name },
      { kind: "Secret", name },
    ],
  },
  {
    group: "trust.cert-manager.io",
    kind: "Bundle",
    makes: ({ name }) => [
      { kind: "ConfigMap", name, namespace: EVERYWHERE },
      { kind: "Secret", name, namespace: EVERYWHERE },
    ],
  },
  {
    group: "secrets.hashicorp.com",
    kind: "VaultDynamicSecret",
    makes: ({ at }) => secret(at("spec.destination.name")),
  },
  { group: "secrets.hashicorp.com", kind: "VaultPKISecret", makes: ({ at }) => secret(at("spec.destination.name")) },
  {
    group: "secrets.doppler.com",
    kind: "DopplerSecret",
    makes: ({ at }) => secret(at("spec.managedSecret.name"), at("spec.managedSecret.namespace")),
  },
  { group: "kubernetes-client.io", kind: "ExternalSecret", makes: ({ name }) => secret(name) },
  { group: "ricoberger.de", kind: "VaultSecret", makes: ({ name }) => secret(name) },
  { group: "secretgenerator.mittwald.de", kind: "StringSecret", makes: ({ name }) => secret(name) },
  ...["Password", "RSAKey", "SSHKey", "Certificate", "SecretTemplate", "SecretImport"].map((kind) => ({
    group: "secretgen.k14s.io",
    kind,
    makes: ({ name }: DeclaredObject) => secret(name),
  })),
  {
    group: "isindir.github.com",
    kind: "SopsSecret",
    makes: ({ at }) => listOf(at("spec.secretTemplates")).flatMap((template) => secret(fieldOf(template, "name"))),
  },
  {
    group: "spv.no",
    kind: "AzureKeyVaultSecret",
    makes: ({ at }) => secret(at("spec.output.secret.name")),
  },
  {
    group: "kyverno.io",
    kind: "ClusterPolicy",
    makes: ({ at }) => listOf(at("spec.rules")).flatMap((rule) => generated(fieldOf(rule, "generate"))),
  },
  // Databases, queues and the like, which make what their clients need.
  suffixed("postgresql.cnpg.io", "Cluster", ["-app", "-superuser", "-ca", "-server", "-replication"]),
  {
    group: "acid.zalan.do",
    kind: "postgresql",
    makes: ({ name, at }) =>
      Object.keys(fieldsOf(at("spec.users"))).flatMap((user) =>
        secret(`${user.replaceAll("_", "-")}.${name}.credentials.postgresql.acid.zalan.do`),
      ),
  },
  {
    group: "postgres-operator.crunchydata.com",
    kind: "PostgresCluster",
    makes: ({ name, at }) =>
      [name, ...listOf(at("spec.users")).map((user) => fieldOf(user, "name"))].flatMap((user) =>
        typeof user === "string" ? secret(`${name}-pguser-${user}`) : [],
      ),
  },
  suffixed("kafka.strimzi.io", "Kafka", ["-cluster-ca-cert", "-clients-ca-cert"]),
  suffixed("kafka.strimzi.io", "KafkaUser", [""]),
  suffixed("elasticsearch.k8s.elastic.co", "Elasticsearch", [
    "-es-elastic-user",
    "-es-http-certs-public",
    "-es-http-certs-internal",
  ]),
  { group: "platform.stackrox.io", kind: "Central", makes: () => secret("central-htpasswd") },
  suffixed("rabbitmq.com", "RabbitmqCluster", ["-default-user"]),
  suffixed("grafana.integreatly.org", "Grafana", ["-admin-credentials"]),
  suffixed("k8s.keycloak.org", "Keycloak", ["-initial-admin"]),
];

// Annotations by which OpenShift's service-ca operator makes a certificate for a Service.
const SERVING_CERTIFICATE = [
  "service.beta.openshift.io/serving-cert-secret-name",
  "service.alpha.openshift.io/serving-cert-secret-name",
] as const;

/** An annotation by which something is made: one that is a switch has to be "true". */
interface MakerAnnotation {
  readonly key: string;
  readonly isSwitch?: true;
}

// By one of these cert-manager's ingress-shim and gateway-shim make a Certificate.
const ISSUERS: readonly MakerAnnotation[] = [
  { key: "cert-manager.io/issuer" },
  { key: "cert-manager.io/cluster-issuer" },
  { key: "certmanager.k8s.io/issuer" },
  { key: "certmanager.k8s.io/cluster-issuer" },
  { key: "kubernetes.io/tls-acme", isSwitch: true },
];

// What copies a ConfigMap or a Secret into other namespaces: emberstack/kubernetes-reflector, mittwald's replicator,
// kubed (now Config Syncer).
const COPIED_BY: readonly MakerAnnotation[] = [
  { key: "reflector.v1.k8s.emberstack.com/reflection-allowed", isSwitch: true },
  { key: "replicator.v1.mittwald.de/replicate-to" },
  { key: "replicator.v1.mittwald.de/replicate-to-matching" },
  // Empty: into every namespace.
  { key: "kubed.appscode.com/sync" },
];

/** What makes sources: a running cluster by itself, or objects of the input. */
export interface Makers {
  /** True where something makes a source of this name in a namespace. */
  readonly isMade: (kind: ReferencedKind, namespace: string, name: string) => boolean;
  /** What makes one of this name in whatever namespace; undefined where nothing does. */
  readonly named: (kind: ReferencedKind, name: string) => FirstMaker | undefined;
}

/** The first of the makers of one name: it may stand in thousands of namespaces. */
interface FirstMaker {
  readonly any: Item;
  /** The first that writes no namespace. */
  unwritten?: Item;
}

/** Indexes what the objects of an input make; asked for only where something is missing. */
export function indexMakers(items: readonly Item[], defaultNamespace: string): Makers {
  const rows = new Map(makerKinds().map((row) => [kindKey(row), row]));
  const made = new Set<string>();
  const named = new Map<string, FirstMaker>();
  const add = ({ kind, namespace = defaultNamespace, name }: Provided): unknown =>
    made.add(`${kind}/${namespace}/${name}`);
  for (const provided of BY_ITSELF) add({ namespace: EVERYWHERE, ...provided });
  for (const item of items) {
    const object = declaredObject(item);
    const found = [...(rows.get(kindKey(item))?.makes(object) ?? []), ...copies(item, object), ...connection(object)];
    for (const provided of found) {
      add({ namespace: item.namespace || defaultNamespace, ...provided });
      const key = `${provided.kind}/${provided.name}`;
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

function copies({ group, kind }: Item, { name, at }: DeclaredObject): readonly Provided[] {
  if (group !== "" || (kind !== "ConfigMap" && kind !== "Secret")) return [];
  return hasOne(COPIED_BY, at("metadata.annotations")) ? [{ kind, name, namespace: EVERYWHERE }] : [];
}

/** Crossplane: any managed resource or claim may have its connection's details written into a Secret. */
function connection({ at }: DeclaredObject): readonly Provided[] {
  const target = at("spec.writeConnectionSecretToRef");
  return secret(fieldOf(target, "name"), fieldOf(target, "namespace"));
}

function suffixed(group: string, kind: string, suffixes: readonly string[]): MakerKind {
  return { group, kind, makes: ({ name }) => suffixes.flatMap((suffix) => secret(`${name}${suffix}`)) };
}

function ingressCertificates(object: DeclaredObject): readonly Provided[] {
  if (!hasIssuer(object)) return [];
  return listOf(object.at("spec.tls")).flatMap((tls) => secret(fieldOf(tls, "secretName")));
}

function hasIssuer(object: DeclaredObject): boolean {
  return hasOne(ISSUERS, object.at("metadata.annotations"));
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
  if ((kind !== "ConfigMap" && kind !== "Secret") || typeof name !== "string") return [];
  const namespace = fieldOf(rule, "namespace");
  // A variable stands for the namespace that the rule is about.
  const isFixed = typeof namespace === "string" && !namespace.includes("{{");
  return [{ kind, name, namespace: isFixed ? namespace : EVERYWHERE }];
}

function secret(name: Json | undefined, namespace?: Json): readonly Provided[] {
  if (typeof name !== "string" || name === "") return [];
  return typeof namespace === "string" && namespace !== ""
    ? [{ kind: "Secret", name, namespace }]
    : [{ kind: "Secret", name }];
}
