import picocolors from "picocolors";
import { DECLARED_KEY } from "../base/digest/hash-v1.ts";
import { formatPlace } from "../base/errors.ts";
import type { SourceName } from "../base/names.ts";
import { namesKind, type KindAndName } from "../base/kind-names.ts";
import { REFERENCED_KINDS } from "../base/referenced-kinds.ts";
import { counted as countWords } from "../base/words.ts";
import { groupedBy } from "../base/grouped.ts";
import { placeOf } from "../yaml/read/items.ts";
import type { Analysis } from "../stamping/pipeline.ts";
import type { Decision } from "../stamping/policy/types.ts";
import { printable } from "../findings/results/terminal.ts";
import { generatedName } from "../kubernetes/sources/kustomize-hash.ts";
import type { Source } from "../kubernetes/sources/types.ts";
import type { Reference } from "../kubernetes/workloads/types.ts";
import { labelled, referenceLines, shownKeys } from "./explain-words.ts";

/** A source that is asked for. */
export interface WantedSource extends KindAndName {
  readonly namespace: string | undefined;
  /** Only who sees this key. */
  readonly key: string | undefined;
}

/** True for the name of a kind that pod templates name. */
export function isSourceKind(kind: string): boolean {
  return (
    SOURCE_NAMES.has(kind.toLowerCase()) ||
    REFERENCED_KINDS.some((known) => namesKind(kind, { group: "", kind: known }))
  );
}

/** kubectl's short name. */
const SOURCE_NAMES: ReadonlyMap<string, string> = new Map([["cm", "configmap"]]);

/** Who sees a source, and which of its keys: one text for each source of the name, from all parts of the run. */
export function explainSource(
  analyses: readonly Analysis[],
  wanted: WantedSource,
  { color, within = "the input" }: { readonly color: boolean; readonly within?: string | undefined },
): ExplainedSource[] {
  const colors = picocolors.createColors(color);
  // By the object where it is in the input: a workload may see what stands in another part of the run.
  const groups = new Map<Source | string, Group>();
  for (const analysis of analyses) {
    for (const source of analysis.sources.all) {
      const { kind, namespace, name } = source.provides;
      if (!isNamed({ kind, namespace, names: namesOf(source) }, wanted)) continue;
      // Of several that make one object only the one that counts is a source.
      const counting = analysis.sources.find(kind, namespace, name);
      if (counting?.item === source.item)
        groups.set(counting, { title: titleOf(source.provides), analysis, source, uses: [] });
    }
  }
  for (const [i, analysis] of analyses.entries()) {
    for (const use of analysis.decisions.flatMap((decision) => usesOf(analysis, decision))) {
      if (!isMeant(use, wanted)) continue;
      const key = use.source ?? `${i} ${use.title}`;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { title: use.title, analysis, source: use.source, uses: [use] });
      else group.uses.push(use);
    }
  }
  return [...groups.values()].map(({ title, analysis, source, uses: all }): ExplainedSource => {
    const lacks = source === undefined ? all.slice(0, 1).map(({ reference }) => nameOf(reference)) : [];
    const seeing = wanted.key === undefined ? all : all.filter(({ reference }) => sees(reference, wanted.key ?? ""));
    const workloads = groupedBy(seeing, ({ decision }) => decision);
    const what = wanted.key === undefined ? "it" : `its key ${wanted.key}`;
    const head = [colors.bold(printable(title)), ...sourceLines(analysis, source, within)];
    if (workloads.size === 0)
      return { text: `${[...head, "", printable(`No workload here sees ${what}.`)].join("\n")}\n`, lacks };
    const blocks = [...workloads].flatMap(([decision, own]) => ["", ...workloadLines(decision, own)]);
    const seen = `${countWords(workloads.size, "workload")} ${workloads.size === 1 ? "sees" : "see"} ${what}`;
    return { text: `${[...head, "", colors.bold(printable(seen)), ...blocks].join("\n")}\n`, lacks };
  });
}

/** What is said of a source, and its name where it isn't there. */
export interface ExplainedSource {
  readonly text: string;
  readonly lacks: readonly SourceName[];
}

