import type { ConfigHashSpec } from "../config/config-hash.ts";
import { EXCLUDE, SOURCES, STAMP } from "../keys.ts";
import { readFlag } from "../manifest/annotation-values.ts";
import { annotationNode, hasAnnotations, labelsOf } from "../manifest/items.ts";
import { declaredObject } from "../sources/content.ts";
import type { SourceIndex } from "../sources/source-index.ts";
import type { Source } from "../sources/types.ts";
import type { PodTemplate, Reference, Workload, WorkloadKind } from "../workloads/types.ts";
import { peerVerdicts } from "./peers.ts";
import { matchesSelector } from "./selector.ts";
import { matchesGlob, readExcludes, readNamedSources, type ExcludedSource } from "./source-lists.ts";
import type { Counted, Decision, LeftOut, PeerVerdicts, Rule, TemplateDecision } from "./types.ts";

/** Decides which workloads are stamped, and with which of their references. Throws for wrong annotations. */
export function decide(workloads: readonly Workload[], sources: SourceIndex, spec: ConfigHashSpec): Decision[] {
  return workloads.map((workload) => decideWorkload(workload, sources, spec));
}

/** The annotations of ours on one workload. */
interface OwnMarks {
  readonly stamp: boolean | undefined;
  readonly named: readonly Reference[];
  readonly excludes: readonly ExcludedSource[];
}

function decideWorkload(workload: Workload, sources: SourceIndex, spec: ConfigHashSpec): Decision {
  const none = { workload, templates: [], findings: [] };
  if (spec.selector !== undefined && !matchesSelector(spec.selector, labelsOf(workload.item))) {
    return { ...none, touched: false, selected: false, rule: "left out by the configuration's selector" };
  }
  if (workload.kind.option === "never") {
    return { ...none, touched: false, selected: false, rule: `a ${workload.kind.kind}'s pods don't take a changed template` };
  }
  const marks = ownMarks(workload);
  const skipped = skippedKind(workload.kind, spec);
  if (skipped !== undefined) return { ...none, touched: true, selected: false, rule: skipped };
  if (marks.stamp === false) return { ...none, touched: true, selected: false, rule: `opted out by ${STAMP}` };

  const peers = workload.templates.map((template) => peerVerdicts(workload, template, sources, spec));
  const templates = workload.templates.map((template, i) => decideTemplate(template, marks, peers[i] ?? [], sources, spec));
  const findings = peers.flat().flatMap((peer) => peer.findings);
  const isCounted = templates.some((template) => template.counted.length > 0);
  const selected = spec.selection === "All" || marks.stamp === true || isCounted;
  const rule = marks.stamp === true ? `opted in by ${STAMP}` : spec.selection === "All" ? "selection: All" : NOT_OPTED_IN;
  return { workload, touched: true, selected, rule: selected && rule === NOT_OPTED_IN ? "opted in" : rule, templates, findings };
}

const NOT_OPTED_IN: Rule = "not opted in (selection: Annotated)";

function skippedKind(kind: WorkloadKind, spec: ConfigHashSpec): Rule | undefined {
  if (kind.option === "cronJobs" && spec.cronJobs === "Skip") return "cronJobs: Skip";
  if (kind.option === "jobs" && spec.jobs === "Skip") return "jobs: Skip (a Job's template is immutable)";
  return undefined;
}

function ownMarks(workload: Workload): OwnMarks {
  const { item } = workload;
  if (!hasAnnotations(item)) return { stamp: undefined, named: [], excludes: [] };
  return {
    stamp: readFlag(item, STAMP),
    named: readNamedSources(item).map((source): Reference => ({
      kind: source.kind,
      namespace: source.namespace || workload.namespace,
      name: source.name,
      keys: "*",
      requiredKeys: [],
      via: "extra",
      optional: false,
      containers: [],
      field: `metadata.annotations[${SOURCES}]`,
      node: annotationNode(item, SOURCES),
    })),
    excludes: readExcludes(item),
  };
}

