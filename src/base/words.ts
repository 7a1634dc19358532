// English words that depend on a number.

/** The form of a word for a number: `workload` or `workloads`, or two given forms. */
export function pluralize(n: number, one: string, many: string = `${one}s`): string {
  return n === 1 ? one : many;
}

/** A sentence with what to do behind it, if that is known. */
export function withRemedy(sentence: string, remedy: string | undefined): string {
  return remedy === undefined ? sentence : `${sentence}${/[.?!]$/u.test(sentence) ? "" : "."} ${remedy}`;
}

/** A number and its word: `1 workload`, `1,200 workloads`; `1 fails`, `2 fail`. */
export function counted(n: number, one: string, many: string = `${one}s`): string {
  return `${formatNumber(n)} ${pluralize(n, one, many)}`;
}

/** A whole number as people read it: `1,200`. */
export function formatNumber(n: number): string {
  return String(n).replace(/\B(?=(?:\d{3})+$)/gu, ",");
}

/** Whether the name of an application is its path or ends with `@path`: the path need not be repeated then. */
export function containsPath(name: string, path: string): boolean {
  return name === path || name.endsWith(`@${path}`);
}

// Plain if every YAML reader, including YAML 1.1, reads it as this string, also in flow style.
const PLAIN = /^[A-Za-z][\w./*$-]*$/u;
const TYPED = /^(?:y|n|yes|no|on|off|true|false|null)$/iu;

/** A string as a value of YAML: in quotes where it has to be. */
export function yamlText(text: string): string {
  return PLAIN.test(text) && !TYPED.test(text) ? text : JSON.stringify(text);
}

/** A string as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w./@:+=,^-][\w./@:+=,^~-]*$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A path as one word of a POSIX shell that no program takes as an option or as standard input. */
export function shellPath(path: string): string {
  return shellWord(path.startsWith("-") ? `./${path}` : path);
}

/** Both ends of a string, if it is longer: of a name or message, each may have what matters. */
export function cutInMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = most - 1;
  return `${slice(text, 0, Math.ceil(kept / 2))}…${slice(text, text.length - Math.floor(kept / 2))}`;
}

/** The first characters of a string, if it is longer. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${slice(text, 0, most)}…` : text;
}

/** A part of a string, without half characters (surrogates) at its ends. */
function slice(text: string, from: number, to?: number): string {
  return text.slice(from, to).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/gu, "");
}

const LONGEST_VALUE = 60;

/** A value of a configuration in a message: `"web"`, `3`. */
export function shownValue(value: string | number | boolean): string {
  return shortened(JSON.stringify(value), LONGEST_VALUE);
}

/** The words of a list, without spaces around them. */
export function trimmedParts(text: string, separator: string | RegExp = ","): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** A path of keys in a message: `spec.targets[0].kind`. */
export function dotted(keys: readonly string[]): string {
  return keys.map((key, i) => (/^\d+$/u.test(key) ? `[${key}]` : i === 0 ? key : `.${key}`)).join("");
}
