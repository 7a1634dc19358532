// What a host printed with rollstamp, held against what it printed of the same without: only stamps may be more.

const NAME = String.raw`(?:(?:configmap|secret|secretproviderclass)\.rollstamp\.dev\/[\w.-]+|rollstamp\.dev\/config-hash)`;
const STAMP = String.raw`"?${NAME}"?: "?h1-[0-9a-f]{40}"?`;
const STAMP_LINE = new RegExp(String.raw`^( *)${STAMP}$`, "u");
const PARENT_LINE = /^( *)(?:metadata|podMetadata|\w*[aA]nnotations):$/u;
const NULL = /(?<=:) +(?:null|Null|NULL|~)$/u;
const STAMPS = String.raw`${STAMP}(?:,\s*${STAMP})*`;
const MADE = String.raw`"?annotations"?: \{\s*${STAMPS}\s*\}`;
const PUT_IN = String.raw`(?:${STAMPS}|${MADE}|"?metadata"?: \{\s*${MADE}\s*\})`;
/** In a mapping with braces: behind an entry, before one (on a line of their own, or not), or alone. */
const IN_FLOW = new RegExp(
  String.raw`,\s*${PUT_IN}(?=\s*[,}])|(?<=\{)\s+${PUT_IN},(?=\s)|(?<=\{)${PUT_IN}, |(?<=\{)\s*${PUT_IN}\s*(?=\})`,
  "gu",
);
const STAMP_NAME = new RegExp(`^${NAME}$`, "u");
const ANNOTATIONS = /annotations$/iu;

/** Undefined where `after` without what was put in is `before`, byte for byte; else the first line that parts. */
export function partingLine(before, after) {
  const had = before.split("\n");
  const has = after.replace(IN_FLOW, "").split("\n");
  let next = 0;
  for (let i = 0; i < has.length;) {
    if (has[i] === had[next]) {
      i += 1;
      next += 1;
      continue;
    }
    const end = behindInserted(has, i);
    if (end === undefined) return `line ${i + 1}: ${has[i].trim()}`;
    // What was written as null is the parent now.
    if (had[next]?.replace(NULL, "") === has[i] && PARENT_LINE.test(has[i])) next += 1;
    i = end;
  }
  return next === had.length ? undefined : `gone: ${had[next].trim()}`;
}

/** Where lines of stamps end that begin here, below the parents that had to be made for them; undefined for none. */
function behindInserted(lines, from) {
  let line = from;
  let deepest = -1;
  for (let parent; (parent = PARENT_LINE.exec(lines[line] ?? "")) !== null; line += 1) {
    if (parent[1].length <= deepest) return undefined;
    deepest = parent[1].length;
  }
  const first = line;
  for (let stamp; (stamp = STAMP_LINE.exec(lines[line] ?? "")) !== null; line += 1)
    if (stamp[1].length <= deepest) break;
  return line === first ? undefined : line;
}

/** The number of stamps in manifests. */
export function stampsIn(text) {
  return text.match(new RegExp(STAMP, "gu"))?.length ?? 0;
}

/**
 * What Go's readers say of the two texts: undefined where each takes the second, if it takes the first, for the same
 * values but for stamps. Each is given as go-readers prints it.
 */
export function partingReader(before, after) {
  for (const reader of ["kubectl", "goyaml", "kyaml"]) {
    if (before[reader].error !== undefined) continue;
    if (after[reader].error !== undefined) return `${reader} refuses it: ${after[reader].error}`;
    const [had, has] = [before, after].map(({ [reader]: { documents = [] } }) =>
      reader === "kubectl" ? documents : documents.map(plain),
    );
    if (!isSame(had, has)) return `${reader} reads other values`;
  }
  return undefined;
}

/** A node of go-yaml's as a plain value, of which each scalar has its tag. */
function plain([kind, ...inner]) {
  if (kind === "c") return inner.join(" ");
  if (kind === "s") return inner.map(plain);
  const entries = [];
  for (let i = 0; i < inner.length; i += 2) entries.push([plain(inner[i]), plain(inner[i + 1])]);
  return Object.fromEntries(entries);
}

function isSame(had, has, isAnnotations = false) {
  if (Array.isArray(has))
    return Array.isArray(had) && had.length === has.length && has.every((each, i) => isSame(had[i], each));
  if (!isMapping(has)) return had === has;
  const others = Object.keys(has).filter((key) => !(isAnnotations && isStamp(key, has[key])));
  // What was made for stamps only: nothing, or null, was there.
  const old = isMapping(had) ? had : isNothing(had) && stampsOnly(has, isAnnotations) ? {} : undefined;
  if (old === undefined) return false;
  return (
    Object.keys(old).every((key) => Object.hasOwn(has, key)) &&
    others.every((key) => isSame(old[key], has[key], ANNOTATIONS.test(key)))
  );
}

const isMapping = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isNothing = (value) => value === undefined || value === null || value === "!!null " || value === "!!null null";

function isStamp(key, value) {
  return STAMP_NAME.test(key.replace("!!str ", "")) && /^(?:!!str )?h1-[0-9a-f]{40}$/u.test(value);
}

/** Whether a mapping holds nothing but stamps, at some depth at least one. */
function stampsOnly(value, isAnnotations) {
  const entries = Object.entries(value);
  return (
    entries.length > 0 &&
    entries.every(([key, inner]) =>
      isMapping(inner) ? stampsOnly(inner, ANNOTATIONS.test(key)) : isAnnotations && isStamp(key, inner),
    )
  );
}
