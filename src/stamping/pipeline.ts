import { addAllTo } from "../base/grouped.ts";
import { kindKey } from "../base/identity.ts";
import type { ConfigHashSpec } from "./function/config-hash.ts";
import type { Edits, Splice } from "../yaml/edit/splice.ts";
import type { Item, Manifests } from "../yaml/read/items.ts";
import type { YamlTree } from "../yaml/read/tree.ts";
import { decide } from "./policy/decide.ts";
import type { Decision } from "./policy/types.ts";
import { unknownAnnotations } from "./policy/unknown-annotations.ts";
import { capped } from "../findings/catalogue/cap.ts";
import type { Finding } from "../findings/catalogue/finding.ts";
import { overriddenKeyFindings, repeatedKeyFindings } from "../findings/results/key-findings.ts";
import { DECLARED_KINDS } from "../kubernetes/sources/declared-kinds.ts";
import { linkIndexes, type Repeats } from "../kubernetes/sources/linked-index.ts";
import { indexSources, type SourceIndex } from "../kubernetes/sources/source-index.ts";
import { unquotedFindings } from "../kubernetes/sources/unquoted.ts";
import { checkSchedules } from "./schedules/windows.ts";
import { notVersioned } from "./stamps/wanted-copies.ts";
import { wrongCopies } from "./stamps/wrong-copies.ts";
import { chartMarks } from "./stamps/chart-marks.ts";
import { copyEdits, type CopyOptions } from "./stamps/copy-edits.ts";
import { desiredStamps, digester, type DesiredOptions } from "./stamps/desired.ts";
import type { ChangedBy, DesiredStamps, Digester } from "./stamps/types.ts";
import { stampEdits } from "./stamps/edit-stamps.ts";
import { referenceEdits, type NamedPlaces } from "./stamps/reference-edits.ts";
import { stampFindings, valueFindings } from "./stamps/findings.ts";
import { findWorkloads } from "../kubernetes/workloads/find-workloads.ts";
import type { Workload } from "../kubernetes/workloads/types.ts";
import { areWorkloads, workloadKinds } from "../kubernetes/workloads/workload-kinds.ts";

/** The analysis of an input, from which every command reports. */
export interface Analysis {
  readonly items: readonly Item[];
  readonly sources: SourceIndex;
  readonly workloads: readonly Workload[];
  readonly decisions: readonly Decision[];
  readonly digest: Digester;
  /** The wanted stamps of each pod template of the workloads that may be changed. */
  readonly desired: readonly DesiredStamps[];
  readonly findings: readonly Finding[];
}

/** The main path up to the digests: items → sources → pod templates and references → policy → digests. */
export function analyse(
  inputs: readonly Manifests[],
  spec: ConfigHashSpec,
  hmacKey?: Uint8Array,
  { changedBy = () => undefined, isBase = false }: AnalyseOptions = {},
): Analysis {
  const items = inputs.flatMap((input) => input.items);
  if (!isBase) checkSchedules(items);
  return analyseItems(items, indexSources(items, spec), { spec, hmacKey, changedBy });
}

interface AnalyseOptions {
  readonly changedBy?: ChangedBy;
  /** The state before a change, which may correct invalid schedules: they are no errors there. */
  readonly isBase?: boolean;
}

/** Manifests that are analysed together: a whole run or a part of it. */
export interface Part {
  /** The folder or file of the part; "" for manifests outside of all other parts. */
  readonly root: string;
  readonly manifests: readonly Manifests[];
}

/** The parts of a run. */
export interface Parts {
  readonly parts: readonly Part[];
  /** What several parts have. Undefined if they do not see each other's sources where only one source can be intended. */
  readonly repeats: Repeats | undefined;
}

/** Analyses each part of a run. */
export function analyseParts(
  { parts, repeats }: Parts,
  spec: ConfigHashSpec,
  hmacKey?: Uint8Array,
  { isBase = false }: Pick<AnalyseOptions, "isBase"> = {},
): Analysis[] {
  const indexed = parts.map(({ root, manifests }) => {
    const items = manifests.flatMap((input) => input.items);
    if (!isBase) checkSchedules(items);
    return { root, items, index: indexSources(items, spec) };
  });
  const linked =
    parts.length > 1 ? linkIndexes(indexed, spec.defaultNamespace, repeats) : indexed.map(({ index }) => index);
  return indexed.map(({ items, index }, i) =>
    analyseItems(items, linked[i] ?? index, { spec, hmacKey, changedBy: () => undefined }),
  );
}

