import { objectKey } from "../base/identity.ts";
import { onceFor } from "../base/once-for.ts";
import picocolors from "picocolors";
import type { ConfigHashSpec } from "../stamping/function/config-hash.ts";
import { DECLARED_KEY, digestText, visibleEntries, type Entries, type Keys } from "../base/digest/hash-v1.ts";
import { atLeast, type Finding } from "../findings/catalogue/finding.ts";
import { describeFinding } from "../findings/catalogue/describe.ts";
import { formatPlace } from "../base/errors.ts";
import { CONFIG_HASH, WAITING } from "../base/keys.ts";
import { addTo } from "../base/grouped.ts";
import { annotationOf, placeOf } from "../yaml/read/items.ts";
import type { Analysis } from "../stamping/pipeline.ts";
import type { Decision, LeftOut } from "../stamping/policy/types.ts";
import { ANNOTATION, effectOf } from "../kubernetes/rollout/effect.ts";
import type { Effect, Rollout } from "../kubernetes/rollout/rollout-types.ts";
import { printable } from "../findings/results/terminal.ts";
import type { Coverage } from "../kubernetes/sources/types.ts";
import type { DesiredStamps } from "../stamping/stamps/desired.ts";
import { removedAnnotations } from "../stamping/stamps/edit-stamps.ts";
import type { Sighting } from "../stamping/stamps/sightings.ts";
import { pendingOf } from "../stamping/waves/waiting.ts";
import { templateAnnotations } from "../kubernetes/workloads/template-annotations.ts";
import type { Workload } from "../kubernetes/workloads/types.ts";
import { labelled, referenceLines, shownKeys } from "./explain-words.ts";
import { plainWords, strategyWords } from "./plan-words.ts";

export interface ExplainOptions {
  readonly spec: ConfigHashSpec;
  readonly color: boolean;
  /** What a changed pod template of a workload does. */
  readonly rollout: (workload: Workload) => Rollout;
  /** What its sources are looked up in: "the input" where nothing is said. */
  readonly within?: string;
}

/** What every part of an explanation is told. */
interface Explained extends ExplainOptions {
  readonly analysis: Analysis;
  readonly decision: Decision;
  /** Whether its new stamps wait, whatever else its `waiting` says: stamping would write that anew, and let none go. */
  readonly waits: boolean;
  readonly colors: ReturnType<typeof picocolors.createColors>;
}

