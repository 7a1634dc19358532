import { nearest } from "../../base/nearest-name.ts";
import { fieldsOf, isMapping, listOf, valueAt } from "../../yaml/read/json.ts";
import { appliedJson } from "../../yaml/read/kubectl-view.ts";
import type { Json } from "../../yaml/read/node.ts";
import type { Workload } from "../workloads/types.ts";
import { fieldsOfType, fieldType, isFieldName, typeOf, type FieldType, type Scalar } from "./pod-types.ts";
import { parseQuantity } from "./quantity.ts";
import type { FieldValidation, Refusal } from "./rollout-types.ts";
import { isValidated } from "./template-refusals.ts";
import { excluded, neededField, valueCheck, wrongKey, wrongName } from "./value-refusals.ts";

// Values that the API server cannot decode, such as a number in place of a string, values that it does not accept, and
// fields that it does not have. A real API server refused each (test/e2e/refused-pods.ts, refused-changes.ts).

/**
 * The first field of a created or changed workload with a wrong value. What the workload had `before` may be
 * corrected on its way to the cluster.
 */
export function refusedTypes(
  workload: Workload,
  before?: Workload,
  validation: FieldValidation = "Strict",
): Refusal | undefined {
  if (!isValidated(workload)) return undefined;
  return firstNew(workload.item, before && jsonOf(before), jsonOf(workload), validation);
}

const jsonOf = ({ item: { tree, node } }: Workload): Json => appliedJson(tree, node);

/** The kinds of other objects whose types are known. */
const OBJECTS: ReadonlySet<string> = new Set([
  ...["ConfigMap", "Secret", "Service", "ServiceAccount", "PersistentVolumeClaim"].map((kind) => `v1/${kind}`),
  "autoscaling/v2/HorizontalPodAutoscaler",
  ...["Ingress", "NetworkPolicy"].map((kind) => `networking.k8s.io/v1/${kind}`),
  "policy/v1/PodDisruptionBudget",
  ...["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"].map((kind) => `rbac.authorization.k8s.io/v1/${kind}`),
]);

/** The first field of a created or changed object, which is no workload, with a wrong value. */
export function refusedObject(
  object: Typed,
  from: Json,
  to: Json,
  validation: FieldValidation = "Strict",
): Refusal | undefined {
  return OBJECTS.has(`${object.apiVersion}/${object.kind}`) ? firstNew(object, from, to, validation) : undefined;
}

interface Typed {
  readonly apiVersion: string;
  readonly kind: string;
}

function firstNew(
  { apiVersion, kind }: Typed,
  from: Json | undefined,
  to: Json,
  validation: FieldValidation,
): Refusal | undefined {
  const isStrict = validation !== "Ignore" && CURRENT.test(apiVersion);
  const wrong = wrongIn(kind, to, isStrict);
  if (wrong.length === 0) return undefined;
  const known = new Set(wrongIn(kind, from, isStrict).map(({ path }) => withoutIndexes(path)));
  return wrong.find(({ path }) => !known.has(withoutIndexes(path)));
}

/** A path without indexes: a container or a variable before it moves what was wrong already. */
const withoutIndexes = (path: string): string => path.replaceAll(/\[\d+\]/gu, "[]");

function wrongIn(kind: string, value: Json | undefined, isStrict: boolean): readonly Refusal[] {
  const name = wrongName(kind, valueAt(value, ["metadata", "name"]));
  const found: Found = { all: name === undefined ? [] : [{ path: "metadata.name", problem: name }], isStrict };
  look(typeOf(kind), value, "", found);
  return found.all;
}

/** The versions whose fields are known. */
const CURRENT = /^(?:(?:apps|batch|policy|networking\.k8s\.io|rbac\.authorization\.k8s\.io)\/)?v1$|^autoscaling\/v2$/u;

/** How many unknown fields of an object are compared with known ones, which is slow. */
const MOST_UNKNOWN = 20;

interface Found {
  readonly all: Refusal[];
  /** Whether a field without a type is wrong. */
  readonly isStrict: boolean;
}

