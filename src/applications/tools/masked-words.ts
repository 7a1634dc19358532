// Errors of kustomize and helm are shown to people who must not see secrets, in conditions of Applications and in logs. These
// programs quote what they can't read, even whole patches. Quoted text is masked unless it is known not to be a value.

import { onceForText } from "../../base/grouped.ts";
import { MOST_STDERR } from "../../base/limits.ts";
import { HIDDEN, withoutUserInfo } from "../../base/user-info.ts";

/** What is known about texts that a program may quote. */
export interface Known {
  /** Public texts: templates, names of files. */
  readonly open: readonly string[];
  /** Values of parameters, values files and Secrets. */
  readonly values: readonly string[];
}

// Shorter values are common words, such as `true`, `web` and `info`.
const SHORTEST_VALUE = 5;

/** The variable that disables masking. */
const SHOW_WORDS = "ROLLSTAMP_SHOW_RENDERER_WORDS";

/** The output of a program, masked unless the environment disables that. */
export function shownWords(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
  known: Known,
): string {
  if (environment[SHOW_WORDS] === "true") return text;
  // The end of what it prints may be missing, so that neither quotes nor values can be found.
  return Buffer.byteLength(text) >= MOST_STDERR
    ? `${HIDDEN} (hidden, because it is too long; ${SHOW_WORDS}=true shows it)`
    : maskedWords(text, known);
}

/** What kustomize quotes, although it contains quotes: why a resource is not a file, before why it is not a folder. */
const QUOTING_QUOTES =
  /accumulation err='((?:accumulating|merging) resources from '[^'\n]*': [^\n]*?)'(?=: (?:must build|recursed accumulation|couldn't make))/gu;

/** A resource that is a component, or the other way round: kinds are no values. */
const OTHER_KIND = /"?(expected kind (?:!= )?)'(\w+)'( for path '[^'\n]*')(?:( but got )'(\w+)')?"?/gu;

/** The object of a generator with `behavior: merge` or `replace` that no resource is, as Go prints its identity. */
const MERGED =
  /merging from generator &\{[^\n}]*\}: id resid\.ResId\{Gvk:resid\.Gvk\{Group:"[\w.-]*", Version:"\w*", Kind:"(\w+)", isClusterScoped:\w+\}, Name:"([\w.-]+)", Namespace:"([\w.-]*)"\}/gu;

/** A field that a kustomization cannot have: names of fields are no values. */
const UNKNOWN_FIELD = /(unknown field )"([A-Za-z][A-Za-z\d]{0,40})"/gu;

/** What follows the reason why a resource is not a file. */
const AFTER_INPUT = "(?=': (?:must build at directory|recursed accumulation|couldn't make))";

/**
 * What kustomize prints without quotes, or in quotes that it may contain: the words before, and the words after. If there are no
 * words after, everything to the end is masked.
 */
const INPUT: readonly (readonly [before: string, after?: string])[] = [
  // kyaml/yaml/fns.go, kyaml/yaml/rnode.go, kyaml/yaml/walk, kyaml/filtersutil
  ["node contents:\\n"],
  ["wrong Node Kind for [^\\n]{0,300}?: value: "],
  ["for the following resource:\\n"],
  ["missing (?:kind|metadata\\.name) in object (?:\\{\\{[\\w./-]* \\w*\\})?"],
  ["is not a string: "],
  // api/resource, api/resmap
  ["empty item at [^\\n]{0,300}? in object "],
  ["expected 1 resource, found \\d+ in "],
  ["map\\[(?:string|interface \\{\\})\\]interface \\{\\}\\{", "(?=\\}: json: unsupported type)"],
  // api/kv, api/internal/generators
  // kustomize prints the line as a list of byte values.
  ["line (?=\\[[\\d ]*\\] has invalid utf8)", "(?= has invalid utf8 bytes)"],
  ["has invalid utf8 bytes : "],
  ["illegally repeats the key "],
  ["literal sources (?=\\[)", "(?=: invalid literal source)"],
  ["invalid literal source (?!…)", "(?=, expected key=value)"],
  // api/filters/replacement
  ["is out of bounds for value "],
  // api/internal/builtins
  ["with config: ", "`(?=: )"],
  ["must specify one of patch and path in\\n"],
  ["patch and path can't be set at the same time\\n"],
  ["both an SM and JSON patch: "],
  ["decoding (?=[[{])", "(?=: )"],
  ["JsonOp="],
  ["must specify a target for patch "],
  // kustomize takes an invalid patch, and inline text of a generator, as the name of a file.
  [
    "(?:accumulating resources from|evalsymlink failure on) '(?=[^'\\n]*(?:[\\n[{]|: ))",
    "(?=: (?:no such file|file name too long))",
  ],
];

/** The message between two copies of an input: kustomize tried it as a folder. */
const NO_FOLDER = "must build at directory: not a valid directory";

const INPUTS = INPUT.map(([before, after = AFTER_INPUT]) => new RegExp(`(${before})(?:[^]*(?:${after})|[^]*)`, "gu"));

