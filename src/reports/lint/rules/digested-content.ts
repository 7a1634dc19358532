import { sourceNameOf } from "../../../base/names.ts";
import { sumOf } from "../../../base/grouped.ts";
import { DECLARED_KEY, visibleEntries, type Keys } from "../../../base/digest/hash-v1.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import type { Sighting } from "../../../stamping/stamps/sightings.ts";
import type { LintContext } from "../context.ts";
import { problem, type LintRule, firstField, type Problem } from "../rule.ts";
import type { Source } from "../../../kubernetes/sources/types.ts";

/** A plain digest of a Secret with so little visible content that it can be guessed. */
export const GUESSABLE_SECRET: LintRule<"RS008"> = {
  id: "RS008",
  about: "state",
  check: (context) => {
    if (context.spec.secrets !== "Digest") return [];
    return context.workloads.flatMap(({ workload, templates }) =>
      templates.flatMap(({ desired }) =>
        digestedTogether(desired?.sightings ?? [], context).flatMap((secrets) => {
          const [first] = secrets;
          const bits = sumOf(secrets, (secret) => visibleBits(secret, context));
          if (first === undefined || bits === 0 || bits >= ENOUGH_BITS) return [];
          const reference = first.counted[0]?.reference;
          const params = {
            workload: resourceRef(workload.item),
            secrets: secrets.map(sourceNameOf),
          };
          return [
            problem(
              workload.item,
              reference ?? { node: workload.item.node },
              { id: "RS008", cause: "guessable", params },
              secrets.flatMap(({ source }) => source?.item ?? []),
            ),
          ];
        }),
      ),
    );
  },
};

// A graphics card computes about 2^34 SHA-256 digests a second. For 2^64 it needs decades.
const ENOUGH_BITS = 64;

/** The Secrets whose plain content is part of one digest. */
function digestedTogether(sightings: readonly Sighting[], { spec }: LintContext): readonly (readonly Sighting[])[] {
  const secrets = sightings.filter(({ kind, source }) => kind === "Secret" && source?.coverage === "content");
  return spec.layout === "Combined" ? [secrets] : secrets.map((secret) => [secret]);
}

/** An upper limit for the number of guesses that the visible values need, as a power of two. */
function visibleBits({ source, keys }: Sighting, { sources, spec }: LintContext): number {
  if (source === undefined) return 0;
  let bits = 0;
  for (const [key, value] of visibleEntries(sources.entries(source), spec.granularity === "Object" ? "*" : keys)) {
    if (key !== DECLARED_KEY) bits += bitsOf(value);
    // Many workloads may see many keys, so it stops when the limit is reached.
    if (bits >= ENOUGH_BITS) break;
  }
  return bits;
}

const ALPHABETS: readonly { readonly pattern: RegExp; readonly size: number }[] = [
  { pattern: /[0-9]/u, size: 10 },
  { pattern: /[a-z]/u, size: 26 },
  { pattern: /[A-Z]/u, size: 26 },
  { pattern: /[ -/:-@[-`{-~]/u, size: 33 },
  { pattern: /[^ -~]/u, size: 161 },
];

/** Assumes random bytes from the alphabets that occur. Real passwords need fewer guesses. */
function bitsOf(value: string | Uint8Array): number {
  // Twenty digits, from the smallest alphabet, reach the limit. Longer values need no check.
  if (value.length > 20) return ENOUGH_BITS;
  const text = Buffer.from(value).toString("latin1");
  const size = sumOf(ALPHABETS, (alphabet) => (alphabet.pattern.test(text) ? alphabet.size : 0));
  return text.length * Math.log2(Math.max(size, 1));
}

/** A placeholder that is filled in later: the stamp covers the placeholder instead of the real content. */
export const PLACEHOLDER: LintRule<"RS023"> = {
  id: "RS023",
  about: "state",
  check: (context) => [...inNames(context), ...inContents(context)],
};

function inNames({ workloads }: LintContext): Problem<"RS023">[] {
  return workloads.flatMap(({ workload: { item }, templates }) =>
    templates.flatMap(({ seen }) =>
      seen.flatMap(({ kind, namespace, name, counted: [first] }) => {
        if (first === undefined || !ANY_PLACEHOLDER.test(name)) return [];
        const params = { workload: resourceRef(item), source: { kind, namespace, name } };
        return [problem(item, first.reference, { id: "RS023", cause: "name", params })];
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
    const place = firstField(item, "data", "stringData", "spec");
    return [problem(item, place, { id: "RS023", cause: "content", params: { source: resourceRef(item), keys } })];
  });
}

/** The content of stamps: for each source, the keys that any pod template sees. */
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

// Valid names contain neither.
export const ANY_PLACEHOLDER: RegExp = /\$\{(?:(?!\$\{)[^}])*\}|<path:/u;

// argocd-vault-plugin: <path:secret/data/db#password>. Flux's post-build substitution: ${VAR}, ${VAR:=default}. Flux's
// variables are upper case and in a value of one line. A value of several lines is a file with its own syntax.
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

function declaredTexts(json: string): string[] {
  return json.match(/"(?:[^"\\]|\\.)*"/gu) ?? [];
}
