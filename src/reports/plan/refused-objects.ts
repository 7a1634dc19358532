import { kindKey } from "../../base/identity.ts";
import { isSourceKey } from "../../base/names.ts";
import { recreatedBy } from "../../kubernetes/rollout/written-rollout.ts";
import { refusedObject } from "../../kubernetes/rollout/type-refusals.ts";
import { parseQuantity } from "../../kubernetes/rollout/quantity.ts";
import { fieldOf, fieldsOf, isMapping, listOf, stableJson, textOf, valueAt } from "../../yaml/read/json.ts";
import type { Item } from "../../yaml/read/items.ts";
import type { Json } from "../../yaml/read/node.ts";
import type { Applying } from "./planned-application.ts";
import type { PlannedObject } from "./planned-workload.ts";

// What the API server never accepts, or never changes, in objects other than workloads and sources: the Validate…
// functions in pkg/apis/*/validation, Kubernetes 1.34. A real API server refused each (test/e2e/refused-changes.ts).

/**
 * The field for which the API server refuses the change of an object, or its creation (`from` is null), and what it must be;
 * nothing if it accepts it, or if a tool deletes and creates the object again (`isForced`: all objects of the application).
 */
export function refusedChange(
  item: Item,
  from: Json,
  to: Json,
  { isForced, fieldValidation, leavesEncrypted }: Applying,
): Pick<PlannedObject, "refused" | "problem"> {
  const key = kindKey(item);
  if (leavesEncrypted && key === "/Secret" && isEncrypted(to) && !isEncrypted(from))
    return { refused: SOPS, problem: isMapping(valueAt(to, ["data"])) ? LEFT_OUT : LEFT_AS_IT_IS };
  const fields = Object.hasOwn(FIXED_FIELDS, key) ? FIXED_FIELDS[key] : undefined;
  const field = fields?.find(({ path, problem, refuses }) => {
    // A new object has no value that could not be changed.
    if (from === null && problem === undefined) return false;
    const steps = path.split(".");
    return refuses(valueAt(from, steps) ?? null, valueAt(to, steps) ?? null, { from, to });
  });
  if (field === undefined) {
    const wrong = refusedObject(item, from, to, fieldValidation);
    return wrong === undefined ? {} : { refused: wrong.path, problem: wrong.problem };
  }
  if (recreatedBy(item, isForced) !== undefined) return {};
  return { refused: field.path, ...(field.problem === undefined ? {} : { problem: field.problem }) };
}

/** The field that SOPS adds to what it encrypts. */
export const SOPS = "sops";

// kustomize-controller v1.7 refuses a Secret with this field, but takes the field out of one with only stringData before it
// looks (`apply` in kustomization_controller.go; fluxcd/pkg: ssa/normalize).
const LEFT_OUT = "must be decrypted: Flux applies nothing of the Kustomization";
const LEFT_AS_IT_IS = "must be decrypted: pods get the encrypted text";

function isEncrypted(object: Json): boolean {
  return isMapping(valueAt(object, [SOPS]));
}

interface FixedField {
  readonly path: string;
  /** What it must be, if another value is accepted. */
  readonly problem?: string;
  /** Whether the server refuses to change one value to the other; null if the field is missing. */
  readonly refuses: Refuses;
}

type Refuses = (from: Json, to: Json, whole: { readonly from: Json; readonly to: Json }) => boolean;

const differ = (from: Json, to: Json): boolean => stableJson(from) !== stableJson(to);

/** What is not written has a default. */
const always =
  (absent: Json = null): Refuses =>
  (from, to) =>
    differ(from ?? absent, to ?? absent);
/** The cluster may have set what the base does not write. */
const onceSet: Refuses = (from, to) => from !== null && differ(from, to);
/** An incomplete file may be completed before it is applied. */
const ifWritten: Refuses = (from, to) => from !== null && to !== null && differ(from, to);

const row =
  (refuses: Refuses) =>
  (...paths: readonly string[]): readonly FixedField[] =>
    paths.map((path) => ({ path, refuses }));

/** A value that is refused, whatever it was before. */
const valueRow = (path: string, refuses: Refuses, problem: string): FixedField => ({ path, refuses, problem });

const ROLE = row(ifWritten)("roleRef.kind", "roleRef.name");

/** The kinds of volumes: each volume has one of these. */
const VOLUMES = `nfs hostPath local csi iscsi fc cephfs rbd glusterfs flexVolume awsElasticBlockStore gcePersistentDisk
  azureDisk azureFile vsphereVolume`
  .split(/\s+/u)
  .map((name) => `spec.${name}`);