function nameOf({ kind, namespace, name }: Reference): SourceName {
  return { kind, namespace, name };
}

interface Group {
  readonly title: string;
  readonly analysis: Analysis;
  readonly source: Source | undefined;
  readonly uses: Use[];
}

interface Use {
  readonly decision: Decision;
  readonly reference: Reference;
  readonly source: Source | undefined;
  /** By which rule it counts or doesn't; undefined where nothing of the workload is looked at. */
  readonly rule: string | undefined;
  readonly counts: boolean;
  readonly title: string;
}

function usesOf({ sources }: Analysis, decision: Decision): Use[] {
  const { workload, templates, touched, selected, rule } = decision;
  const use = (reference: Reference, known: Source | undefined, why: string, counts: boolean): Use => {
    const { kind, namespace, name } = reference;
    const source = known ?? sources.find(kind, namespace, name, reference.item ?? workload.item);
    // A workload may see what stands in another namespace than its own: what names none, what is in all of them.
    return { decision, reference, source, rule: why, counts, title: titleOf(source?.provides ?? reference) };
  };
  if (templates.length === 0)
    return workload.templates.flatMap(({ references }) => references.map((each) => use(each, undefined, rule, false)));
  const isStamped = touched && selected;
  return templates.flatMap(({ counted, leftOut }) => [
    ...counted.map((each) => use(each.reference, each.source, isStamped ? each.rule : rule, isStamped)),
    ...leftOut.map((each) => use(each.reference, each.source, each.rule, false)),
  ]);
}

function titleOf({ kind, namespace, name }: Pick<Reference, "kind" | "namespace" | "name">): string {
  return `${kind} ${namespace}/${name}`;
}

function isMeant({ reference, source }: Use, wanted: WantedSource): boolean {
  const { kind, namespace, name } = reference;
  const names = [name, ...(source === undefined ? [] : namesOf(source))];
  return [namespace, source?.provides.namespace ?? namespace].some((each) =>
    isNamed({ kind, namespace: each, names }, wanted),
  );
}

/** Its name, and the one without kustomize's hash. */
function namesOf(source: Source): string[] {
  return [source.provides.name, generatedName(source) ?? source.provides.name];
}

interface Named {
  readonly kind: string;
  readonly namespace: string;
  readonly names: readonly string[];
}

function isNamed({ kind, namespace, names }: Named, wanted: WantedSource): boolean {
  const given = SOURCE_NAMES.get(wanted.kind.toLowerCase()) ?? wanted.kind;
  if (wanted.namespace !== undefined && wanted.namespace !== namespace && namespace !== "*") return false;
  return namesKind(given, { group: "", kind }) && names.includes(wanted.name);
}

function sees({ keys }: Reference, key: string): boolean {
  return keys === "*" || keys.has(key);
}

function sourceLines(analysis: Analysis, source: Source | undefined, within: string): string[] {
  if (source === undefined) return labelled("at", [`it is not in ${within}`]);
  const { item, declared } = source;
  const keys = [...analysis.sources.entries(source).keys()].filter((key) => key !== DECLARED_KEY);
  return [
    ...labelled("at", [formatPlace(placeOf(item.tree, item.node))]),
    ...(declared === undefined ? [] : labelled("made by", [`${item.kind} ${item.name}`])),
    ...labelled("keys", [
      keys.length === 0 && declared !== undefined ? "a declaration does not tell them" : shownKeys(new Set(keys)),
    ]),
  ];
}

function workloadLines({ workload }: Decision, uses: readonly Use[]): string[] {
  const { item, namespace } = workload;
  const rules = new Set(uses.map(({ counts, rule = "" }) => `${counts ? "yes" : "no"}: ${rule}`));
  const seen = new Set(uses.flatMap(({ reference }) => referenceLines(reference, item)));
  return [
    printable(`${item.kind} ${namespace}/${item.name}, ${formatPlace(placeOf(item.tree, item.node))}`),
    ...labelled("stamped", [...rules]),
    ...labelled("seen as", [...seen]),
  ];
}
