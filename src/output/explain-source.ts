import { sourceNameOf } from "../base/names.ts";
import { fields, heading, paragraph, titled } from "./document/blocks.ts";
import { DECLARED_KEY } from "../base/digest/hash-v1.ts";
import { formatPlace } from "../base/errors.ts";
import { groupedBy } from "../base/grouped.ts";
import { namesKind, type KindAndName } from "../base/kind-names.ts";
import { REFERENCED_KINDS } from "../base/referenced-kinds.ts";
import { counted as countWords } from "../base/words.ts";
import { generatedName } from "../kubernetes/sources/kustomize-hash.ts";
import type { Source } from "../kubernetes/sources/types.ts";
import type { Reference } from "../kubernetes/workloads/types.ts";
import { usesOf, type Use } from "../reports/graph/source-graph.ts";
import type { Analysis } from "../stamping/pipeline.ts";
import type { Decision } from "../stamping/policy/types.ts";
import { placeOf } from "../yaml/read/items.ts";
import type { Block } from "./document/document.ts";
import { keyList, referenceLines, type Explanation } from "./explain-parts.ts";

export interface WantedSource extends KindAndName {
  readonly namespace: string | undefined;
  /** Only the workloads that see this key. */
  readonly key: string | undefined;
}

/** True for a kind that pod templates name. */
export function isSourceKind(kind: string): boolean {
  return (
    SOURCE_NAMES.has(kind.toLowerCase()) ||
    REFERENCED_KINDS.some((known) => namesKind(kind, { group: "", kind: known }))
  );
}

// kubectl's short name.
const SOURCE_NAMES: ReadonlyMap<string, string> = new Map([["cm", "configmap"]]);

/** Who sees a source, and which of its keys: one explanation for each source of the name, from all parts of the run. */
export function explainSource(
  analyses: readonly Analysis[],
  wanted: WantedSource,
  within: string = "the input",
): Explanation[] {
  return groupsOf(analyses, wanted).map(({ title, analysis, source, uses: all }): Explanation => {
    const missing = source === undefined ? all.slice(0, 1).map(({ reference }) => sourceNameOf(reference)) : [];
    const { key } = wanted;
    const seeing = key === undefined ? all : all.filter(({ reference: { keys } }) => keys === "*" || keys.has(key));
    const workloads = groupedBy(seeing, ({ decision }) => decision);
    const what = key === undefined ? "it" : `its key ${key}`;
    const head = titled(title, sourceFields(analysis, source, within));
    if (workloads.size === 0) return { blocks: [head, paragraph(`No workload sees ${what}.`)], missing };
    const seen = `${countWords(workloads.size, "workload")} ${workloads.size === 1 ? "sees" : "see"} ${what}`;
    return {
      blocks: [head, heading(2, seen), ...[...workloads].map(([decision, uses]) => workloadBlock(decision, uses))],
      missing,
    };
  });
}

function groupsOf(analyses: readonly Analysis[], wanted: WantedSource): readonly Group[] {
  // Grouped by the object if it is in the input: a workload may see a source of another part of the run.
  const groups = new Map<Source | string, Group>();
  for (const analysis of analyses) {
    for (const source of analysis.sources.all) {
      const { kind, namespace, name } = source.provides;
      if (!isNamed({ kind, namespace, names: namesOf(source) }, wanted)) continue;
      // If several objects make the source, only the one that takes precedence counts.
      const counting = analysis.sources.find(kind, namespace, name);
      if (counting?.item === source.item)
        groups.set(counting, { title: titleOf(source.provides), analysis, source, uses: [] });
    }
  }
  for (const [i, analysis] of analyses.entries()) {
    for (const use of usesOf(analysis)) {
      if (!isWanted(use, wanted)) continue;
      // A workload may see a source outside its namespace: one that sets no namespace, or one that is in all of them.
      const title = titleOf(use.source?.provides ?? use.reference);
      const key = use.source ?? `${i} ${title}`;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { title, analysis, source: use.source, uses: [use] });
      else group.uses.push(use);
    }
  }
  return [...groups.values()];
}

interface Group {
  readonly title: string;
  readonly analysis: Analysis;
  readonly source: Source | undefined;
  readonly uses: Use[];
}

function titleOf({ kind, namespace, name }: Pick<Reference, "kind" | "namespace" | "name">): string {
  return `${kind} ${namespace}/${name}`;
}

function isWanted({ reference, source }: Use, wanted: WantedSource): boolean {
  const { kind, namespace, name } = reference;
  const names = [name, ...(source === undefined ? [] : namesOf(source))];
  return [namespace, source?.provides.namespace ?? namespace].some((each) =>
    isNamed({ kind, namespace: each, names }, wanted),
  );
}

/** Its name, and its name without kustomize's hash. */
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

function sourceFields(analysis: Analysis, source: Source | undefined, within: string): Block {
  if (source === undefined) return fields([["at", `not in ${within}`]]);
  const { item, declared } = source;
  const keys = [...analysis.sources.entries(source).keys()].filter((key) => key !== DECLARED_KEY);
  const isUnknown = keys.length === 0 && declared !== undefined;
  return fields([
    ["at", formatPlace(placeOf(item.tree, item.node))],
    ["made by", declared && `${item.kind} ${item.name}`],
    ["keys", isUnknown ? "the declaration does not name them" : keyList(new Set(keys))],
  ]);
}

function workloadBlock({ workload }: Decision, uses: readonly Use[]): Block {
  const { item, namespace } = workload;
  return titled(
    `${item.kind} ${namespace}/${item.name}, ${formatPlace(placeOf(item.tree, item.node))}`,
    fields([
      ["stamped", [...new Set(uses.map(({ counts, rule }) => `${counts ? "yes" : "no"}: ${rule}`))]],
      ["seen as", [...new Set(uses.flatMap(({ reference }) => referenceLines(reference, item)))]],
    ]),
  );
}
