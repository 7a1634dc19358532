import { fieldsOf, listOf, textOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { RollstampError } from "../../base/errors.ts";
import { workloadKey } from "../../base/identity.ts";

/** What a plan says of a workload; liberal about fields and actions that this version does not know. */
export interface Expected {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** As the plan has it: `Roll`, `Create`, `NoEffect`, … */
  readonly action: string;
  /** It waits for a person, by plan. */
  readonly waits: boolean;
  /** It is restarted by a field of its own, and gets no other template: that it has rolled can't be seen. */
  readonly byField: boolean;
}

/** Whether a workload of a plan is to roll, is not to, or neither can be said. */
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

/** What an action of a plan says; null for a workload that it does not list. */
export function outlookOf(action: string | null): Outlook {
  return (action !== null && Object.hasOwn(OUTLOOKS, action) ? OUTLOOKS[action] : undefined) ?? "open";
}

/** Reads what `plan -o json` has written. Throws a RollstampError for what is no plan. */
export function readPlan(text: string, file: string): readonly Expected[] {
  let read: Json;
  try {
    read = JSON.parse(text);
  } catch {
    throw noPlan(file, "this is no JSON");
  }
  const { kind, workloads } = fieldsOf(read);
  if (kind !== "RolloutPlan" || !Array.isArray(workloads)) throw noPlan(file, "this is no RolloutPlan");
  const seen = new Set<string>();
  return listOf(workloads).flatMap((workload): Expected[] => {
    const of = fieldsOf(workload);
    const [apiVersion, kindOf, namespace, name, action] = ["apiVersion", "kind", "namespace", "name", "action"].map(
      (field) => textOf(of[field]),
    );
    if (apiVersion === undefined || kindOf === undefined || namespace === undefined || name === undefined)
      throw noPlan(file, "a workload of the plan has no apiVersion, kind, namespace or name");
    const key = workloadKey({ apiVersion, kind: kindOf, namespace, name });
    // Names that are made up are none yet.
    if (name !== "" && outlookOf(action ?? null) !== "open") {
      if (seen.has(key)) throw standsTwice(file, `${kindOf} ${namespace}/${name}`);
      seen.add(key);
    }
    const waits = of["safety"] === "Waits";
    const byField = isRestartedByField(listOf(of["reasons"]));
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

/** A plan of several environments, each with an object of its own: a cluster has one of them. */
function standsTwice(file: string, workload: string): RollstampError {
  return new RollstampError(
    "input",
    `${workload} stands in several parts of this plan: which one is followed, it doesn't say`,
    {
      place: { file },
      remedy: "Give a plan of what was applied to this cluster alone, such as that of one folder.",
    },
  );
}

function noPlan(file: string, problem: string): RollstampError {
  return new RollstampError("input", problem, {
    place: { file },
    remedy: "Give what 'rollstamp plan -o json' has written.",
  });
}
