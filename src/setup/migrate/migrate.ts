import { addAllTo } from "../../base/grouped.ts";
import { CONFIG_HASH_VALUES } from "../../base/config-hash-options.ts";
import { CONFIG_HASH_DEFAULTS, type ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { editAnnotations } from "../../yaml/edit/annotations.ts";
import { type Splice, type Edits, editedManifests } from "../../yaml/edit/splice.ts";
import { STAMP } from "../../base/keys.ts";
import { type Item, type Manifests } from "../../yaml/read/items.ts";
import { type YamlTree } from "../../yaml/read/tree.ts";
import { workloadKinds } from "../../kubernetes/workloads/workload-kinds.ts";
import { decide } from "../../stamping/policy/decide.ts";
import { reloader } from "../../stamping/policy/reloader.ts";
import { RELOADER_IGNORE } from "../../base/hosts/peers.ts";
import type { AskPeer, Decision } from "../../stamping/policy/types.ts";
import { wave } from "../../stamping/policy/wave.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { indexSources, type SourceIndex } from "../../kubernetes/sources/source-index.ts";
import { findWorkloads } from "../../kubernetes/workloads/find-workloads.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";
import { annotationsElsewhere, type AnnotationElsewhere } from "./annotations-elsewhere.ts";
import { differencesOf, type Difference } from "./differences.ts";
import { ownAnnotations } from "./own-annotations.ts";
import {
  OWN,
  peerAnnotations,
  templatePeerAnnotations,
  type OwnAnnotations,
  type PeerAnnotation,
} from "./peer-annotations.ts";

/** A workload that a peer rolls out today. */
export interface MigratedWorkload {
  readonly decision: Decision;
  readonly annotations: readonly PeerAnnotation[];
  /** The annotations of rollstamp that replace them. */
  readonly replacement: OwnAnnotations;
  /**
   * The sources that roll it out today, such as `ConfigMap settings`. Undefined if the checksum of a chart does: a rendering does
   * not show what it digests.
   */
  readonly today: readonly string[] | undefined;
  readonly later: readonly string[];
  readonly differences: readonly Difference[];
}

/** A source that carries a peer's annotation. */
export interface MigratedSource {
  readonly item: Item;
  readonly annotations: readonly PeerAnnotation[];
  readonly replacement: OwnAnnotations;
  /** The path of the annotations that a declared source gives to the source that it creates. */
  readonly given: readonly string[] | undefined;
}

export interface Migration {
  readonly workloads: readonly MigratedWorkload[];
  readonly sources: readonly MigratedSource[];
  /** Annotations outside of workloads and sources: reported, not edited. */
  readonly elsewhere: readonly AnnotationElsewhere[];
  readonly edits: Edits;
  readonly findings: readonly Finding[];
}

/**
 * What peers' annotations do in one scope, what rollstamp's will do, and the edits that replace them. What will count is
 * computed from the edited text.
 */
export function migrate(inputs: readonly Manifests[], configured: ConfigHashSpec): Migration {
  const { selection } = configured;
  // Peers watch all of these, so a migration has to see them, whatever the configuration stamps.
  const spec: ConfigHashSpec = {
    ...configured,
    jobs: "Stamp",
    cronJobs: "Stamp",
    secrets: "Digest",
    nameSuffix: "Stamp",
    reloads: "Stamp",
    selector: undefined,
  };
  const before = decisionsOf(inputs, { ...spec, compat: CONFIG_HASH_VALUES.compat });
  const peers = [reloader(before.sources), wave()];
  const marked = before.decisions.flatMap((decision) => markedWorkload(decision, peers, selection));
  const sources = markedSources(before.sources);
  const edits = editsOf(marked, sources);
  const after = decisionsOf(
    inputs.map((input) => editedManifests(input, edits)),
    { ...spec, compat: [] },
  ).decisions;
  const places = new Map(before.decisions.map((decision, i) => [decision, i]));
  return {
    workloads: marked.map(({ decision, annotations, replacement }) => {
      const later = after[places.get(decision) ?? -1];
      return {
        decision,
        annotations,
        replacement,
        today: annotations.every(({ peer }) => peer === "Helm") ? undefined : countedNames(decision),
        later: countedNames(later),
        differences: differencesOf(decision, later, annotations),
      };
    }),
    sources,
    elsewhere: inputs.flatMap(({ tree }) => annotationsElsewhere(tree.text, tree.file, edits.get(tree))),
    edits,
    findings: marked.flatMap(({ decision }) => decision.findings),
  };
}

interface Decided {
  readonly sources: SourceIndex;
  readonly decisions: readonly Decision[];
}

/** Which references count. Nothing is digested. */
function decisionsOf(inputs: readonly Manifests[], spec: ConfigHashSpec): Decided {
  const items = inputs.flatMap((input) => input.items);
  const sources = indexSources(items, spec);
  return { sources, decisions: decide(findWorkloads(items, { ...spec, kinds: workloadKinds(spec) }), sources, spec) };
}

interface Marked {
  readonly decision: Decision;
  readonly annotations: readonly PeerAnnotation[];
  readonly replacement: OwnAnnotations;
  readonly edits: readonly { readonly item: Item; readonly replacement: OwnAnnotations }[];
}

/** A workload with annotations of peers on itself, on its pod template, or on what runs its pods. */
function markedWorkload(
  decision: Decision,
  peers: readonly AskPeer[],
  selection: ConfigHashSpec["selection"],
): Marked[] {
  const { workload } = decision;
  // No peer rolls out a bare Pod or a ReplicaSet.
  if (workload.kind.option === "never" && workload.runBy.length === 0) return [];
  const inTemplates = workload.templates.flatMap(templatePeerAnnotations);
  const holders = [workload.item, ...workload.runBy].map((item) => ({ item, annotations: peerAnnotations(item) }));
  const annotations = [...holders.flatMap((holder) => holder.annotations), ...inTemplates];
  if (workload.templates.length === 0 || annotations.length === 0) return [];
  const edits = holders
    .filter((holder, i) => holder.annotations.length > 0 || (i === 0 && inTemplates.length > 0))
    .map(({ item }) => ({
      item,
      replacement: withChecksums(ownAnnotations(item, decision, peers, selection), inTemplates),
    }));
  return [{ decision, annotations, edits, replacement: new Map(edits.flatMap(({ replacement }) => [...replacement])) }];
}

/** A chart with checksums wants rollouts: such a workload is opted in unless something else decides. */
function withChecksums(replacement: OwnAnnotations, inTemplates: readonly PeerAnnotation[]): OwnAnnotations {
  const isWanted = inTemplates.some(({ peer }) => peer === "Helm") && replacement.size === 0;
  return isWanted ? new Map([[STAMP, "true"]]) : replacement;
}

function markedSources({ all }: SourceIndex): MigratedSource[] {
  const bySource = new Map(all.map(({ item, declared }) => [item, declared?.annotations?.split(".")]));
  return [...bySource].flatMap(([item, given]) => {
    const annotations = [...peerAnnotations(item), ...(given === undefined ? [] : peerAnnotations(item, given))];
    if (annotations.length === 0) return [];
    const isIgnored = annotations.some(({ key, value }) => key === RELOADER_IGNORE && value === "true");
    return [{ item, annotations, replacement: new Map(isIgnored ? [[STAMP, "false"]] : []), given }];
  });
}

function editsOf(workloads: readonly Marked[], sources: readonly MigratedSource[]): Edits {
  const edits = new Map<YamlTree, Splice[]>();
  const add = (item: Item, splices: readonly Splice[]): void => addAllTo(edits, item.tree, splices);
  const done = new Set<Item>();
  for (const { item, replacement } of [...workloads.flatMap((workload) => workload.edits), ...sources]) {
    if (done.has(item)) continue;
    done.add(item);
    add(
      item,
      editAnnotations(
        { item, base: item.node, path: OWN },
        { set: replacement, remove: keysOf(peerAnnotations(item)) },
      ),
    );
  }
  for (const { item, given } of sources) {
    if (given === undefined) continue;
    add(
      item,
      editAnnotations(
        { item, base: item.node, path: given },
        { set: new Map(), remove: keysOf(peerAnnotations(item, given)) },
      ),
    );
  }
  for (const template of new Set(workloads.flatMap(({ decision }) => decision.workload.templates)))
    add(template.item, templateEdits(template));
  return edits;
}

function templateEdits(template: PodTemplate): Splice[] {
  const remove = keysOf(templatePeerAnnotations(template));
  if (remove.size === 0) return [];
  return editAnnotations(
    { item: template.item, base: template.base, path: template.annotationsPath },
    { set: new Map(), remove },
  );
}

function keysOf(annotations: readonly PeerAnnotation[]): ReadonlySet<string> {
  return new Set(annotations.map(({ key }) => key));
}

function countedNames(decision: Decision | undefined): string[] {
  const names = (decision?.templates ?? []).flatMap(({ counted }) =>
    counted.map(({ reference }) => `${reference.kind} ${reference.name}`),
  );
  return [...new Set(names)].sort();
}

/** The options of a migration without a configuration: peers watch only what is annotated. */
export const MIGRATION_DEFAULTS: ConfigHashSpec = { ...CONFIG_HASH_DEFAULTS, selection: "Annotated" };
