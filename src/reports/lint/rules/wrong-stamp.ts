import type { Findings } from "../../../findings/catalogue/catalogue.ts";
import type { FindingData } from "../../../findings/catalogue/finding.ts";
import type { ResourceRef } from "../../../base/names.ts";
import { CONFIG_HASH, RESTARTED_AT, WAITING } from "../../../base/keys.ts";
import { isDigestText, isKeyedText } from "../../../base/digest/hash-v1.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { templateAnnotationNode, templateAnnotations } from "../../../stamping/stamps/edit-stamps.ts";
import type { DesiredStamps } from "../../../stamping/stamps/types.ts";
import type { Sighting } from "../../../stamping/stamps/sightings.ts";
import { isStampKey, sourceOfStampKey } from "../../../base/stamp-keys.ts";
import type { LintContext, LintedTemplate, LintedWorkload } from "../context.ts";
import { problem, type LintRule, type Problem } from "../rule.ts";
import { annotationNode, type Item } from "../../../yaml/read/items.ts";
import { isWaitingFor, parseWaiting, pendingOf, waitingOf, type WaitingEntry } from "../../../stamping/waves/wave.ts";
import { openingsAt, waveMarks } from "../../../stamping/schedules/windows.ts";

/** A stamp that differs from the one that stamping would write now. */
export const WRONG_STAMP: LintRule<"RS009"> = {
  id: "RS009",
  about: "state",
  check: (context) => [
    ...context.workloads.flatMap((linted) => {
      const isWaiting = waitsRightly(linted, context);
      return linted.templates.flatMap((template) =>
        wrongStamps(linted, isWaiting ? { ...template, desired: undefined } : template, context),
      );
    }),
    ...wrongWaiting(context),
  ],
};

// RFC 3339, section 5.6; kubectl writes whole seconds.
const TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/u;

function wrongStamps(
  { workload, decision }: LintedWorkload,
  { template, desired }: LintedTemplate,
  context: LintContext,
): Problem<"RS009">[] {
  const { item } = workload;
  const standing = templateAnnotations(template);
  const named = (stamp: string): { workload: ResourceRef; stamp: string } => ({ workload: resourceRef(item), stamp });
  const found = (key: string, data: FindingData<"RS009">): Problem<"RS009"> =>
    problem(item, placeOfStamp(template, key), data);

  const restart = standing.get(RESTARTED_AT);
  const wrongTime =
    restart !== undefined && !isTime(restart)
      ? [found(RESTARTED_AT, { id: "RS009", cause: "invalidTime", params: named(RESTARTED_AT) })]
      : [];
  if (desired === undefined) return wrongTime;

  const stamps = [...standing].filter(([key]) => isStampKey(key));
  const wrong = stamps.flatMap(([key, value]): Problem<"RS009">[] => {
    if (desired.kept.has(key)) return [];
    const wanted = desired.stamps.get(key);
    if (wanted === value) return [];
    const params = named(key);
    if (wanted === undefined && decision.selected) {
      const why = whyUnwanted(key, context.spec.layout);
      return [found(key, { id: "RS009", cause: "leftover", params: { ...params, why } })];
    }
    if (wanted === undefined)
      return [found(key, { id: "RS009", cause: "notSelected", params: { ...params, rule: decision.rule } })];
    if (template.copies?.get(key) === value) {
      if (isKeyedSecret(key, context)) return [];
      const why = context.spec.layout === "Versioned" ? "content" : "layout";
      return [found(key, { id: "RS009", cause: "copy", params: { workload: params.workload, copy: value, why } })];
    }
    if (!isDigestText(value)) return [found(key, { id: "RS009", cause: "invalidDigest", params })];
    // Without the key, keyed digests cannot be checked.
    if (isKeyedText(value) && !context.hasHmacKey) return [];
    return [found(key, { id: "RS009", cause: "stale", params })];
  });
  return [...wrongTime, ...wrong, ...(stamps.length === 0 ? [] : incomplete(item, template, desired, context))];
}

/** Whether the name of a copy has a keyed digest, and the key is not known. */
function isKeyedSecret(key: string, { spec, hasHmacKey }: LintContext): boolean {
  return spec.secrets === "Keyed" && !hasHmacKey && sourceOfStampKey(key)?.kind === "Secret";
}

function whyUnwanted(key: string, layout: LintContext["spec"]["layout"]): Findings["RS009"]["leftover"]["why"] {
  if (layout === "Combined" && key !== CONFIG_HASH) return "combined";
  return key === CONFIG_HASH ? "perSource" : "unused";
}

