import { makerOf } from "../kubernetes/sources/content.ts";
import { placedName } from "../base/names.ts";
import { fields, heading, paragraph, plainText, titled } from "./document/blocks.ts";
import { DECLARED_KEY, digestText, visibleEntries, type Entries, type Keys } from "../base/digest/hash-v1.ts";
import { formatPlace } from "../base/errors.ts";
import { addTo, groupedBy, onceFor } from "../base/grouped.ts";
import { CONFIG_HASH, WAITING } from "../base/keys.ts";
import { objectKey } from "../base/identity.ts";
import { atLeast, type Finding } from "../findings/catalogue/finding.ts";
import { describeFinding } from "../findings/catalogue/describe.ts";
import { ANNOTATION, effectOf } from "../kubernetes/rollout/effect.ts";
import type { Effect, Rollout } from "../kubernetes/rollout/rollout-types.ts";
import type { Coverage } from "../kubernetes/sources/types.ts";
import { templateAnnotations } from "../kubernetes/workloads/template-annotations.ts";
import type { Workload } from "../kubernetes/workloads/types.ts";
import type { Analysis } from "../stamping/pipeline.ts";
import type { ConfigHashSpec } from "../stamping/function/config-hash.ts";
import type { Decision } from "../stamping/policy/types.ts";
import type { DesiredStamps } from "../stamping/stamps/types.ts";
import { removedAnnotations } from "../stamping/stamps/edit-stamps.ts";
import type { Sighting } from "../stamping/stamps/sightings.ts";
import { pendingOf } from "../stamping/waves/wave.ts";
import { annotationOf, placeOf } from "../yaml/read/items.ts";
import type { Block } from "./document/document.ts";
import { keyList, referenceLines } from "./explain-parts.ts";
import { strategyWords } from "./strategy-words.ts";

export interface ExplainOptions {
  readonly spec: ConfigHashSpec;
  /** What a changed pod template of a workload does. */
  readonly rollout: (workload: Workload) => Rollout;
  /** Where its sources are looked up: "the input" by default. */
  readonly within?: string;
}

interface Explained extends ExplainOptions {
  readonly analysis: Analysis;
  readonly decision: Decision;
  /** Whether its new stamps wait, whatever its `waiting` annotation names: stamping updates that annotation and releases nothing. */
  readonly waits: boolean;
}

/** Why a workload has its stamps: what it sees and how, and what is left out by which rule. */
export function explainWorkload(analysis: Analysis, decision: Decision, options: ExplainOptions): Block[] {
  const { templates, item, borrows } = decision.workload;
  const index = indexOf(analysis);
  const desired = templates.flatMap((template) => index.desired.get(template) ?? []);
  const waits = annotationOf(item, WAITING) !== undefined && pendingOf(desired) !== "";
  const explained: Explained = { ...options, analysis, decision, waits };
  const details = [
    ...desired.flatMap((stamps) => stampBlocks(explained, stamps)),
    ...leftOutBlocks(decision),
    ...unstampedBlocks(decision),
    ...warningBlocks(index.warnings.get(objectKey(item)) ?? []),
  ];
  if (details.length === 0 && borrows === undefined) details.push(paragraph("It refers to no source."));
  return [headBlock(explained), ...details];
}

function headBlock({ decision, waits, rollout }: Explained): Block {
  const { workload, touched, selected, rule } = decision;
  const { item, namespace } = workload;
  const name = item.name === "" ? "(no name)" : item.name;
  const status = touched ? (selected ? "yes" : "no, and its stamps are removed") : "no, it is left unchanged";
  return titled(
    `${item.kind} ${namespace}/${name} (${item.apiVersion})`,
    fields([
      ["at", formatPlace(placeOf(item.tree, item.node))],
      ["stamped", `${status}: ${rule}`],
      ["waits", waits ? `by ${WAITING}: 'rollstamp stamp --due' releases its new stamps` : undefined],
      ["run by", workload.runBy.map((runner) => `${runner.kind} ${runner.name}, whose annotations count for it`)],
      ["rolls", describeRollout(workload, rollout(workload))],
    ]),
  );
}

