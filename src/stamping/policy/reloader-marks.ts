import type { Finding } from "../../findings/catalogue/finding.ts";
import {
  RELOADER_AUTO,
  RELOADER_DOMAIN,
  RELOADER_IGNORE,
  RELOADER_KEYS,
  RELOADER_MATCH,
  RELOADER_SEARCH,
} from "../../base/hosts/peers.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import { isReloaded, type ReloadedKind } from "../../base/referenced-kinds.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";
import { splitExpressions, type BadExpression, type NameExpression } from "./expressions.ts";
import { annotationAt, ownAnnotations, sourceAnnotation, textIn, type PeerAnnotations } from "./peer-annotations.ts";
import type { Rule } from "./types.ts";

/** The annotations for one kind of source. */
export interface TypeMarks {
  readonly named: readonly NameExpression[];
  readonly excluded: ReadonlySet<string>;
  readonly searches: boolean;
  /** The rule by which referenced sources count. */
  readonly optedIn: Rule | undefined;
  /** The rule by which they do not count although all others do. */
  readonly optedOut: Rule | undefined;
  /** Where the list of names is. */
  readonly annotations: PeerAnnotations;
  readonly findings: readonly Finding[];
}

export type Compile = (text: string, longest: number) => NameExpression | BadExpression;
export type MarksByKind = Readonly<Record<ReloadedKind, TypeMarks>>;

/** Reads the annotations of a workload and its pod template, for each kind of source. */
export function marksByKind(own: PeerAnnotations, pod: PeerAnnotations, compile: Compile): MarksByKind {
  return {
    ConfigMap: typeMarks("ConfigMap", own, pod, compile),
    Secret: typeMarks("Secret", own, pod, compile),
    SecretProviderClass: typeMarks("SecretProviderClass", own, pod, compile),
  };
}

function typeMarks(kind: ReloadedKind, own: PeerAnnotations, pod: PeerAnnotations, compile: Compile): TypeMarks {
  const keys = RELOADER_KEYS[kind];
  // The pod template's annotations count only if the workload has none of these. This is decided for each kind.
  const annotations = [keys.reload, RELOADER_AUTO, keys.auto, RELOADER_SEARCH].some((key) => own.entries.has(key))
    ? own
    : pod;
  const expressions = splitExpressions(textIn(annotations, keys.reload) ?? "").map((text) =>
    compile(text, annotations.item.tree.limits.expression),
  );
  const autos = [RELOADER_AUTO, keys.auto].map((key) => ({ key, text: textIn(annotations, key) ?? "" }));
  const on = autos.find(({ text }) => goBoolean(text) === true);
  // With --auto-reload-all, any other value opts out.
  const off = autos.find(({ text }) => text !== "");
  return {
    named: expressions.filter(isValidExpression),
    excluded: new Set((textIn(own, keys.exclude) ?? "").split(",").map((name) => name.trim())),
    searches: textIn(annotations, RELOADER_SEARCH) === "true",
    optedIn: on === undefined ? undefined : `opted in by ${on.key}`,
    optedOut: off === undefined ? undefined : `opted out by ${off.key}`,
    annotations,
    findings: [
      ...[RELOADER_AUTO, keys.auto, RELOADER_SEARCH].flatMap((key) => flagFindings(annotations, key)),
      ...[annotations, own].flatMap((place) =>
        [keys.reload, keys.exclude].flatMap((key) =>
          place.entries.has(key) && textIn(place, key) === undefined ? notText(place, key) : [],
        ),
      ),
      ...expressions.flatMap((expression) => badExpression(annotations, keys.reload, expression)),
    ],
  };
}

function isValidExpression(expression: NameExpression | BadExpression): expression is NameExpression {
  return "matches" in expression;
}

const TRUE: readonly string[] = ["1", "t", "T", "TRUE", "true", "True"];
const FALSE: readonly string[] = ["0", "f", "F", "FALSE", "false", "False"];

/** Go's strconv.ParseBool; undefined for a value that it rejects. */
function goBoolean(text: string): boolean | undefined {
  if (TRUE.includes(text)) return true;
  return FALSE.includes(text) ? false : undefined;
}

const ID = "reloader-annotation";

/** A flag that Reloader ignores: `search` must be "true", the others are booleans of Go. */
function flagFindings(annotations: PeerAnnotations, key: string): Finding[] {
  const entry = annotations.entries.get(key);
  if (entry === undefined) return [];
  if (entry.text === undefined) return notText(annotations, key);
  const value = goBoolean(entry.text);
  const isTaken = key === RELOADER_SEARCH ? entry.text === "true" || value === false : value !== undefined;
  if (isTaken || entry.text === "") return [];
  const { named, location } = annotationAt(annotations, key);
  return [{ id: ID, cause: "notBoolean", params: { ...named, value: entry.text }, ...location }];
}

function notText(annotations: PeerAnnotations, key: string): Finding[] {
  const { named, location } = annotationAt(annotations, key);
  return [{ id: ID, cause: "notString", params: named, ...location }];
}

function badExpression(
  annotations: PeerAnnotations,
  key: string,
  expression: NameExpression | BadExpression,
): Finding[] {
  if (isValidExpression(expression)) return [];
  const { named, location } = annotationAt(annotations, key);
  const { text, problem } = expression;
  return [{ id: ID, cause: "expression", params: { ...named, text, problem }, ...location }];
}

/** Annotations on the referenced sources that Reloader ignores. */
export function sourceFindings(marks: MarksByKind, template: PodTemplate, sources: SourceIndex): Finding[] {
  return template.references.flatMap((reference): Finding[] => {
    const source = sources.find(reference.kind, reference.namespace, reference.name, template.item);
    if (source === undefined || !isReloaded(reference.kind)) return [];
    return [RELOADER_IGNORE, ...(marks[reference.kind].searches ? [RELOADER_MATCH] : [])].flatMap((key): Finding[] => {
      const value = sourceAnnotation(source, key);
      if (value === undefined || value === "" || value === "true" || goBoolean(value) === false) return [];
      const { named, location } = annotationAt(ownAnnotations(source.item, RELOADER_DOMAIN), key);
      return [{ id: ID, cause: "notBooleanOnSource", params: named, ...location }];
    });
  });
}