/** Why a workload has the stamps that it has: what it sees, how, and what is left out by which rule. */
export function explainText(analysis: Analysis, decision: Decision, options: ExplainOptions): string {
  const { templates, item } = decision.workload;
  const { desired: byTemplate } = indexOf(analysis);
  const desired = templates.flatMap((template) => byTemplate.get(template) ?? []);
  const waits = annotationOf(item, WAITING) !== undefined && pendingOf(desired) !== "";
  const explained: Explained = {
    ...options,
    analysis,
    decision,
    waits,
    colors: picocolors.createColors(options.color),
  };
  const sections = [
    headLines(explained),
    ...desired.map((stamps) => stampsLines(explained, stamps)),
    leftOutLines(explained),
    unstampedLines(explained),
    warningLines(explained),
  ];
  const told = sections.filter((lines) => lines.length > 0);
  if (told.length === 1 && decision.workload.borrows === undefined) told.push(["It refers to no source."]);
  return `${told.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function headLines({ decision, waits, colors, rollout }: Explained): string[] {
  const { workload, touched, selected, rule } = decision;
  const { item, namespace } = workload;
  const name = item.name === "" ? "(no name)" : item.name;
  const status = touched ? (selected ? "yes" : "no, and it loses the stamps that it has") : "no, it is left as it is";
  return [
    colors.bold(printable(`${item.kind} ${namespace}/${name} (${item.apiVersion})`)),
    ...labelled("at", [formatPlace(placeOf(item.tree, item.node))]),
    ...labelled("stamped", [`${status}: ${rule}`]),
    ...(waits ? labelled("waits", [`by ${WAITING}: rollstamp stamp --due lets it take its new stamps`]) : []),
    ...workload.runBy.flatMap((runner) =>
      labelled("run by", [`${runner.kind} ${runner.name}, whose annotations count for it`]),
    ),
    ...labelled("rolls", rollsWords(workload, rollout(workload))),
  ];
}

/** What another stamp does to the pods: `RollingUpdate, 3 pods: at least 3 available, at most 4 in all`. */
function rollsWords(workload: Workload, rollout: Rollout): string[] {
  const { effect, because } = effectOf(workload, rollout, ANNOTATION);
  if (effect !== "Roll") return [`${EFFECT[effect]}: ${because ?? effect}`];
  const { pods, strategy } = rollout;
  const words = strategyWords({ action: "Roll", pods, strategy });
  return [because ?? (words === undefined ? "as its operator decides" : plainWords(words))];
}

const EFFECT = { NextRun: "at its next run", NoEffect: "no", Fail: "never" } satisfies Record<
  Exclude<Effect, "Roll">,
  string
>;

/** The stamps of one pod template, each with the source that it is of. */
function stampsLines(explained: Explained, desired: DesiredStamps): string[] {
  const { colors } = explained;
  const { template } = desired.decision;
  const { marks } = desired;
  const removed = [...removedAnnotations(desired)];
  if (desired.sightings.length === 0 && removed.length + marks.labels.size === 0) return [];
  const current = templateAnnotations(template);
  const combined = desired.stamps.get(CONFIG_HASH);
  const blocks = [
    ...(combined === undefined
      ? []
      : [
          [
            stampTitle(CONFIG_HASH, explained),
            ...labelled("stamp", [stampWords(CONFIG_HASH, combined, current, explained)]),
          ],
        ]),
    ...desired.sightings.map((sighting) => sightingLines(explained, sighting, desired, current)),
    ...removed.map((key) => [
      stampTitle(key, explained),
      ...(marks.annotations.has(key)
        ? labelled("checksum", ["goes: the stamps stand for it"])
        : labelled("stamp", ["goes: nothing accounts for it"])),
    ]),
    ...[...marks.labels].map((key) => [
      stampTitle(key, explained),
      ...labelled("label", ["goes: it has the chart's version"]),
    ]),
  ];
  return [colors.bold(printable(`Stamps at ${template.annotationsField}`)), ...apart(blocks)];
}

/** Blocks with a blank line before each. */
function apart(blocks: readonly (readonly string[])[]): string[] {
  return blocks.flatMap((lines) => ["", ...lines]);
}

function stampTitle(key: string, { colors }: Explained): string {
  return colors.cyan(printable(key));
}

function stampWords(
  key: string,
  value: string,
  current: ReadonlyMap<string, string>,
  { waits }: Pick<Explained, "waits">,
): string {
  const now = current.get(key);
  if (now === value) return `${value}, up to date`;
  return `${value}, ${waits ? "waits " : ""}to be ${now === undefined ? "added" : "changed"}`;
}

function sightingLines(
  explained: Explained,
  sighting: Sighting,
  desired: DesiredStamps,
  current: ReadonlyMap<string, string>,
): string[] {
  const { analysis, decision, spec } = explained;
  const { source, kind, namespace, name, stampKey, counted } = sighting;
  const stamp = desired.stamps.get(stampKey);
  const own = decision.workload.item;
  const rules = [...new Set(counted.map(({ rule }) => rule))];
  // With one stamp for all each source has a digest in it.
  const digest =
    source === undefined || spec.layout !== "Combined"
      ? []
      : [digestText(analysis.digest(source, kind, sighting.keys))];
  return [
    stampTitle(stamp === undefined ? `${kind} ${namespace}/${name}` : stampKey, explained),
    ...(stamp === undefined ? [] : labelled("stamp", [stampWords(stampKey, stamp, current, explained)])),
    ...labelled("digest", digest),
    ...labelled("source", sourceWords(sighting)),
    ...labelled("coverage", [
      source === undefined ? missingWords(explained, current.has(stampKey)) : COVERAGE[source.coverage],
    ]),
    ...labelled("keys", [formatKeys(explained, sighting)]),
    ...labelled(
      "seen as",
      counted.flatMap(({ reference }) => referenceLines(reference, own)),
    ),
    ...labelled("counts", rules),
  ];
}

function sourceWords({ source, kind, namespace, name }: Sighting): string[] {
  const title = `${kind} ${namespace}/${name}`;
  if (source === undefined) return [];
  const place = formatPlace(placeOf(source.item.tree, source.item.node));
  return [
    source.declared === undefined
      ? `${title}, ${place}`
      : `${title}, made by ${source.item.kind} ${source.item.name}, ${place}`,
  ];
}

const COVERAGE: Readonly<Record<Coverage, string>> = {
  content: "content",
  ciphertext: "ciphertext: encrypting the same content anew changes the stamp",
  declaration: "declaration: a change in the outside store is not seen",
};

function missingWords({ within = "the input" }: Explained, isStamped: boolean): string {
  return `missing: it is not in ${within}, so ${isStamped ? "the stamp that is there stays" : "there is no stamp of it"}`;
}

/** The keys that count. */
function formatKeys({ analysis, spec }: Explained, { source, keys }: Sighting): string {
  if (source === undefined) return shownKeys(keys);
  const entries = analysis.sources.entries(source);
  const isDeclared = entries.has(DECLARED_KEY);
  const all = entries.size - (isDeclared ? 1 : 0);
  if (isDeclared && all === 0) return "all: a declaration does not tell them";
  const counted: Keys = spec.granularity === "Object" ? "*" : keys;
  // Of many keys each of many templates may see few.
  const visible = visibleKeys(entries, counted);
  const why = spec.granularity === "Object" ? ", granularity: Object" : "";
  const more = isDeclared ? ", and what its template adds" : "";
  return `${shownKeys(visible)} (${visible.size} of ${all}${why})${more}`;
}

/** The keys that count, in the order of the source. */
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

/** What the workload refers to and is not stamped with, by the rule that says so. */
function leftOutLines({ decision, colors }: Explained): string[] {
  const { workload, templates } = decision;
  const groups = new Map<string, LeftOut[]>();
  for (const leftOut of templates.flatMap((template) => template.leftOut)) {
    addTo(groups, `${objectKey(leftOut.reference)}\n${leftOut.rule}`, leftOut);
  }
  const blocks = [...groups.values()].flatMap((group) => {
    const first = group[0];
    if (first === undefined) return [];
    const { kind, namespace, name } = first.reference;
    return [
      [
        printable(`${kind} ${namespace}/${name}`),
        ...labelled("rule", [first.rule]),
        ...labelled(
          "seen as",
          group.flatMap(({ reference }) => referenceLines(reference, workload.item)),
        ),
      ],
    ];
  });
  return blocks.length === 0 ? [] : [colors.bold("Left out"), ...apart(blocks)];
}

/** What a workload that is not looked at any further refers to. */
function unstampedLines({ decision, colors }: Explained): string[] {
  if (decision.templates.length > 0) return [];
  const { item, templates } = decision.workload;
  const blocks = templates.flatMap(({ references }) =>
    references.map((reference) => [
      printable(`${reference.kind} ${reference.namespace}/${reference.name}`),
      ...labelled("seen as", referenceLines(reference, item)),
    ]),
  );
  return blocks.length === 0 ? [] : [colors.bold("It refers to"), ...apart(blocks)];
}

function warningLines({ analysis, decision, colors }: Explained): string[] {
  const { item } = decision.workload;
  const own = indexOf(analysis).warnings.get(objectKey(item)) ?? [];
  const lines = own
    .map(describeFinding)
    .flatMap(({ id, message, remedy }) => labelled(id, [message, ...(remedy === undefined ? [] : [remedy])]));
  return lines.length === 0 ? [] : [colors.bold("Warnings"), ...lines];
}

/** What is looked up for each of the workloads that are explained: one name may be that of thousands. */
interface AnalysisIndex {
  readonly desired: ReadonlyMap<DesiredStamps["decision"]["template"], DesiredStamps>;
  readonly warnings: ReadonlyMap<string, readonly Finding[]>;
}

const indexOf = onceFor((analysis: Analysis): AnalysisIndex => {
  const warnings = new Map<string, Finding[]>();
  for (const finding of analysis.findings) {
    if (finding.resource === undefined || !atLeast(finding, "warning")) continue;
    const key = objectKey(finding.resource);
    addTo(warnings, key, finding);
  }
  const desired = new Map(analysis.desired.map((stamps) => [stamps.decision.template, stamps]));
  return { desired, warnings };
});
