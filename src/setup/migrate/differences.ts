import { RELOADER_KEYS, RELOADER_SEARCH } from "../../base/hosts/peers.ts";
import type { Limits } from "../../base/limits.ts";
import { RELOADED_KINDS } from "../../base/referenced-kinds.ts";
import { compileExpression, splitExpressions } from "../../stamping/policy/expressions.ts";
import type { Decision } from "../../stamping/policy/types.ts";
import type { PeerAnnotation } from "./peer-annotations.ts";

/** What rollstamp will do differently for a workload. */
export type Difference =
  /** Peers roll out any change of the object, rollstamp only changes of the keys that the pods see. */
  | { readonly is: "fewerKeys"; readonly source: string; readonly keys: readonly string[] }
  /** A regular expression that matches nothing, because it is invalid. */
  | { readonly is: "invalidExpression"; readonly text: string; readonly problem: string }
  /** A regular expression becomes the names that it matches now. */
  | { readonly is: "expression"; readonly text: string }
  /** A search becomes the names that it finds now. */
  | { readonly is: "search" }
  | { readonly is: "missingSources"; readonly names: readonly string[] }
  | { readonly is: "cronJob" | "job" }
  /** An annotation that says how or when a controller acts. */
  | { readonly is: "timing"; readonly key: string }
  | { readonly is: "wave" }
  | { readonly is: "checksum" };

export function differencesOf(
  decision: Decision,
  later: Decision | undefined,
  annotations: readonly PeerAnnotation[],
): Difference[] {
  const { workload, templates } = decision;
  const { limits } = workload.item.tree;
  const counted = templates.flatMap((template) => template.counted);
  const isRead = (name: PeerAnnotation["peer"]): boolean => annotations.some(({ peer }) => peer === name);
  const isRolled = isRead("Reloader") && counted.length > 0;
  const missing = counted.filter(({ source }) => source === undefined);
  const missingNames = [...new Set(missing.map(({ reference: { kind, name } }) => `${kind} ${name}`))].sort();
  return [
    ...fewerKeys(decision, later),
    ...reloadExpressions(annotations).flatMap((text) => expressionDifference(text, limits)),
    ...when(
      annotations.some(({ key, value }) => key === RELOADER_SEARCH && value === "true"),
      { is: "search" },
    ),
    ...when(missingNames.length > 0, { is: "missingSources", names: missingNames }),
    ...when(isRolled && workload.kind.kind === "CronJob", { is: "cronJob" }),
    ...when(isRolled && workload.kind.kind === "Job", { is: "job" }),
    ...annotations
      .filter(({ key }) => /\/(?:rollout-strategy|pause-period)$/u.test(key))
      .map(({ key }): Difference => ({ is: "timing", key })),
    ...when(isRead("Wave"), { is: "wave" }),
    ...when(isRead("Helm"), { is: "checksum" }),
  ];
}

function when(holds: boolean, difference: Difference): readonly Difference[] {
  return holds ? [difference] : [];
}

/** A source that the new annotations name counts whole, whatever the pods see. */
function fewerKeys({ templates }: Decision, later: Decision | undefined): Difference[] {
  const parts = new Map<string, Set<string>>();
  const whole = new Set(
    (later?.templates ?? []).flatMap(({ counted }) =>
      counted.flatMap(({ reference: { kind, name, keys } }) => (keys === "*" ? [`${kind} ${name}`] : [])),
    ),
  );
  for (const { reference } of templates.flatMap(({ counted }) => counted)) {
    const source = `${reference.kind} ${reference.name}`;
    if (reference.keys === "*") whole.add(source);
    else for (const key of reference.keys) parts.set(source, (parts.get(source) ?? new Set()).add(key));
  }
  return [...parts]
    .filter(([source]) => !whole.has(source))
    .map(([source, keys]) => ({ is: "fewerKeys", source, keys: [...keys].sort() }));
}

function reloadExpressions(annotations: readonly PeerAnnotation[]): string[] {
  const keys = RELOADED_KINDS.map((kind) => RELOADER_KEYS[kind].reload);
  return annotations.flatMap(({ key, value }) => (keys.includes(key) ? splitExpressions(value) : []));
}

function expressionDifference(text: string, limits: Limits): Difference[] {
  const expression = compileExpression(text, limits.expression);
  if ("problem" in expression) return [{ is: "invalidExpression", text, problem: expression.problem }];
  return expression.isName ? [] : [{ is: "expression", text }];
}
