import { fieldsOf, listOf, textOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { RollstampError } from "../../base/errors.ts";
import { workloadKey } from "../../base/identity.ts";

/** A workload of a plan. Unknown fields and actions of other versions are allowed. */
export interface Expected {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** The action in the plan: `Roll`, `Create`, `NoEffect`, … */
  readonly action: string;
  /** The planned rollout waits for approval. */
  readonly waits: boolean;
  /** The restart changes a field outside the template, so the rollout cannot be detected. */
  readonly byField: boolean;
}

/** Whether a workload of a plan rolls out, stays as it is, or is refused; `open` if the plan does not say. */
export type Outlook = "rolls" | "stays" | "refused" | "open";

const OUTLOOKS: Readonly<Record<string, Outlook>> = {
  Roll: "rolls",
  Create: "rolls",
  NoEffect: "stays",
  None: "stays",
  Waiting: "stays",
  Reload: "stays",
  Fail: "refused",
};

/** What an action means; null for a workload that is not in the plan. */
export function outlookOf(action: string | null): Outlook {
  return (action !== null && Object.hasOwn(OUTLOOKS, action) ? OUTLOOKS[action] : undefined) ?? "open";
}

/** Reads the output of `plan -o json`. Throws a RollstampError if it is not a plan. */
export function readPlan(text: string, file: string): readonly Expected[] {
  let read: Json;
  try {
    read = JSON.parse(text);
  } catch {
    throw noPlan(file, "this is not JSON");
  }
  const { kind, workloads } = fieldsOf(read);
  if (kind !== "RolloutPlan" || !Array.isArray(workloads)) throw noPlan(file, "this is not a RolloutPlan");
  const seen = new Set<string>();
  return listOf(workloads).flatMap((workload): Expected[] => {
    const fields = fieldsOf(workload);
    const [apiVersion, kindOf, namespace, name, action] = ["apiVersion", "kind", "namespace", "name", "action"].map(
      (field) => textOf(fields[field]),
    );
    if (apiVersion === undefined || kindOf === undefined || namespace === undefined || name === undefined)
      throw noPlan(file, "a workload of the plan has no apiVersion, kind, namespace or name");
    const key = workloadKey({ apiVersion, kind: kindOf, namespace, name });
    // Objects without a name, such as those with generateName, are not followed.
    if (name !== "" && outlookOf(action ?? null) !== "open") {
      if (seen.has(key)) throw ambiguousWorkload(file, `${kindOf} ${namespace}/${name}`);
      seen.add(key);
    }
    const waits = fields["safety"] === "Waits";
    const byField = isRestartedByField(listOf(fields["reasons"]));
    return [{ apiVersion, kind: kindOf, namespace, name, action: action ?? "", waits, byField }];
  });
}

function isRestartedByField(reasons: readonly Json[]): boolean {
  return (
    reasons.length > 0 &&
    reasons.every((reason) => {
      const { type, field } = fieldsOf(reason);
      return type === "Restart" && textOf(field)?.startsWith("spec.") === true;
    })
  );
}

/** A plan of several environments that have the same object. A cluster has only one of them. */
function ambiguousWorkload(file: string, workload: string): RollstampError {
  return new RollstampError("input", `${workload} is in several parts of this plan, so it is ambiguous`, {
    place: { file },
    remedy: "Give a plan of only what was applied to this cluster, such as that of one folder.",
  });
}

function noPlan(file: string, problem: string): RollstampError {
  return new RollstampError("input", problem, {
    place: { file },
    remedy: "Give the output of 'rollstamp plan -o json'.",
  });
}
