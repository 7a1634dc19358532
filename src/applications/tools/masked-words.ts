// What kustomize and helm say when they fail goes to people who may not see an application's secrets: to the
// Application's condition, to logs. They quote what they could not read, whole patches among it. What they quote
// is hidden, unless it is known to be no value.

/** What stands in the place of what is hidden. */
const HIDDEN = "…";

/** What is known of a text that a program quotes. */
export interface Known {
  /** Texts that hold what an application's author wrote for all to read: templates, names of files. */
  readonly open: readonly string[];
  /** Values: of parameters, of values files, of Secrets. */
  readonly values: readonly string[];
}

// Shorter ones are words of the language: `true`, `web`, `info`.
const SHORTEST_VALUE = 5;

/** What a person sets, in the sidecar or at home, to have the words of kustomize, helm and the like as they are. */
const SHOW_WORDS = "ROLLSTAMP_SHOW_RENDERER_WORDS";

/** The words of a program, masked unless the environment says otherwise. */
export function shownWords(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
  known: Known,
): string {
  return environment[SHOW_WORDS] === "true" ? text : maskedWords(text, known);
}

/** The words of a program with all that may be a value hidden. */
export function maskedWords(text: string, { open, values }: Known): string {
  const isKnown = lookedUp(open);
  const isOpen = (quoted: string): boolean => isPathLike(quoted) || isKnown(quoted);
  // What stands behind these is always something that was given, with quotes or without.
  let shown = withoutUserInfo(text)
    .replace(/(failed parsing --set[a-z-]* data)[^\n]*/gu, `$1 ${HIDDEN}`)
    .replace(/((?:invalid )?literal sources?) (?:\[[^\n]*\]|[^\n,:]+)/gu, `$1 ${HIDDEN}`)
    .replace(
      /(with config:|!!\w+|JSON from|JSON merge patch|SM or JSON patch from)\s*(?:`[\s\S]*?`|\[[\s\S]*\])/gu,
      `$1 ${HIDDEN}`,
    )
    .replace(
      /(execution error at \([^)\n]*\):\s*)([\s\S]+)/gu,
      (_, head: string, told: string) => head + literalLines(told, isKnown),
    )
    .replace(/`([^`]*)`|"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'/gu, (all: string, ...groups: readonly unknown[]) => {
      const inner = groups.find((group) => typeof group === "string");
      return typeof inner === "string" && (inner === "" || isOpen(inner))
        ? all
        : `${all.charAt(0)}${HIDDEN}${all.charAt(0)}`;
    });
  // The longest first: one may be a part of another.
  const beginnings = beginningsIn(shown);
  const there = values.filter((value) => value.length >= SHORTEST_VALUE && beginnings.has(beginningOf(value)));
  for (const value of [...new Set(there)].sort((a, b) => b.length - a.length)) shown = shown.replaceAll(value, HIDDEN);
  return shown;
}

function beginningOf(text: string, at: number = 0): string {
  return text.slice(at, at + SHORTEST_VALUE);
}

/** How values begin that may be in a text: of hundreds of thousands of values hardly any is looked for further. */
function beginningsIn(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (let at = 0; at + SHORTEST_VALUE <= text.length; at++) found.add(beginningOf(text, at));
  return found;
}

/** So many characters are looked through for what is quoted; what is quoted behind that is hidden. */
const MOST_LOOKED_THROUGH = 2_000_000_000;

/** Whether a text stands in one of the open ones: each may be large, and many may be asked for. */
function lookedUp(open: readonly string[]): (text: string) => boolean {
  const size = open.reduce((sum, { length }) => sum + length, 1);
  const known = new Map<string, boolean>();
  let left = MOST_LOOKED_THROUGH;
  return (text) => {
    let isOne = known.get(text);
    if (isOne === undefined) {
      left -= size;
      known.set(text, (isOne = left >= 0 && open.some((one) => one.includes(text))));
    }
    return isOne;
  };
}

/** URLs without the names, passwords and tokens in them. */
export function withoutUserInfo(text: string): string {
  return (
    text
      .replace(/([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#'"`]{0,1000}@/giu, `$1${HIDDEN}@`)
      // What people write as a password without escaping it: behind a colon no port, and an @ behind that.
      .replace(/([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#'"`:@]{0,300}:(?!\d+[/?#])[^\s'"`]{0,300}@/giu, `$1${HIDDEN}@`)
      // As git takes it: `user:password@host:path`.
      .replace(/(^|[\s'"`])[\w.-]{1,300}:[^\s/'"`@]{1,1000}@(?=[\w.-]+[:/])/gu, `$1${HIDDEN}@`)
      .replace(
        /([?&](?:[\w-]{0,40}(?:token|secret|password|passwd|signature|sig|key|credential)s?)=)[^\s&#'"`]+/giu,
        `$1${HIDDEN}`,
      )
  );
}

/** The name of a file, a folder, a template: it has a slash or an ending, and nothing of a sentence. */
function isPathLike(text: string): boolean {
  return (
    text.length <= 300 &&
    /^[\w@+.,~-]*(?:\/[\w@+.,~-]*)+$|^[\w-]+\.(?:ya?ml|json|tpl|tgz|txt|env|properties)$/u.test(text)
  );
}

/** The lines of a text that stand in a template as they are, such as those of `fail "no image"`. */
function literalLines(told: string, isKnown: (text: string) => boolean): string {
  return told
    .split("\n")
    .map((line) => {
      const text = line.trim();
      return text === "" || text.startsWith("Use --debug flag") || isKnown(text) ? line : HIDDEN;
    })
    .join("\n");
}
