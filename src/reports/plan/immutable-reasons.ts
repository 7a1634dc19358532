import { appliedJson } from "../../yaml/read/kubectl-view.ts";
import { get, getPath, getString, type Json, kindOf } from "../../yaml/read/node.ts";
import { isMapping, stableJson, fieldOf } from "../../yaml/read/json.ts";
import { NONE } from "../../yaml/read/tree.ts";
import type { Item } from "../../yaml/read/items.ts";
import { compare } from "../../kubernetes/rollout/compare.ts";
import { typeOf } from "../../kubernetes/rollout/pod-types.ts";
import { shownValues } from "./hidden-values.ts";
import type { ImmutableReason } from "./plan-reasons.ts";
import type { Workload } from "../../kubernetes/workloads/types.ts";

/** A field of a workload that the API server never changes. */
interface ImmutableField {
  readonly path: string;
  /** Its type, as scripts/pod-template-types names it. */
  readonly type: string;
  /** The default of the API server. */
  readonly absent?: (item: Item) => Json;
  /** Removes what the API server doesn't compare. */
  readonly read?: (value: Json) => Json;
}

const SELECTOR: ImmutableField = { path: "spec.selector", type: "*LabelSelector", absent: defaultSelector };

// ValidateDeploymentUpdate and its neighbours in pkg/apis/apps/validation, ValidateJobSpecUpdate in
// pkg/apis/batch/validation, Kubernetes 1.34; a real API server refused each.
/** By kind. A Job's template is compared with the pod templates. */
const IMMUTABLE_FIELDS: Readonly<Record<string, readonly ImmutableField[]>> = {
  Deployment: [SELECTOR],
  DaemonSet: [SELECTOR],
  ReplicaSet: [SELECTOR],
  StatefulSet: [
    SELECTOR,
    { path: "spec.serviceName", type: "string" },
    { path: "spec.podManagementPolicy", type: "string", absent: () => "OrderedReady" },
    { path: "spec.volumeClaimTemplates", type: "[name]PersistentVolumeClaimTemplate", read: claimTemplates },
  ],
  Job: [
    { path: "spec.completions", type: "*int", absent: defaultCompletions },
    { path: "spec.completionMode", type: "string", absent: () => "NonIndexed" },
    { path: "spec.selector", type: "*LabelSelector" },
    { path: "spec.podFailurePolicy", type: "any" },
    { path: "spec.backoffLimitPerIndex", type: "*int" },
    { path: "spec.managedBy", type: "*string" },
    { path: "spec.successPolicy", type: "any" },
  ],
};

const GROUPS: readonly string[] = ["apps", "extensions", "batch"];

/** The immutable fields of a workload that differ, so that its apply is refused. */
export function immutableReasons(base: Workload, head: Workload, showValues: boolean): ImmutableReason[] {
  if (!GROUPS.includes(head.item.group)) return [];
  // A configured kind may have the name of a property that every object has.
  const fields = Object.hasOwn(IMMUTABLE_FIELDS, head.item.kind) ? IMMUTABLE_FIELDS[head.item.kind] : undefined;
  return (fields ?? []).flatMap((field): ImmutableReason[] => {
    const from = valueOf(base.item, field);
    const to = valueOf(head.item, field);
    if (stableJson(from) === stableJson(to) || isElastic(field, base.item, head.item)) return [];
    const name = field.path.slice("spec.".length);
    const changes = compare(
      typeOf(field.type),
      from,
      to,
      { quantitiesByText: false },
      { struct: `${head.item.kind}Spec`, name },
    );
    return changes.map((change) => ({
      type: "Immutable",
      path: `${field.path}${joined(change.path)}`,
      ...shownValues(change, showValues),
    }));
  });
}

function joined(path: string): string {
  return path === "" || path.startsWith("[") ? path : `.${path}`;
}

function valueOf(item: Item, field: ImmutableField): Json {
  const node = getPath(item.tree, item.node, field.path.split("."));
  const isAbsent = node === NONE || kindOf(item.tree, node) === "null";
  const value = isAbsent ? (field.absent?.(item) ?? null) : appliedJson(item.tree, node);
  return field.read === undefined ? value : field.read(value);
}

/** Only removed API versions set a default selector: the labels of the pod template. */
function defaultSelector({ tree, node, apiVersion }: Item): Json {
  if (apiVersion !== "apps/v1beta1" && apiVersion !== "extensions/v1beta1") return null;
  const labels = getPath(tree, node, ["spec", "template", "metadata", "labels"]);
  return labels === NONE ? null : { matchLabels: appliedJson(tree, labels) };
}

function defaultCompletions({ tree, node }: Item): Json {
  return get(tree, getPath(tree, node, ["spec"]), "parallelism") === NONE ? 1 : null;
}

function hasAny({ tree, node }: Item, ...keys: readonly string[]): boolean {
  const spec = getPath(tree, node, ["spec"]);
  return keys.some((key) => get(tree, spec, key) !== NONE);
}

/** An Indexed Job may change its completions together with its parallelism. */
function isElastic(field: ImmutableField, base: Item, head: Item): boolean {
  if (field.path !== "spec.completions") return false;
  // If both manifests leave it out, an apply keeps the default that the server set: 1 without parallelism.
  if (!hasAny(base, "completions", "parallelism") && !hasAny(head, "completions")) return true;
  return [base, head].every(({ tree, node }) => {
    const spec = getPath(tree, node, ["spec"]);
    const [completions, parallelism] = [get(tree, spec, "completions"), get(tree, spec, "parallelism")];
    if (getString(tree, spec, "completionMode") !== "Indexed" || completions === NONE || parallelism === NONE)
      return false;
    return stableJson(appliedJson(tree, completions)) === stableJson(appliedJson(tree, parallelism));
  });
}

/** Claims by name, as the messages show them. The API server sets their type and status. */
function claimTemplates(value: Json): Json {
  if (!Array.isArray(value)) return value;
  return value.map((claim) => {
    if (!isMapping(claim)) return claim;
    const { metadata } = claim;
    const name = fieldOf(metadata, "name");
    return { ...(name === undefined ? {} : { name }), metadata: metadata ?? null, spec: claim["spec"] ?? null };
  });
}
