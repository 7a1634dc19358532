import { kindKey, objectKey } from "../../base/identity.ts";
import { fieldOf, listOf } from "../../yaml/read/json.ts";
import type { Item } from "../../yaml/read/items.ts";
import type { Json } from "../../yaml/read/node.ts";
import { declaredObject } from "./content.ts";
import { DECLARED_KINDS, provided } from "./declared-kinds.ts";
import type { DeclaredObject, Provided } from "./types.ts";

// What happens with a ConfigMap or Secret if the object that makes it is deleted: with an owner reference the cluster
// deletes it too, without one it stays.

/** Whether what an object makes under a name is deleted with it. */
type IsOwned = (object: DeclaredObject, name: string) => boolean;

const always: IsOwned = () => true;

/** By group and kind. What other kinds make is taken to stay: a plan must not claim that pods cannot start. */
const OWNED: ReadonlyMap<string, IsOwned> = new Map<string, IsOwned>([
  // The controller is its owner, unless the template says otherwise (README of sealed-secrets, "skip set owner references").
  [
    "bitnami.com/SealedSecret",
    ({ get }) =>
      fieldOf(get("spec.template.metadata.annotations"), "sealedsecrets.bitnami.com/skip-set-owner-references") !==
      "true",
  ],
  // creationPolicy Owner is the default; Orphan, Merge and None set no owner (external-secrets.io, "Lifecycle").
  ["external-secrets.io/ExternalSecret", ({ get }) => isOwner(get("spec.target"))],
  ["external-secrets.io/ClusterExternalSecret", ({ get }) => isOwner(get("spec.externalSecretSpec.target"))],
  // A new pod cannot mount the volume without its class, and the Secret is synchronized by the volumes of pods.
  ["secrets-store.csi.x-k8s.io/SecretProviderClass", always],
  // With `create`, the operator owns the Secret; without, somebody else made it (vault-secrets-operator, Destination).
  ["secrets.hashicorp.com/VaultStaticSecret", ({ get }) => get("spec.destination.create") === true],
  ["secrets.hashicorp.com/VaultDynamicSecret", ({ get }) => get("spec.destination.create") === true],
  ["secrets.hashicorp.com/VaultPKISecret", ({ get }) => get("spec.destination.create") === true],
  // README of onepassword-operator: the Secret is deleted with its item.
  ["onepassword.com/OnePasswordItem", always],
  // creationPolicy Orphan is the default (infisical.com, "InfisicalSecret CRD").
  [
    "secrets.infisical.com/InfisicalSecret",
    ({ get }, name) =>
      [
        get("spec.managedSecretReference"),
        ...listOf(get("spec.managedKubeSecretReferences")),
        ...listOf(get("spec.managedKubeConfigMapReferences")),
      ].some(
        (reference) =>
          [fieldOf(reference, "secretName"), fieldOf(reference, "configMapName")].includes(name) &&
          fieldOf(reference, "creationPolicy") === "Owner",
      ),
  ],
  // Without --enable-certificate-owner-ref, which is off by default, the Secret stays and is no longer renewed
  // (cert-manager.io, "Certificate resource").
  ["cert-manager.io/Certificate", () => false],
]);

function isOwner(target: Json | undefined): boolean {
  return (fieldOf(target, "creationPolicy") ?? "Owner") === "Owner";
}

/** The kinds of this table that are makers, not declared sources: they all name their Secret in one field. */
const MAKERS: ReadonlyMap<string, (object: DeclaredObject) => readonly Provided[]> = new Map(
  ["VaultDynamicSecret", "VaultPKISecret"].map((kind) => [
    `secrets.hashicorp.com/${kind}`,
    ({ get }: DeclaredObject) => provided("Secret", get("spec.destination.name")),
  ]),
);

const DECLARED = new Map(DECLARED_KINDS.map((row) => [kindKey(row), row]));

/** A namespace of what is made in many. */
const EVERY_NAMESPACE = "*";

/** Whether the plan knows what happens with what objects of a kind make. */
export function isKnownMaker(item: Pick<Item, "group" | "kind">): boolean {
  return OWNED.has(kindKey(item));
}

/** The ConfigMaps and Secrets that would be deleted with the objects that make them. */
export interface OwnedSources {
  readonly keys: ReadonlySet<string>;
  readonly has: (source: { readonly kind: string; readonly namespace: string; readonly name: string }) => boolean;
}

/** What objects make and would take with them, whether or not the configuration counts it as a source. */
export function ownedSources(items: readonly Item[], defaultNamespace: string): OwnedSources {
  const keys = new Set<string>();
  for (const item of items) {
    const kind = kindKey(item);
    const isOwned = OWNED.get(kind);
    if (isOwned === undefined) continue;
    const row = DECLARED.get(kind);
    const object = declaredObject(item);
    const namespace = row?.everyNamespace === true ? EVERY_NAMESPACE : item.namespace || defaultNamespace;
    for (const made of row?.provides(object) ?? MAKERS.get(kind)?.(object) ?? [])
      if (isOwned(object, made.name)) keys.add(objectKey({ namespace, ...made }));
  }
  return {
    keys,
    has: ({ kind, namespace, name }) =>
      [namespace, EVERY_NAMESPACE].some((one) => keys.has(objectKey({ kind, namespace: one, name }))),
  };
}
