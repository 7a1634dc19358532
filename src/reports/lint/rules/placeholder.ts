import { DECLARED_KEY } from "../../../base/digest/hash-v1.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import type { Source } from "../../../kubernetes/sources/types.ts";
import type { Keys } from "../../../base/digest/hash-v1.ts";
import type { LintContext } from "../context.ts";
import { firstField, problem, type LintRule, type Problem } from "../rule.ts";

/** A placeholder that something fills in later: the stamp covers it, and not what the cluster gets. */
export const PLACEHOLDER: LintRule<"RS023"> = {
  id: "RS023",
  check: (context) => [...inNames(context), ...inContents(context)],
};

function inNames({ workloads }: LintContext): Problem<"RS023">[] {
  return workloads.flatMap(({ workload: { item }, templates }) =>
    templates.flatMap(({ seen }) =>
      seen.flatMap(({ kind, namespace, name, counted: [first] }) => {
        if (first === undefined || !ANY_PLACEHOLDER.test(name)) return [];
        const params = { workload: resourceRef(item), source: { kind, namespace, name } };
        return [problem(item, first.reference, { id: "RS023", cause: "named", params })];
      }),
    ),
  );
}

function inContents(context: LintContext): Problem<"RS023">[] {
  return [...digestedKeys(context)].flatMap(([source, shown]) => {
    const keys = [...context.sources.entries(source)]
      .filter(([key, value]) => (shown === "*" || shown.has(key) || key === DECLARED_KEY) && holds(key, value))
      .map(([key]) => key);
    if (keys.length === 0) return [];
    const { item } = source;
    const at = firstField(item, "data", "stringData", "spec");
    return [problem(item, at, { id: "RS023", cause: "digested", params: { source: resourceRef(item), keys } })];
  });
}

/** What goes into stamps: of each source the keys that any pod template shows. */
function digestedKeys({ workloads, spec }: LintContext): ReadonlyMap<Source, Keys> {
  const digested = new Map<Source, "*" | Set<string>>();
  for (const { templates } of workloads) {
    for (const { source, keys } of templates.flatMap(({ desired }) => desired?.sightings ?? [])) {
      if (source === undefined) continue;
      const known = digested.get(source);
      if (known === "*") continue;
      if (keys === "*" || spec.granularity === "Object") digested.set(source, "*");
      else if (known === undefined) digested.set(source, new Set(keys));
      else for (const key of keys) known.add(key);
    }
  }
  return digested;
}

// No name holds either of them.
export const ANY_PLACEHOLDER: RegExp = /\$\{[^}]*\}|<path:/u;

// argocd-vault-plugin: <path:secret/data/db#password>. Flux's post-build substitution: ${VAR}, ${VAR:=default}; its
// variables are told from those of programs by their case, and by standing in a value of one line: what has several
// is a file, with a syntax of its own.
const VAULT = /<path:[^<>#\s]{1,400}#[^<>]{1,400}>/u;
const FLUX = /\$\{[A-Z_][A-Z0-9_]*(?:[:]?[-=][^{}]*)?\}/u;

const LONGEST_LINE = 4096;

function holds(key: string, value: string | Uint8Array): boolean {
  const text = typeof value === "string" ? value : Buffer.from(value).toString("latin1");
  if (key === DECLARED_KEY) return declaredTexts(text).some((one) => VAULT.test(one) || isLine(one, "\\n"));
  return VAULT.test(text) || isLine(text, "\n");
}

function isLine(text: string, lineBreak: string): boolean {
  if (text.length > LONGEST_LINE) return false;
  const line = text.endsWith(lineBreak) ? text.slice(0, -lineBreak.length) : text;
  return !line.includes(lineBreak) && FLUX.test(line);
}

/** The strings of a declaration, which is JSON. */
function declaredTexts(json: string): string[] {
  return json.match(/"(?:[^"\\]|\\.)*"/gu) ?? [];
}
