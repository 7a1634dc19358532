import { DECLARED_KEY, visibleEntries } from "../../../base/digest/hash-v1.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import type { Sighting } from "../../../stamping/stamps/sightings.ts";
import type { LintContext } from "../context.ts";
import { problem, type LintRule } from "../rule.ts";

/** A plain digest of a Secret of which so little is visible that it can be guessed and checked. */
export const GUESSABLE_SECRET: LintRule<"RS008"> = {
  id: "RS008",
  check: (context) => {
    if (context.spec.secrets !== "Digest") return [];
    return context.workloads.flatMap(({ workload, templates }) =>
      templates.flatMap(({ desired }) =>
        digestedTogether(desired?.sightings ?? [], context).flatMap((secrets) => {
          const [first] = secrets;
          const bits = secrets.reduce((sum, secret) => sum + visibleBits(secret, context), 0);
          if (first === undefined || bits === 0 || bits >= ENOUGH_BITS) return [];
          const reference = first.counted[0]?.reference;
          const params = {
            workload: resourceRef(workload.item),
            secrets: secrets.map(({ kind, namespace, name }) => ({ kind, namespace, name })),
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

// A graphics card tries about 2^34 SHA-256 a second: 2^64 take it decades.
const ENOUGH_BITS = 64;

/** The Secrets whose plain content goes into one digest. */
function digestedTogether(sightings: readonly Sighting[], { spec }: LintContext): readonly (readonly Sighting[])[] {
  const secrets = sightings.filter(({ kind, source }) => kind === "Secret" && source?.coverage === "content");
  return spec.layout === "Combined" ? [secrets] : secrets.map((secret) => [secret]);
}

/** An upper limit of how many guesses the visible values take, as a power of two. */
function visibleBits({ source, keys }: Sighting, { sources, spec }: LintContext): number {
  if (source === undefined) return 0;
  let bits = 0;
  for (const [key, value] of visibleEntries(sources.entries(source), spec.granularity === "Object" ? "*" : keys)) {
    if (key !== DECLARED_KEY) bits += bitsOf(value);
    // Many workloads may see many keys: more than enough is enough.
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

/** As if each byte were random among those of the alphabets that occur: real passwords take less. */
function bitsOf(value: string | Uint8Array): number {
  // Twenty digits, the smallest alphabet, are enough already: long values need no look.
  if (value.length > 20) return ENOUGH_BITS;
  const text = Buffer.from(value).toString("latin1");
  const size = ALPHABETS.reduce((sum, alphabet) => sum + (alphabet.pattern.test(text) ? alphabet.size : 0), 0);
  return text.length * Math.log2(Math.max(size, 1));
}