/** Masks everything in the output of a program that may be a value. */
export function maskedWords(text: string, { open, values }: Known): string {
  const isKnown = lookedUp(open);
  const isOpen = (quoted: string): boolean => isPathLike(quoted.replaceAll(HIDDEN, "-")) || isKnown(quoted);
  // These are always followed by input, with or without quotes.
  const shown = INPUTS.reduce(
    (rest, input) =>
      rest.replace(
        input,
        (all: string, before: string) =>
          before.replace("\n", " ") + HIDDEN + (all.includes(NO_FOLDER) ? `: ${NO_FOLDER}` : ""),
      ),
    text,
  )
    .replace(QUOTING_QUOTES, "accumulation err: $1")
    .replace(OTHER_KIND, "$1$2$3$4$5")
    .replace(
      MERGED,
      (_, kind: string, name: string, namespace: string) =>
        `merging from generator: ${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`,
    )
    .replace(UNKNOWN_FIELD, "$1$2")
    .replace(/loader\.New "(must build at directory: [^"\\\n]*)"/gu, "loader.New: $1")
    .replace(/(failed parsing --set[a-z-]* data)[^\n]*/gu, `$1 ${HIDDEN}`)
    .replace(
      /(!!\w+|JSON from|JSON merge patch|SM or JSON patch from)\s*(?:`(?:[^]*?`(?! ?[^ia\s])|[^]*)|\[(?:[^]*\]|[^]*))/gu,
      `$1 ${HIDDEN}`,
    )
    .replace(
      /(execution error at \([^)\n]*\):\s*)([\s\S]+)/gu,
      (_, head: string, rest: string) => head + literalLines(rest, isKnown),
    );
  const masked = withoutUserInfo(withoutValues(shown, values));
  // An apostrophe in a word, as in "couldn't", is no quote. Other quotes without an end are masked to the end of the line,
  // or of the text; kustomize puts apostrophes into apostrophes.
  return masked.replace(
    /`([^`]*)(?:`|$)|"((?:[^"\\\n]|\\.)*)(?:"|\\?$)|(?<!\w)'([^'\n]*)'/gmu,
    (all: string, ...groups: readonly unknown[]) => {
      const inner = groups.find((group) => typeof group === "string");
      return typeof inner === "string" && (inner === "" || isOpen(inner))
        ? all
        : `${all.charAt(0)}${HIDDEN}${all.charAt(0)}`;
    },
  );
}

/** Text without values: before its quotes are paired, because values may contain quotes. */
function withoutValues(text: string, values: readonly string[]): string {
  // Longest first, because one may be part of another.
  const beginnings = beginningsIn(text);
  const there = values.filter((value) => value.length >= SHORTEST_VALUE && beginnings.has(beginningOf(value)));
  const wanted = [...new Set(there)].sort((a, b) => b.length - a.length);
  const steps = wanted.reduce((sum, { length }) => sum + Math.min(length, LONGEST_STEP), 0) * text.length;
  if (steps > MOST_STEPS) return HIDDEN;
  return wanted.reduce((rest, value) => rest.replaceAll(value, HIDDEN), text);
}

// A search may compare so many characters of a value at each place of the text.
const LONGEST_STEP = 250;
/** With more steps of searches, such as thousands of values that begin like thousands of lines, all text is masked. */
const MOST_STEPS = 1_000_000_000;

function beginningOf(text: string, start: number = 0): string {
  return text.slice(start, start + SHORTEST_VALUE);
}

/** Finds values that may be in text by their beginnings, which excludes almost all of hundreds of thousands of values. */
function beginningsIn(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (let start = 0; start + SHORTEST_VALUE <= text.length; start++) found.add(beginningOf(text, start));
  return found;
}

/** The number of characters in which quoted text is searched; later quotes are masked. */
const MOST_LOOKED_THROUGH = 2_000_000_000;

/** Whether a public text contains text. Public texts may be large, and there may be many lookups. */
function lookedUp(open: readonly string[]): (text: string) => boolean {
  const size = open.reduce((sum, { length }) => sum + length, 1);
  let left = MOST_LOOKED_THROUGH;
  return onceForText((text) => {
    left -= size;
    return left >= 0 && open.some((one) => one.includes(text));
  });
}

/** The name of a file, folder or template: it has a slash or an extension, and no spaces. */
function isPathLike(text: string): boolean {
  return (
    text.length <= 300 &&
    /^[\w@+.,~-]*(?:\/[\w@+.,~-]*)+$|^[\w-]+\.(?:ya?ml|json|tpl|tgz|txt|env|properties)$/u.test(text)
  );
}

/** The lines of text that a template contains literally, such as that of `fail "no image"`. */
function literalLines(output: string, isKnown: (text: string) => boolean): string {
  return output
    .split("\n")
    .map((line) => {
      const text = line.trim();
      return text === "" || text.startsWith("Use --debug flag") || isKnown(text) ? line : HIDDEN;
    })
    .join("\n");
}
