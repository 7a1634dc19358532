import { RELOADER_KEYS, RELOADER_SEARCH } from "../../base/hosts/peers.ts";
import { comparing, type Limits } from "../../base/limits.ts";
import { REFERENCED_KINDS, type ReferencedKind } from "../../base/referenced-kinds.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import { compileExpression, loadRe2, splitExpressions } from "../../stamping/policy/expressions.ts";
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
  /** Reloader anchors `a|b` as `^a|b$`, which matches more than the two names. */
  | { readonly is: "looseExpression"; readonly text: string; readonly names: readonly string[] }
  /** A search becomes the names that it finds now. */
  | { readonly is: "search" }
  | { readonly is: "missingSources"; readonly names: readonly string[] }
  | { readonly is: "cronJob" | "job" }
  /** An annotation that says how or when a controller acts. */
  | { readonly is: "timing"; readonly key: string }
  | { readonly is: "wave" }
  | { readonly is: "checksum" };

interface Compared {
  readonly decision: Decision;
  readonly annotations: readonly PeerAnnotation[];
  readonly looseNames: LooseNames;
}

export function differencesOf({ decision, annotations, looseNames }: Compared): Difference[] {
  const { workload, templates } = decision;
  const { limits } = workload.item.tree;
  const counted = templates.flatMap((template) => template.counted);
  const isRead = (name: PeerAnnotation["peer"]): boolean => annotations.some(({ peer }) => peer === name);
  const isRolled = isRead("Reloader") && counted.length > 0;
  const missing = counted.filter(({ source }) => source === undefined);
  const missingNames = [...new Set(missing.map(({ reference: { kind, name } }) => `${kind} ${name}`))].sort();
  return [
    ...fewerKeys(decision),
    ...reloadExpressions(annotations).flatMap(({ text }) => expressionDifference(text, limits)),
    ...reloadExpressions(annotations).flatMap(({ kind, text }): Difference[] => {
      const names = text.includes("|") ? looseNames(kind, workload.namespace, text, limits) : [];
      return names.length === 0 ? [] : [{ is: "looseExpression", text, names }];
    }),
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

function fewerKeys({ templates }: Decision): Difference[] {
  const parts = new Map<string, Set<string>>();
  const whole = new Set<string>();
  for (const { reference } of templates.flatMap(({ counted }) => counted)) {
    const source = `${reference.kind} ${reference.name}`;
    if (reference.keys === "*") whole.add(source);
    else for (const key of reference.keys) parts.set(source, (parts.get(source) ?? new Set()).add(key));
  }
  return [...parts]
    .filter(([source]) => !whole.has(source))
    .map(([source, keys]) => ({ is: "fewerKeys", source, keys: [...keys].sort() }));
}

function reloadExpressions(
  annotations: readonly PeerAnnotation[],
): { readonly kind: ReferencedKind; readonly text: string }[] {
  return REFERENCED_KINDS.flatMap((kind) =>
    annotations
      .filter(({ key }) => key === RELOADER_KEYS[kind].reload)
      .flatMap(({ value }) => splitExpressions(value).map((text) => ({ kind, text }))),
  );
}

function expressionDifference(text: string, limits: Limits): Difference[] {
  const expression = compileExpression(text, limits.expression);
  if ("problem" in expression) return [{ is: "invalidExpression", text, problem: expression.problem }];
  return expression.isName ? [] : [{ is: "expression", text }];
}

/** The names of sources that Reloader matches by an expression with alternatives, but that the expression does not mean. */
export type LooseNames = (kind: ReferencedKind, namespace: string, text: string, limits: Limits) => readonly string[];

/** Evaluates each expression once, however many workloads have it; the total work is limited. */
export function looseNamesIn({ all }: SourceIndex): LooseNames {
  const spend = comparing("regular expressions with names");
  const byScope = new Map<string, Set<string>>();
  for (const { provides } of all) {
    const scope = `${provides.kind}/${provides.namespace}`;
    byScope.set(scope, (byScope.get(scope) ?? new Set<string>()).add(provides.name));
  }
  const known = new Map<string, readonly string[]>();
  return (kind, namespace, text, limits) => {
    const scope = `${kind}/${namespace}`;
    const id = `${scope} ${text}`;
    let names = known.get(id);
    if (names !== undefined) return names;
    const strict = compileExpression(text, limits.expression);
    const loose = looseExpression(text);
    const isLoose = (name: string): boolean => {
      spend(2 * text.length * name.length, limits);
      return !("problem" in strict) && loose?.(name) === true && !strict.matches(name);
    };
    names = "problem" in strict || loose === undefined ? [] : [...(byScope.get(scope) ?? [])].filter(isLoose).sort();
    known.set(id, names);
    return names;
  };
}

function looseExpression(text: string): ((name: string) => boolean) | undefined {
  const { RE2JS } = loadRe2();
  try {
    const expression = RE2JS.compile(`^${text}$`);
    return (name) => expression.matcher(name).find();
  } catch {
    return undefined;
  }
}