function decideTemplate(
  template: PodTemplate,
  marks: OwnMarks,
  peers: readonly PeerVerdicts[],
  sources: SourceIndex,
  spec: ConfigHashSpec,
): TemplateDecision {
  const counted: Counted[] = [];
  const leftOut: LeftOut[] = [];
  const extras = peers.flatMap((peer) => peer.extras);
  for (const reference of [...template.references, ...marks.named, ...extras]) {
    const { kind, namespace, name } = reference;
    const source = sources.find(kind, namespace, name, template.item);
    const verdict = decideReference(reference, source, marks, peers, spec);
    if (!verdict.counts) {
      leftOut.push({ reference, source, rule: verdict.rule });
      continue;
    }
    counted.push({ reference, source, rule: verdict.rule });
    for (const derived of templateReferences(reference, source)) {
      const made = sources.find(derived.kind, derived.namespace, derived.name, source?.item);
      const own = decideReference(derived, made, marks, peers, spec);
      (own.counts ? counted : leftOut).push({ reference: derived, source: made, rule: own.rule });
    }
  }
  return { template, counted, leftOut };
}

interface Verdict {
  readonly counts: boolean;
  readonly rule: Rule;
}

const yes = (rule: Rule): Verdict => ({ counts: true, rule });
const no = (rule: Rule): Verdict => ({ counts: false, rule });

/** The order of these rules is the policy: the first that applies decides. */
function decideReference(
  reference: Reference,
  source: Source | undefined,
  marks: OwnMarks,
  peers: readonly PeerVerdicts[],
  spec: ConfigHashSpec,
): Verdict {
  if (source?.neverCounts === true) return no(`${STAMP}: "false" on the source`);
  if (reference.kind === "Secret" && spec.secrets === "Ignore") return no("secrets: Ignore");
  if (source?.needsHashSuffix === true && spec.nameSuffix === "Skip") return no("nameSuffix: Skip (kustomize renames it)");
  const isNamed = marks.named.some((named) => isSame(named, reference));
  if (isNamed) return yes(`named by ${SOURCES}`);
  const excluded = marks.excludes.find((entry) => entry.kind === reference.kind && matchesGlob(entry.glob, reference.name));
  if (excluded !== undefined) return no(`excluded by ${EXCLUDE}: ${excluded.kind.toLowerCase()}/${excluded.glob}`);
  const peerExcludes = firstRule(peers, (peer) => peer.excludes(reference, source));
  if (peerExcludes !== undefined) return no(peerExcludes);
  if (marks.stamp === true) return yes(`opted in by ${STAMP}`);
  const peerOptsIn = firstRule(peers, (peer) => peer.optsIn(reference, source));
  if (peerOptsIn !== undefined) return yes(peerOptsIn);
  if (spec.selection === "Annotated") return no(NOT_OPTED_IN);
  const peerOptsOut = firstRule(peers, (peer) => peer.optsOut(reference, source));
  return peerOptsOut === undefined ? yes("selection: All") : no(peerOptsOut);
}

function isSame(a: Reference, b: Reference): boolean {
  return a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
}

function firstRule(peers: readonly PeerVerdicts[], ask: (peer: PeerVerdicts) => Rule | undefined): Rule | undefined {
  for (const peer of peers) {
    const rule = ask(peer);
    if (rule !== undefined) return rule;
  }
  return undefined;
}

/** The ConfigMaps and Secrets that go into the Secret which an ExternalSecret's template makes. */
function templateReferences(reference: Reference, source: Source | undefined): Reference[] {
  if (source?.declared?.templateSources === undefined) return [];
  const namespace = source.provides.namespace === "*" ? reference.namespace : source.provides.namespace;
  return source.declared.templateSources(declaredObject(source.item)).map((made) => ({
    ...reference,
    kind: made.kind,
    namespace,
    name: made.name,
    keys: made.keys,
    requiredKeys: [],
    optional: true,
  }));
}
