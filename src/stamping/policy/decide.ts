import { firstAnswer, onceFor, sumOf } from "../../base/grouped.ts";
import type { ConfigHashSpec } from "../function/config-hash.ts";
import { STAMP } from "../../base/keys.ts";
import { HELM_HOOK } from "../../base/hosts/helm.ts";
import { labelsOf, isHelmHook } from "../../yaml/read/items.ts";
import { getPath, stringOf } from "../../yaml/read/node.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { formatObject } from "../../base/names.ts";
import { locationOf, resourceRef } from "../../findings/results/location.ts";
import { declaredObject } from "../../kubernetes/sources/content.ts";
import { isGenerated } from "../../kubernetes/sources/kustomize-hash.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import type { Source, TemplateSource } from "../../kubernetes/sources/types.ts";
import type {
  BorrowedTemplate,
  PodTemplate,
  Reference,
  Workload,
  WorkloadKind,
} from "../../kubernetes/workloads/types.ts";
import { templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";
import { withSourcesOfCopies } from "./named-copies.ts";
import { peersOf, type AskPeers } from "./peers.ts";
import { comparing, spending, type Spend } from "../../base/limits.ts";
import { matchesSelector } from "../../base/selector.ts";
import { withoutReloaded, joinedKeys } from "./references-by-source.ts";
import { marksBy, type OwnMarks } from "./own-marks.ts";
import type { Counted, Decision, LeftOut, PeerVerdicts, Rule, TemplateDecision } from "./types.ts";

/**
 * Decides which workloads are stamped, and with which of their references. The workloads of the decisions name the sources
 * of copies. Throws for invalid annotations.
 */
export function decide(
  workloads: readonly Workload[],
  sources: SourceIndex,
  spec: ConfigHashSpec,
  hmacKey?: Uint8Array,
): Decision[] {
  const context: Context = {
    sources,
    spec,
    askPeers: peersOf(sources, spec),
    marksOf: marksBy(spec.overrides),
    addReferences: spending(
      "addedReferences",
      (most) => `annotations, overrides and templates of Secrets add more than ${most} references`,
    ),
    compareRunners: comparing("owners of a pod template with its references"),
    joinKeys: comparing("the keys of one source in several volumes"),
  };
  const names = { granularity: spec.granularity, hmacKey: spec.secrets === "Keyed" ? hmacKey : undefined };
  return withoutRepeats(
    workloads.map((workload) => decideWorkload(withSourcesOfCopies(workload, sources, names), context)),
  );
}

interface Context {
  readonly sources: SourceIndex;
  readonly spec: ConfigHashSpec;
  readonly askPeers: AskPeers;
  readonly marksOf: (workload: Workload) => OwnMarks;
  readonly addReferences: Spend;
  readonly compareRunners: Spend;
  readonly joinKeys: Spend;
}

/** The cost of checking one reference against the annotations of one runner, in comparisons of characters. */
const STEPS_OF_A_RUNNER = 200;

/** The cost of copying a key, which also takes memory. */
const STEPS_OF_A_KEY = 200;

function decideWorkload(workload: Workload, context: Context): Decision {
  const { spec } = context;
  const { item, kind } = workload;
  const none = { workload, templates: [], findings: [] };
  for (const { references } of workload.templates)
    context.joinKeys(joinedKeys(references) * STEPS_OF_A_KEY, item.tree.limits);
  const untouched = (rule: Rule): Decision => ({ ...none, touched: false, selected: false, rule });
  if (spec.selector !== undefined && !matchesSelector(spec.selector, labelsOf(item))) {
    return untouched("not matched by the configuration's selector");
  }
  if (isHelmHook(item)) return untouched(`a Helm hook (${HELM_HOOK}): Helm runs it again with each release`);
  if (kind.option === "never" && workload.runBy.length === 0)
    return untouched(`a ${kind.kind}'s pods do not get a changed template`);
  if (workload.runBy.length > 1) {
    const parts = sumOf(workload.templates, (template) => 1 + partsOf(template));
    context.compareRunners(workload.runBy.length * parts * STEPS_OF_A_RUNNER, item.tree.limits);
  }
  const marks = context.marksOf(workload);
  if (workload.borrows !== undefined) return decideBorrower(workload, workload.borrows, marks, spec);
  const skipped = skippedKind(kind, spec);
  if (skipped !== undefined) return { ...none, touched: true, selected: false, rule: skipped };
  if (marks.stamp === false) return { ...none, touched: true, selected: false, rule: `opted out by ${marks.stampBy}` };

  const peers = workload.templates.map((template) => context.askPeers(workload, template));
  const templates = workload.templates.map((template, i) => decideTemplate(template, marks, peers[i] ?? [], context));
  const findings = peers.flat().flatMap((peer) => peer.findings);
  const isCounted = templates.some((template) => template.counted.length > 0);
  const selected = spec.selection === "All" || marks.stamp === true || isCounted;
  const fixed = fixedTemplate(workload);
  if (fixed !== undefined)
    return { ...untouched(fixed.rule), templates, findings: isCounted ? [...findings, fixed.finding] : findings };
  const rule =
    marks.stamp === true ? `opted in by ${marks.stampBy}` : spec.selection === "All" ? "selection: All" : NOT_OPTED_IN;
  return {
    workload,
    touched: true,
    selected,
    rule: selected && rule === NOT_OPTED_IN ? "opted in" : rule,
    templates,
    findings,
  };
}

/** The number of references and annotations of a pod template. Annotations with long lists count more. */
function partsOf(template: PodTemplate): number {
  let parts = template.references.length;
  for (const [, value] of templateAnnotations(template)) parts += 1 + value.length / 10;
  return Math.ceil(parts);
}

/** A workload that runs the pod template of another one: that one gets the stamps. */
function decideBorrower(
  workload: Workload,
  borrowed: BorrowedTemplate,
  marks: OwnMarks,
  spec: ConfigHashSpec,
): Decision {
  const { item } = workload;
  const other = { kind: borrowed.kind, namespace: workload.namespace, name: borrowed.name };
  const decision = {
    workload,
    touched: false,
    selected: false,
    rule: `runs the pod template of ${formatObject(other)}`,
    templates: [],
  };
  const isWanted = marks.stamp ?? spec.selection === "All";
  if (borrowed.item !== undefined || !isWanted || spec.missing === "Ignore") return { ...decision, findings: [] };
  const finding: Finding = {
    id: "RS001",
    cause: "missingTemplate",
    params: { workload: resourceRef(item), other },
    severityOverride: spec.missing === "Error" ? "error" : "warning",
    ...locationOf(item, borrowed),
  };
  return { ...decision, findings: [finding] };
}

/** Why the template of a workload cannot be changed, with the finding about it. */
function fixedTemplate({ item, kind }: Workload): { readonly rule: Rule; readonly finding: Finding } | undefined {
  if (kind.fixedBy === undefined) return undefined;
  const node = getPath(item.tree, item.node, kind.fixedBy.split("."));
  if ((stringOf(item.tree, node) ?? "") === "") return undefined;
  const rule = `'${kind.fixedBy}' is set: the API server rejects changes of the pod template under the same name`;
  return {
    rule,
    finding: {
      id: "fixed-name",
      cause: "fixed",
      params: { workload: resourceRef(item), rule },
      ...locationOf(item, { node, field: kind.fixedBy }),
    },
  };
}

/** Several workloads may have the same finding about a source, and several templates the same one about a workload. */
function withoutRepeats(decisions: readonly Decision[]): Decision[] {
  const reported = new Set<string>();
  return decisions.map((decision) => {
    if (decision.findings.length === 0) return decision;
    const findings = decision.findings.filter(({ id, cause, params, field, place }) => {
      const key = JSON.stringify([id, cause, params, field, place]);
      return reported.has(key) ? false : reported.add(key);
    });
    return { ...decision, findings };
  });
}

const NOT_OPTED_IN: Rule = "not opted in (selection: Annotated)";

function skippedKind(kind: WorkloadKind, spec: ConfigHashSpec): Rule | undefined {
  if (kind.option === "cronJobs" && spec.cronJobs === "Skip") return "cronJobs: Skip";
  if (kind.option === "jobs" && spec.jobs === "Skip") return "jobs: Skip (a Job's template is immutable)";
  return undefined;
}

function decideTemplate(
  template: PodTemplate,
  marks: OwnMarks,
  peers: readonly PeerVerdicts[],
  { sources, spec, addReferences }: Context,
): TemplateDecision {
  const counted: Counted[] = [];
  const leftOut: LeftOut[] = [];
  const add = (reference: Reference, source: Source | undefined, { counts, rule, listedBy }: Verdict): void => {
    (counts ? counted : leftOut).push({ reference, source, rule, ...(listedBy === undefined ? {} : { listedBy }) });
  };
  const extras = peers.flatMap((peer) => peer.extras);
  addReferences(marks.named.length + extras.length, template.item.tree.limits);
  for (const reference of [...template.references, ...marks.named, ...extras]) {
    const { kind, namespace, name } = reference;
    const source = sources.find(kind, namespace, name, template.item);
    const verdict = decideReference(reference, source, marks, peers, spec);
    add(reference, source, verdict);
    if (!verdict.counts) continue;
    const inputs = templateReferences(reference, source);
    addReferences(inputs.length, template.item.tree.limits);
    for (const input of inputs) {
      const made = sources.find(input.kind, input.namespace, input.name, source?.item);
      // If a source counts, so do the sources that it is made from, unless a rule excludes them.
      add(input, made, decideReference(input, made, marks, peers, spec, verdict));
    }
  }
  const decision = { template, counted, leftOut };
  return spec.reloads === "Skip" ? withoutReloaded(decision) : decision;
}

interface Verdict {
  readonly counts: boolean;
  readonly rule: Rule;
  /** The annotation or override that lists the source. */
  readonly listedBy?: string;
}

const yes = (rule: Rule): Verdict => ({ counts: true, rule });
const no = (rule: Rule): Verdict => ({ counts: false, rule });

/**
 * The order of these rules is the policy: the first that applies decides. `inherited` is the verdict on the source that
 * is made from this one.
 */
function decideReference(
  reference: Reference,
  source: Source | undefined,
  marks: OwnMarks,
  peers: readonly PeerVerdicts[],
  spec: ConfigHashSpec,
  inherited?: Verdict,
): Verdict {
  if (source?.neverCounts === true) return no(`${STAMP}: "false" on the source`);
  if (reference.kind === "Secret" && spec.secrets === "Ignore") return no("secrets: Ignore");
  if (spec.nameSuffix === "Skip" && source !== undefined && isGenerated(source))
    return no("nameSuffix: Skip (kustomize renames it)");
  const namedBy = marks.namedBy(reference);
  if (namedBy !== undefined) return { ...yes(`named by ${namedBy}`), listedBy: namedBy };
  const excluded = marks.excludedBy(reference);
  if (excluded !== undefined) return no(`excluded by ${excluded}`);
  const peerExcludes = firstAnswer(peers, (peer) => peer.excludes(reference, source));
  if (peerExcludes !== undefined) return no(peerExcludes);
  if (inherited !== undefined) return inherited;
  if (marks.stamp === true) return yes(`opted in by ${marks.stampBy}`);
  const peerOptsIn = firstAnswer(peers, (peer) => peer.optsIn(reference, source));
  if (peerOptsIn !== undefined) return yes(peerOptsIn);
  if (spec.selection === "Annotated") return no(NOT_OPTED_IN);
  const peerOptsOut = firstAnswer(peers, (peer) => peer.optsOut(reference, source));
  return peerOptsOut === undefined ? yes("selection: All") : no(peerOptsOut);
}

/** The ConfigMaps and Secrets from which the template of an ExternalSecret makes its Secret. */
function templateReferences(reference: Reference, source: Source | undefined): Reference[] {
  if (source?.declared?.templateSources === undefined) return [];
  const namespace = source.provides.namespace === "*" ? reference.namespace : source.provides.namespace;
  return templateSourcesOf(source).map((made) => ({
    ...reference,
    kind: made.kind,
    namespace,
    name: made.name,
    keys: made.keys,
    requiredKeys: made.keys === "*" ? [] : [...made.keys],
    through: source.item,
  }));
}

// Cached: many workloads may see the Secret.
const templateSourcesOf = onceFor(
  ({ item, declared }: Source): readonly TemplateSource[] => declared?.templateSources?.(declaredObject(item)) ?? [],
);