/** Stamps that are missing beside existing ones: the template was changed and not stamped again. */
function incomplete(
  item: LintedWorkload["workload"]["item"],
  template: LintedTemplate["template"],
  { stamps, sightings }: DesiredStamps,
  { sources }: LintContext,
): Problem<"RS009">[] {
  const standing = templateAnnotations(template);
  const missing = [...stamps.keys()].filter((key) => !standing.has(key));
  // Stamping sees no other part, and an optional source may be missing.
  const isElsewhere = ({ source, counted }: Sighting): boolean =>
    source !== undefined && !sources.all.includes(source) && counted.every(({ reference }) => reference.optional);
  const elsewhere = new Set(missing.length === 0 ? [] : sightings.filter(isElsewhere).map(({ stampKey: key }) => key));
  return missing
    .filter((key) => !elsewhere.has(key))
    .map((key) =>
      problem(
        item,
        { node: template.base, field: fieldOf(template, key) },
        { id: "RS009", cause: "missing", params: { workload: resourceRef(item), stamp: key } },
      ),
    );
}

function isTime(text: string): boolean {
  return TIME.test(text) && !Number.isNaN(Date.parse(text));
}

/** Where a stamp is: its annotation, or the reference to a copy. */
function placeOfStamp(template: LintedTemplate["template"], key: string): { node: number; field: string } {
  const copy = template.copies?.get(key);
  const reference = copy === undefined ? undefined : template.references.find((each) => each.copy === copy);
  return reference ?? { node: templateAnnotationNode(template, key), field: fieldOf(template, key) };
}

function fieldOf(template: LintedTemplate["template"], key: string): string {
  return `${template.field}.${template.annotationsPath.join(".")}[${key}]`;
}

/** Whether a workload waits for exactly the stamps that stamping would write. Then its stamps are stale on purpose. */
export function waitsRightly({ workload, templates }: LintedWorkload, { hasHmacKey }: LintContext): boolean {
  const waiting = waitingOf(workload.item);
  const desired = templates.flatMap((template) => template.desired ?? []);
  if (waiting === undefined || desired.length === 0) return false;
  // Without the key, keyed digests cannot be checked.
  return isWaitingFor(waiting, pendingOf(desired)) || (!hasHmacKey && isKeyed(waiting, desired));
}

function isKeyed(waiting: string, desired: Parameters<typeof pendingOf>[0]): boolean {
  return [
    ...(parseWaiting(waiting) ?? []).map(({ digest }) => digest),
    ...desired.flatMap(({ decision }) => [...templateAnnotations(decision.template).values()]),
  ].some(isKeyedText);
}

/** Invalid `waiting` annotations: forged, left over, or never released. */
export function wrongWaiting(context: LintContext): Problem<"RS009">[] {
  const { windowOf } = waveMarks();
  // Whether a window ever opens does not depend on the time.
  const openingOf = openingsAt(new Date(0));
  return context.workloads.flatMap((linted): Problem<"RS009">[] => {
    const { workload, templates, decision } = linted;
    const { item } = workload;
    const found = (data: FindingData<"RS009">): Problem<"RS009"> => problem(item, placeOf(item), data);
    const params = { workload: resourceRef(item) };
    const sources = new Set(templates.flatMap(({ seen }) => seen.flatMap(({ source }) => source?.item ?? [])));
    const windows = [...workload.runBy, item, ...sources].flatMap((each) => windowOf(each) ?? []);
    const opening = openingOf(windows, workload);
    const never =
      opening.isOpen || opening.opens !== undefined ? [] : [found({ id: "RS009", cause: "disjointWindows", params })];
    const waiting = waitingOf(item);
    if (waiting === undefined || waitsRightly(linted, context)) return never;
    if (!decision.touched) {
      const data = { id: "RS009", cause: "neverStamped", params: { ...params, rule: decision.rule } } as const;
      return [...never, found(data)];
    }
    const pending = pendingOf(templates.flatMap(({ desired }) => desired ?? []));
    const entries = parseWaiting(waiting);
    if (pending === "") return [...never, found({ id: "RS009", cause: "nothingToWaitFor", params })];
    if (entries === undefined) return [...never, found({ id: "RS009", cause: "invalidWaiting", params })];
    const wrong = wrongKeys(entries, parseWaiting(pending) ?? []);
    return [...never, found({ id: "RS009", cause: "staleWaiting", params: { ...params, stamps: wrong } })];
  });
}

/** The keys with different digests, or that only one of the lists has. */
function wrongKeys(standing: readonly WaitingEntry[], wanted: readonly WaitingEntry[]): string[] {
  const textOf = ({ key, digest }: WaitingEntry): string => `${key}=${digest}`;
  const [here, there] = [new Set(standing.map(textOf)), new Set(wanted.map(textOf))];
  const differing = [...standing, ...wanted].filter((entry) => !here.has(textOf(entry)) || !there.has(textOf(entry)));
  return [...new Set(differing.map(({ key }) => key))];
}

function placeOf(item: Item): { node: number; field: string } {
  const node = annotationNode(item, WAITING);
  return { node: node < 0 ? item.node : node, field: `metadata.annotations[${WAITING}]` };
}