const keyRows = (...paths: readonly string[]): readonly FixedField[] =>
  paths.map((path) => valueRow(path, hasNewInvalidKey, "must have keys of letters, digits, '-', '_' and '.'"));

/** By group and kind. */
const FIXED_FIELDS: Readonly<Record<string, readonly FixedField[]>> = {
  "rbac.authorization.k8s.io/RoleBinding": ROLE,
  "rbac.authorization.k8s.io/ClusterRoleBinding": [
    ...ROLE,
    valueRow("subjects", lacksNamespace, "must name the namespace of each ServiceAccount"),
  ],
  "/ConfigMap": keyRows("data", "binaryData"),
  "/Secret": keyRows("data", "stringData"),
  "/Service": [
    ...row(otherAddress)("spec.clusterIP"),
    ...row(otherFamily)("spec.ipFamilies"),
    ...row(otherClass)("spec.loadBalancerClass"),
    valueRow("spec.externalName", lacksExternalName, "must be set with type ExternalName"),
    valueRow("spec.ports", isAmbiguous, "must have different names, and different numbers, if there is more than one"),
  ],
  "/PersistentVolumeClaim": [
    ...row(always())("spec.accessModes", "spec.selector"),
    ...row(always("Filesystem"))("spec.volumeMode"),
    ...row(onceSet)("spec.storageClassName", "spec.volumeName"),
    ...row(ifWritten)("spec.dataSource", "spec.dataSourceRef"),
    ...row(shrinks)("spec.resources.requests.storage"),
  ],
  "/PersistentVolume": [
    ...row(otherVolume)(...VOLUMES),
    ...row(always("Filesystem"))("spec.volumeMode"),
    ...row(ifWritten)("spec.nodeAffinity"),
  ],
  "/ResourceQuota": row(always([]))("spec.scopes"),
  "storage.k8s.io/StorageClass": [
    ...row(ifWritten)("provisioner"),
    ...row(always({}))("parameters"),
    ...row(always("Delete"))("reclaimPolicy"),
    ...row(always("Immediate"))("volumeBindingMode"),
  ],
  "storage.k8s.io/CSIDriver": [
    ...row(always(true))("spec.attachRequired"),
    ...row(always(["Persistent"]))("spec.volumeLifecycleModes"),
  ],
  "networking.k8s.io/IngressClass": row(ifWritten)("spec.controller"),
  "scheduling.k8s.io/PriorityClass": [
    ...row(ifWritten)("value"),
    ...row(always("PreemptLowerPriority"))("preemptionPolicy"),
  ],
  "node.k8s.io/RuntimeClass": row(ifWritten)("handler"),
  "discovery.k8s.io/EndpointSlice": row(ifWritten)("addressType"),
  "resource.k8s.io/ResourceClaim": row(ifWritten)("spec"),
  "resource.k8s.io/ResourceClaimTemplate": row(ifWritten)("spec"),
  // Of one whose names are accepted: apiextensions-apiserver, validateCustomResourceDefinitionSpecUpdate.
  "apiextensions.k8s.io/CustomResourceDefinition": [
    ...row(ifWritten)("spec.scope", "spec.names.kind"),
    valueRow("spec.versions", losesStored, "must keep the version in which objects are stored"),
  ],
  "autoscaling/HorizontalPodAutoscaler": [
    valueRow("spec.maxReplicas", lacksMaximum, "must be at least 1"),
    valueRow("spec.maxReplicas", belowMinimum, "must not be below minReplicas"),
    // Below 1 only with a feature gate that is off by default.
    valueRow(
      "spec.minReplicas",
      (from, to) => typeof to === "number" && to < 1 && differ(from, to),
      "must be at least 1",
    ),
  ],
  "policy/PodDisruptionBudget": [
    valueRow("spec", (from, to) => hasBoth(to) && !hasBoth(from), "must not have both minAvailable and maxUnavailable"),
  ],
};

/** The server keeps an address that is no longer written. One that it chose may be written out. */
function otherAddress(from: Json, to: Json, whole: { readonly from: Json; readonly to: Json }): boolean {
  if (to === null || to === "" || isExternal(whole.from) || isExternal(whole.to)) return false;
  return from === null || from === "" ? to === "None" : differ(from, to);
}

function otherFamily(from: Json, to: Json, whole: { readonly from: Json; readonly to: Json }): boolean {
  if (isExternal(whole.from) || isExternal(whole.to)) return false;
  return ifWritten(valueAt(from, ["0"]) ?? null, valueAt(to, ["0"]) ?? null, whole);
}