function analyseItems(
  items: readonly Item[],
  sources: SourceIndex,
  { spec, hmacKey, changedBy }: Omit<DesiredOptions, "marksOf"> & { readonly spec: ConfigHashSpec },
): Analysis {
  const digest = digester(sources, spec, hmacKey);
  const found = findWorkloads(items, { defaultNamespace: spec.defaultNamespace, kinds: workloadKinds(spec) });
  const decisions = decide(found, sources, spec, hmacKey);
  const workloads = decisions.map(({ workload }) => workload);
  const contentFindings = checkContents(sources, spec);
  const marks = chartMarks(items, decisions, sources, spec);
  const desired = decisions
    .filter((decision) => decision.touched)
    .flatMap((decision) => desiredStamps(decision, digest, spec, { hmacKey, changedBy, marksOf: marks.marksOf }));
  const findings = capped([
    ...repeatedKeyFindings(items),
    ...overriddenKeyFindings(items),
    ...contentFindings,
    ...unknownAnnotations(items, workloads),
    ...decisions.flatMap((decision) => decision.findings),
    ...decisions.flatMap((decision) => valueFindings(decision, items)),
    ...desired.flatMap((stamps) => stampFindings(stamps, sources, spec)),
    ...notVersioned(desired, spec, changedBy),
    ...wrongCopies(sources, spec, hmacKey, desired),
    ...marks.findings,
  ]);
  return { items, sources, workloads, decisions, digest, desired, findings };
}

/**
 * Throws a RollstampError for invalid manifests: invalid content, duplicate objects. `analyse` also checks what needs the
 * whole input, and our annotations.
 */
export function checkAlone(spec: ConfigHashSpec): (manifests: readonly Manifests[]) => void {
  const workloads = { ...spec, kinds: workloadKinds(spec) };
  return (manifests) => {
    const items = manifests.flatMap((input) => input.items);
    const index = indexSources(items, spec);
    // Alone, a copy would be a source.
    const all = [...index.all, ...index.copies.map(({ source }) => source)];
    checkContents({ ...index, all }, spec);
    findWorkloads(items, workloads);
  };
}

/** The end of the main path: the edits that give the pod templates their wanted stamps and copies. */
export function stampAll(analysis: Analysis, options: CopyOptions): Edits {
  const copies = copiesOf([analysis], options);
  if (copies.size === 0) return stampsOf(analysis);
  const edits = new Map([...stampsOf(analysis)].map(([tree, splices]) => [tree, [...splices]]));
  for (const [tree, splices] of copies) addAllTo(edits, tree, splices);
  return edits;
}

/** The edits of the pod templates. */
export function stampsOf({ desired }: Pick<Analysis, "desired">): Edits {
  const edits = new Map<YamlTree, Splice[]>();
  const places = new Map<YamlTree, NamedPlaces>();
  for (const stamps of desired) {
    const { tree } = stamps.decision.template.item;
    const named = places.get(tree) ?? new Map<string, string>();
    places.set(tree, named);
    addAllTo(edits, tree, [...stampEdits(stamps), ...referenceEdits(stamps, named)]);
  }
  return edits;
}

/** The edits that add and remove copies of sources, over all parts of a run: they may name sources of each other. */
export function copiesOf(analyses: readonly Analysis[], options: CopyOptions): Edits {
  const isConcerned = options.layout === "Versioned" || analyses.some(({ sources }) => sources.copies.length > 0);
  return isConcerned ? copyEdits(analyses, options) : new Map<YamlTree, Splice[]>();
}

/** Selects the objects that affect stamps: those with pod templates, and those with content that pod templates see. */
export function stampingUses(spec: ConfigHashSpec): (item: Item) => boolean {
  const kinds = new Set([...DECLARED_KINDS, ...spec.declaredKinds].map(kindKey));
  for (const kind of ["ConfigMap", "Secret"]) kinds.add(`/${kind}`);
  const isWorkload = areWorkloads(workloadKinds(spec));
  return (item) => isWorkload(item) || kinds.has(kindKey(item));
}

/** Reads the content of every source that can count, so that invalid content is reported even if nothing uses it. */
function checkContents(sources: SourceIndex, spec: ConfigHashSpec): Finding[] {
  const findings: Finding[] = [];
  const seen = new Set<Item>();
  for (const source of sources.all) {
    if (source.neverCounts || seen.has(source.item)) continue;
    if (source.provides.kind === "Secret" && spec.secrets === "Ignore") continue;
    seen.add(source.item);
    sources.entries(source);
    for (const finding of unquotedFindings(source)) findings.push(finding);
  }
  return findings;
}