/** What a changed stamp does to the pods: `RollingUpdate, 3 pods: at least 3 available, at most 4 in all`. */
function describeRollout(workload: Workload, rollout: Rollout): string {
  const { effect, because } = effectOf(workload, rollout, ANNOTATION);
  if (effect !== "Roll") return `${EFFECT[effect]}: ${because ?? effect}`;
  const { pods, strategy } = rollout;
  const words = strategyWords({ action: "Roll", pods, strategy });
  return because ?? (words === undefined ? "as its operator decides" : plainText(words));
}

const EFFECT = { NextRun: "at its next run", NoEffect: "no", Fail: "never" } satisfies Record<
  Exclude<Effect, "Roll">,
  string
>;

/** The stamps of one pod template, each with its source. */
function stampBlocks(explained: Explained, desired: DesiredStamps): Block[] {
  const { template } = desired.decision;
  const { marks } = desired;
  const removed = [...removedAnnotations(desired)];
  if (desired.sightings.length === 0 && removed.length + marks.labels.size === 0) return [];
  const current = templateAnnotations(template);
  const combined = desired.stamps.get(CONFIG_HASH);
  return [
    heading(2, `Stamps at ${template.annotationsField}`),
    ...(combined === undefined
      ? []
      : [titled(CONFIG_HASH, fields([["stamp", describeStamp(CONFIG_HASH, combined, current, explained)]]))]),
    ...desired.sightings.map((sighting) => sightingBlock(explained, sighting, desired, current)),
    ...removed.map((key) =>
      titled(
        key,
        fields([
          marks.annotations.has(key)
            ? ["checksum", "to be removed: the stamps replace it"]
            : ["stamp", "to be removed: no reference accounts for it"],
        ]),
      ),
    ),
    ...[...marks.labels].map((key) =>
      titled(key, fields([["label", "to be removed: its value is the version of the chart"]])),
    ),
  ];
}

function describeStamp(
  key: string,
  value: string,
  current: ReadonlyMap<string, string>,
  { waits }: Pick<Explained, "waits">,
): string {
  const now = current.get(key);
  if (now === value) return `${value}, up to date`;
  return `${value}, ${waits ? "waits " : ""}to be ${now === undefined ? "added" : "changed"}`;
}

function sightingBlock(
  explained: Explained,
  sighting: Sighting,
  desired: DesiredStamps,
  current: ReadonlyMap<string, string>,
): Block {
  const { analysis, decision, spec, within = "the input" } = explained;
  const { source, kind, stampKey, counted } = sighting;
  const stamp = desired.stamps.get(stampKey);
  const title = `${kind} ${placedName(sighting)}`;
  const missing = current.has(stampKey) ? "its stamp is kept" : "it has no stamp";
  const made = source === undefined ? undefined : makerOf(source);
  const maker = made === undefined ? "" : `, made by ${made.kind} ${made.name}`;
  return titled(
    stamp === undefined ? title : stampKey,
    fields([
      [
        desired.copies?.has(stampKey) === true ? "copy" : "stamp",
        stamp && describeStamp(stampKey, stamp, current, explained),
      ],
      // One stamp for all sources is made of a digest for each.
      [
        "digest",
        source && spec.layout === "Combined" ? digestText(analysis.digest(source, kind, sighting.keys)) : undefined,
      ],
      ["source", source && `${title}${maker}, ${formatPlace(placeOf(source.item.tree, source.item.node))}`],
      ["coverage", source === undefined ? `missing: it is not in ${within}, so ${missing}` : COVERAGE[source.coverage]],
      ["keys", describeKeys(explained, sighting)],
      ["seen as", counted.flatMap(({ reference }) => referenceLines(reference, decision.workload.item))],
      ["counts", [...new Set(counted.map(({ rule }) => rule))]],
    ]),
  );
}

