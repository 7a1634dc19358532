import { fieldsOf, listOf } from "../../yaml/read/json.ts";
import { appliedJson } from "../../yaml/read/kubectl-view.ts";
import type { Json } from "../../yaml/read/node.ts";
import type { Workload } from "../workloads/types.ts";
import { fieldType, typeOf, type FieldType, type Scalar } from "./pod-types.ts";
import type { Refusal } from "./rollout-types.ts";
import { isValidated } from "./template-refusals.ts";

// Values that the API server cannot decode: a number in place of a string, or a string in place of a number. A real API
// server refused each (test/e2e/refused-pods.ts).

/**
 * The first field of a created or changed workload with a value of another type. What the workload had `before` may be
 * corrected on its way to the cluster.
 */
export function refusedTypes(workload: Workload, before?: Workload): Refusal | undefined {
  if (!isValidated(workload)) return undefined;
  const known = new Set(before === undefined ? [] : wrongIn(before).map(({ path }) => fieldOf(path)));
  return wrongIn(workload).find(({ path }) => !known.has(fieldOf(path)));
}

/** A path without indexes: a container or a variable before it moves what was wrong already. */
const fieldOf = (path: string): string => path.replaceAll(/\[\d+\]/gu, "[]");

function wrongIn({ item: { kind, tree, node } }: Workload): readonly Refusal[] {
  const all: Refusal[] = [];
  look(typeOf(kind), appliedJson(tree, node), "", all);
  return all;
}

function look(type: FieldType, value: Json | undefined, path: string, all: Refusal[]): void {
  switch (type.form) {
    case "struct":
      for (const [key, field] of Object.entries(fieldsOf(value))) {
        const declared = fieldType(type.name, key);
        if (declared !== undefined) look(declared, field, path === "" ? key : `${path}.${key}`, all);
      }
      break;
    case "map":
      for (const [key, element] of Object.entries(fieldsOf(value)))
        look(type.element, element, /^[\w-]+$/u.test(key) ? `${path}.${key}` : `${path}["${key}"]`, all);
      break;
    case "list":
      if (isWord(value)) all.push({ path, problem: "must be a list" });
      for (const [i, element] of listOf(value).entries()) look(type.element, element, `${path}[${i}]`, all);
      break;
    case "scalar": {
      const problem = WRONG[type.scalar]?.(value);
      if (problem !== undefined) all.push({ path, problem });
    }
  }
}

/** What is wrong with a value. A string that may be replaced before it is applied is not wrong. */
const WRONG: Partial<Readonly<Record<Scalar, (value: Json | undefined) => string | undefined>>> = {
  string: (value) =>
    typeof value === "number" || typeof value === "boolean" ? "must be a string: put the value in quotes" : undefined,
  int: (value) =>
    typeof value === "string" && /^-?\d+$/u.test(value) ? "must be a whole number, without quotes" : undefined,
  bool: (value) => (value === "true" || value === "false" ? `must be ${value}, without quotes` : undefined),
};

function isWord(value: Json | undefined): boolean {
  return (
    typeof value === "number" || typeof value === "boolean" || (typeof value === "string" && /^[\w./-]+$/u.test(value))
  );
}
