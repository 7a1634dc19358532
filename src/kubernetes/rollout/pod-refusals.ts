import { fieldOf, fieldsOf, listOf, textOf } from "../../yaml/read/json.ts";
import { appliedJson } from "../../yaml/read/kubectl-view.ts";
import { type Json } from "../../yaml/read/node.ts";
import type { Workload, WorkloadKind } from "../workloads/types.ts";
import { runsToCompletion } from "../workloads/workload-kinds.ts";
import { conflicts } from "./pod-conflicts.ts";
import { amountOf } from "./quantity.ts";
import type { FieldValidation, Refusal } from "./rollout-types.ts";
import { isValidated } from "./template-refusals.ts";

// What the API server rejects in a pod spec: ValidatePodSpec in pkg/apis/core/validation. A real API server, which is
// Kubernetes 1.34, refused each for each kind (test/e2e/refused-pods.ts).

/**
 * The first field that a created or changed workload lacks, or has twice. What a file does not have may be completed
 * before it is applied, so a field is missing only if the workload had it `before`, or if a new container has it empty.
 */
export function refusedPods(
  workload: Workload,
  before?: Workload,
  validation: FieldValidation = "Strict",
): Refusal | undefined {
  if (!isValidated(workload)) return undefined;
  const old = new Map(before === undefined ? [] : specsOf(before).map(({ field, spec }) => [field, spec]));
  for (const { field, spec } of specsOf(workload)) {
    const found =
      missing(spec, old.get(field)) ??
      wrongRestart(workload.kind, spec, old.get(field)) ??
      repeated(spec, validation === "ServerSide") ??
      aboveLimit(spec) ??
      conflicts(spec, old.get(field));
    if (found !== undefined) return { ...found, path: `${field}.${found.path}` };
  }
  return undefined;
}

interface FieldOfSpec {
  readonly field: string;
  readonly spec: Json;
}

function specsOf({ item: { tree }, templates }: Workload): readonly FieldOfSpec[] {
  return templates.flatMap(({ podSpecs }) =>
    podSpecs.map(({ node, field }) => ({ field, spec: appliedJson(tree, node) })),
  );
}

const CONTAINERS = ["containers", "initContainers"] as const;

function missing(spec: Json, old: Json | undefined): Refusal | undefined {
  if (old !== undefined && isMissing("containers", spec, old))
    return { path: "containers", problem: "must have a container" };
  for (const list of CONTAINERS) {
    const before = listOf(fieldOf(old, list));
    // The first of a name counts.
    const named = new Map(before.toReversed().map((one) => [fieldOf(one, "name"), one]));
    for (const [i, container] of listOf(fieldOf(spec, list)).entries()) {
      const same = named.get(fieldOf(container, "name")) ?? before[i];
      const field = ["name", "image"].find((key) => isMissing(key, container, same));
      if (field !== undefined) return { path: `${list}[${i}].${field}`, problem: "must not be empty" };
    }
  }
  return undefined;
}

/** Whether a field becomes empty; in a new object, whether it is set and empty. */
function isMissing(key: string, value: Json, before: Json | undefined): boolean {
  const field = fieldOf(value, key);
  return isEmpty(field) && (before === undefined ? field !== undefined : !isEmpty(fieldOf(before, key)));
}

function isEmpty(value: Json | undefined): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

const POLICIES: readonly string[] = ["Always", "OnFailure", "Never"];

/** ValidatePodTemplateSpecForReplicaSet in pkg/apis/apps/validation, validateJobSpec in pkg/apis/batch/validation. */
function wrongRestart(kind: WorkloadKind, spec: Json, old: Json | undefined): Refusal | undefined {
  const isRun = runsToCompletion(kind);
  const isPod = kind.kind === "Pod";
  const allowed = isPod ? POLICIES : POLICIES.filter((policy) => (policy !== "Always") === isRun);
  const problem = `must be ${allowed.join(" or ")}`;
  const policy = textOf(fieldOf(spec, "restartPolicy"));
  // The default is Always. What is not a word is filled in later.
  const isWrong =
    policy === undefined
      ? isRun && isMissing("restartPolicy", spec, old)
      : /^[A-Za-z]+$/u.test(policy) && !allowed.includes(policy);
  if (isWrong) return { path: "restartPolicy", problem };
  const isLimited = !isPod && !isRun && typeof fieldOf(spec, "activeDeadlineSeconds") === "number";
  return isLimited ? { path: "activeDeadlineSeconds", problem: "must not be set" } : undefined;
}

/** The lists of a container whose elements differ in a field. */
const UNIQUE = [
  { list: "volumeMounts", key: "mountPath" },
  { list: "ports", key: "name" },
] as const;

/** What kubectl's own merge accepts twice, and a server-side apply refuses: "duplicate entries for key". */
const UNIQUE_IF_SERVER_SIDE = [...UNIQUE, { list: "env", key: "name" }] as const;

function repeated(spec: Json, isServerSide: boolean): Refusal | undefined {
  const volume = repeatedIn(spec, "volumes", "name");
  if (volume !== undefined) return volume;
  const names = new Set<string>();
  for (const list of CONTAINERS) {
    const again = repeatedIn(spec, list, "name", names);
    if (again !== undefined) return again;
    for (const [i, container] of listOf(fieldOf(spec, list)).entries()) {
      for (const { list: inside, key } of isServerSide ? UNIQUE_IF_SERVER_SIDE : UNIQUE) {
        const found = repeatedIn(container, inside, key);
        if (found !== undefined) return { ...found, path: `${list}[${i}].${found.path}` };
      }
    }
  }
  return undefined;
}

/** ValidateContainerResourceRequirements. */
function aboveLimit(spec: Json): Refusal | undefined {
  for (const list of CONTAINERS) {
    for (const [i, container] of listOf(fieldOf(spec, list)).entries()) {
      const { requests, limits } = fieldsOf(fieldOf(container, "resources"));
      for (const [resource, request] of Object.entries(fieldsOf(requests))) {
        const limit = amountOf(fieldOf(limits, resource));
        const wanted = amountOf(request);
        if (limit !== undefined && wanted !== undefined && wanted > limit)
          return {
            path: `${list}[${i}].resources.requests`,
            problem: `must not ask for more ${resource} than the limit`,
          };
      }
    }
  }
  return undefined;
}

function repeatedIn(value: Json, list: string, key: string, seen: Set<string> = new Set()): Refusal | undefined {
  for (const [i, element] of listOf(fieldOf(value, list)).entries()) {
    const text = textOf(fieldOf(element, key));
    if (text === undefined || text === "") continue;
    if (seen.has(text)) return { path: `${list}[${i}].${key}`, problem: `must be unique, but ${text} is used twice` };
    seen.add(text);
  }
  return undefined;
}