const COVERAGE: Readonly<Record<Coverage, string>> = {
  content: "content",
  ciphertext: "ciphertext: encrypting the same content again changes the stamp",
  declaration: "declaration: a change in the external store does not change the stamp",
};

function describeKeys({ analysis, spec }: Explained, { source, keys }: Sighting): string {
  if (source === undefined) return keyList(keys);
  const entries = analysis.sources.entries(source);
  const isDeclared = entries.has(DECLARED_KEY);
  const all = entries.size - (isDeclared ? 1 : 0);
  if (isDeclared && all === 0) return "all: the declaration does not name them";
  const visible = visibleKeys(entries, spec.granularity === "Object" ? "*" : keys);
  const why = spec.granularity === "Object" ? ", granularity: Object" : "";
  const more = isDeclared ? ", and those that its template adds" : "";
  return `${keyList(visible)} (${visible.size} of ${all}${why})${more}`;
}

/** The keys that count, in the order of the source. Each of many templates may see few of many keys. */
function visibleKeys(entries: Entries, keys: Keys): ReadonlySet<string> {
  const visible = new Set(visibleEntries(entries, keys).keys());
  visible.delete(DECLARED_KEY);
  if (keys === "*" || keys.size >= entries.size) return visible;
  const places = placesIn(entries);
  return new Set([...visible].sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0)));
}

const placesIn = onceFor(
  (entries: Entries): ReadonlyMap<string, number> => new Map([...entries.keys()].map((key, i) => [key, i])),
);

/** What the workload refers to without being stamped for it, with the rule that says so. */
function leftOutBlocks({ workload, templates }: Decision): Block[] {
  const groups = groupedBy(
    templates.flatMap((template) => template.leftOut),
    ({ reference, rule }) => `${objectKey(reference)}\n${rule}`,
  );
  const blocks = [...groups.values()].map((group) => {
    const [first] = group;
    return titled(
      `${first.reference.kind} ${placedName(first.reference)}`,
      fields([
        ["rule", first.rule],
        ["seen as", group.flatMap(({ reference }) => referenceLines(reference, workload.item))],
      ]),
    );
  });
  return blocks.length === 0 ? [] : [heading(2, "Left out"), ...blocks];
}

/** What a workload refers to if it is not analysed further. */
function unstampedBlocks({ workload: { item, templates: all }, templates }: Decision): Block[] {
  if (templates.length > 0) return [];
  const blocks = all.flatMap(({ references }) =>
    references.map((reference) =>
      titled(`${reference.kind} ${placedName(reference)}`, fields([["seen as", referenceLines(reference, item)]])),
    ),
  );
  return blocks.length === 0 ? [] : [heading(2, "It refers to"), ...blocks];
}

function warningBlocks(findings: readonly Finding[]): Block[] {
  if (findings.length === 0) return [];
  const rows = findings.map(describeFinding).map(({ id, message, remedy }) => {
    return [id, [message, ...(remedy === undefined ? [] : [remedy])]] as const;
  });
  return [titled("Warnings", fields(rows))];
}

/** Indexed once for all explained workloads: thousands may have the same name. */
interface AnalysisIndex {
  readonly desired: ReadonlyMap<DesiredStamps["decision"]["template"], DesiredStamps>;
  readonly warnings: ReadonlyMap<string, readonly Finding[]>;
}

const indexOf = onceFor((analysis: Analysis): AnalysisIndex => {
  const warnings = new Map<string, Finding[]>();
  for (const finding of analysis.findings)
    if (finding.resource !== undefined && atLeast(finding, "warning"))
      addTo(warnings, objectKey(finding.resource), finding);
  return { desired: new Map(analysis.desired.map((stamps) => [stamps.decision.template, stamps])), warnings };
});