/** validateLoadBalancerClassField in pkg/apis/core/validation. A webhook of the load balancer may have set what is not written. */
function otherClass(from: Json, to: Json, whole: { readonly from: Json; readonly to: Json }): boolean {
  const areBoth = [whole.from, whole.to].every((one) => textOf(valueAt(one, ["spec", "type"])) === "LoadBalancer");
  return areBoth && onceSet(from, to, whole);
}

/**
 * validateRoleBindingSubject in pkg/apis/rbac/validation; a RoleBinding has a namespace itself. What the base lacks, too,
 * may be completed before it is applied.
 */
function lacksNamespace(from: Json, to: Json): boolean {
  const lacking = (subjects: Json): readonly string[] =>
    listOf(subjects).flatMap((subject) => {
      const { kind, name, namespace } = fieldsOf(subject);
      return kind === "ServiceAccount" && (namespace ?? "") === "" ? [textOf(name) ?? ""] : [];
    });
  const known = new Set(lacking(from));
  return lacking(to).some((name) => !known.has(name));
}

/** ValidateConfigMap and ValidateSecret in pkg/apis/core/validation. A variable may be replaced before it is applied. */
function hasNewInvalidKey(from: Json, to: Json): boolean {
  const before = fieldsOf(from);
  return Object.keys(fieldsOf(to)).some(
    (key) => !isSourceKey(key) && !key.includes("$") && !Object.hasOwn(before, key),
  );
}

/** ValidateHorizontalPodAutoscalerSpec in pkg/apis/autoscaling/validation. A file without a target may be a patch. */
function lacksMaximum(from: Json, to: Json, whole: { readonly from: Json; readonly to: Json }): boolean {
  if (to !== null) return typeof to === "number" && to < 1 && differ(from, to);
  return valueAt(whole.to, ["spec", "scaleTargetRef"]) !== undefined && (from !== null || whole.from === null);
}

function belowMinimum(_: Json, to: Json, whole: { readonly to: Json }): boolean {
  const minimum = valueAt(whole.to, ["spec", "minReplicas"]);
  return typeof to === "number" && typeof minimum === "number" && to < minimum;
}

/** ValidatePodDisruptionBudgetSpec in pkg/apis/policy/validation. */
function hasBoth(spec: Json): boolean {
  const { minAvailable, maxUnavailable } = fieldsOf(spec);
  return (minAvailable ?? null) !== null && (maxUnavailable ?? null) !== null;
}

/** ValidateCustomResourceDefinitionStoredVersions in apiextensions-apiserver: the status names each stored version. */
function losesStored(from: Json, to: Json): boolean {
  const stored = listOf(from).find((version) => fieldOf(version, "storage") === true);
  const name = textOf(fieldOf(stored, "name"));
  return name !== undefined && to !== null && listOf(to).every((version) => textOf(fieldOf(version, "name")) !== name);
}

/** ValidateService in pkg/apis/core/validation. */
function isAmbiguous(from: Json, to: Json): boolean {
  const isRepeated = (ports: Json): boolean => {
    const all = listOf(ports);
    const names = new Set(all.map((port) => textOf(fieldOf(port, "name")) ?? ""));
    const numbers = new Set(
      all.map((port) => stableJson([fieldOf(port, "port") ?? null, fieldOf(port, "protocol") ?? "TCP"])),
    );
    return all.length > 1 && (names.has("") || names.size < all.length || numbers.size < all.length);
  };
  return isRepeated(to) && !isRepeated(from);
}

/** ValidateService in pkg/apis/core/validation. What the base lacks, too, may be completed before it is applied. */
function lacksExternalName(from: Json, to: Json, whole: { readonly from: Json; readonly to: Json }): boolean {
  const lacks = (service: Json, name: Json): boolean => isExternal(service) && (name ?? "") === "";
  return lacks(whole.to, to) && !lacks(whole.from, from);
}

function isExternal(service: Json): boolean {
  return textOf(valueAt(service, ["spec", "type"])) === "ExternalName";
}

function shrinks(from: Json, to: Json): boolean {
  const [before, after] = [from, to].map((size) => parseQuantity(String(size ?? ""))?.nano);
  return before !== undefined && after !== undefined && after < before;
}

/** Another kind of volume, or another value of a field: fields that are not written have defaults. */
function otherVolume(from: Json, to: Json): boolean {
  if (to === null) return false;
  if (!isMapping(from) || !isMapping(to)) return differ(from, to);
  return Object.entries(to).some(([key, value]) => Object.hasOwn(from, key) && otherVolume(from[key] ?? null, value));
}