function look(type: FieldType, value: Json | undefined, path: string, found: Found): void {
  const add = (at: string, problem: string | undefined): void => {
    if (problem !== undefined) found.all.push({ path: at, problem });
  };
  switch (type.form) {
    case "struct": {
      if (isWord(value) || Array.isArray(value)) add(path, "must be an object with fields");
      const fields = fieldsOf(value);
      const dotted = (key: string): string => (path === "" ? key : `${path}.${key}`);
      const second = excluded(type.name, fields);
      if (second !== undefined) add(dotted(second.field), `must not be set beside ${second.by}`);
      const needed = isMapping(value) ? neededField(type.name, fields) : undefined;
      if (needed !== undefined) add(dotted(needed), "must be set");
      let unknown = 0;
      for (const [key, field] of Object.entries(fields)) {
        const declared = fieldType(type.name, key);
        if (declared === undefined) {
          if (!found.isStrict || field === null || (unknown += 1) > MOST_UNKNOWN) continue;
          add(dotted(key), unknownField(type.name, key));
          continue;
        }
        look(declared, field, dotted(key), found);
        const check = valueCheck(type.name, key);
        if (check !== undefined)
          for (const [step, element] of elementsOf(field)) add(dotted(key) + step, check(element));
        add(dotted(key), wrongKey(type.name, key, field));
      }
      break;
    }
    case "map":
      if (isWord(value) || Array.isArray(value)) add(path, "must be a mapping");
      for (const [key, element] of Object.entries(fieldsOf(value)))
        look(type.element, element, keyed(path, key), found);
      break;
    case "list":
      if (isWord(value) || isMapping(value)) add(path, "must be a list");
      for (const [i, element] of listOf(value).entries()) look(type.element, element, `${path}[${i}]`, found);
      break;
    case "scalar":
      add(path, WRONG[type.scalar]?.(value));
  }
}

/** The elements of a map or a list with their steps, or the value itself. */
function elementsOf(value: Json): readonly (readonly [step: string, element: Json])[] {
  if (Array.isArray(value)) return value.map((element, i) => [`[${i}]`, element]);
  return isMapping(value) ? Object.entries(value).map(([key, element]) => [keyed("", key), element]) : [["", value]];
}

const keyed = (path: string, key: string): string => (/^[\w-]+$/u.test(key) ? `${path}.${key}` : `${path}["${key}"]`);

/** Fields of earlier versions of types whose current version is known. */
const FORMER_FIELDS: ReadonlySet<string> = new Set([
  "targetAverageUtilization",
  "targetAverageValue",
  "targetCPUUtilizationPercentage",
]);

/**
 * A field that the type does not have. Only one that is misspelt, or in the wrong place: a newer Kubernetes may have others.
 */
function unknownField(struct: string, key: string): string | undefined {
  if (!/^[A-Za-z]\w*$/u.test(key)) return undefined;
  const near = nearest(key, fieldsOfType(struct));
  if (near !== undefined) return `is not a field: did you mean ${near}?`;
  return isFieldName(key) || FORMER_FIELDS.has(key) ? "is not a field here: it belongs to another level" : undefined;
}

/** What is wrong with a value. A string that may be replaced before it is applied is not wrong. */
const WRONG: Partial<Readonly<Record<Scalar, (value: Json | undefined) => string | undefined>>> = {
  string: (value) =>
    typeof value === "number" || typeof value === "boolean"
      ? "must be a string: put the value in quotes"
      : isMapping(value) || Array.isArray(value)
        ? "must be a string"
        : undefined,
  int: (value) =>
    (typeof value === "string" && /^-?\d+[a-z]?$/u.test(value)) ||
    (typeof value === "number" && !Number.isInteger(value))
      ? "must be a whole number, without quotes"
      : undefined,
  bool: (value) => (value === "true" || value === "false" ? `must be ${value}, without quotes` : undefined),
  quantity: (value) =>
    typeof value === "string" && /^-?[\d.]+ ?[A-Za-z]*$/u.test(value) && parseQuantity(value) === undefined
      ? "must be a number, or one with a unit such as 500m or 1Gi"
      : undefined,
};

function isWord(value: Json | undefined): boolean {
  return (
    typeof value === "number" ||
    typeof value === "boolean" ||
    (typeof value === "string" && /^[\w.,:;='"/@+ -]+$/u.test(value))
  );
}
