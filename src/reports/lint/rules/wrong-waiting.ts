import { isKeyedText } from "../../../base/digest/hash-v1.ts";
import type { FindingData } from "../../../findings/catalogue/finding.ts";
import { WAITING } from "../../../base/keys.ts";
import { annotationNode, type Item } from "../../../yaml/read/items.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { templateAnnotations } from "../../../stamping/stamps/edit-stamps.ts";
import {
  isWaitingFor,
  parseWaiting,
  pendingOf,
  waitingOf,
  type WaitingEntry,
} from "../../../stamping/waves/waiting.ts";
import { openingsAt, waveMarks } from "../../../stamping/waves/windows.ts";
import type { LintContext, LintedWorkload } from "../context.ts";
import { problem, type Problem } from "../rule.ts";

/** Whether a workload waits for just what stamping would write: its stamps are stale by intent then. */
export function waitsRightly({ workload, templates }: LintedWorkload, { hasHmacKey }: LintContext): boolean {
  const waiting = waitingOf(workload.item);
  const desired = templates.flatMap((template) => template.desired ?? []);
  if (waiting === undefined || desired.length === 0) return false;
  // Without the key a keyed digest can't be worked out, so nothing is known of it.
  return isWaitingFor(waiting, pendingOf(desired)) || (!hasHmacKey && isKeyed(waiting, desired));
}

function isKeyed(waiting: string, desired: Parameters<typeof pendingOf>[0]): boolean {
  return [
    ...(parseWaiting(waiting) ?? []).map(({ digest }) => digest),
    ...desired.flatMap(({ decision }) => [...templateAnnotations(decision.template).values()]),
  ].some(isKeyedText);
}

/** What a workload waits for that it should not: what is forged, forgotten, or never comes. */
export function wrongWaiting(context: LintContext): Problem<"RS009">[] {
  const { windowOf } = waveMarks();
  // Whether they ever are, no moment decides.
  const openingOf = openingsAt(new Date(0));
  return context.workloads.flatMap((linted): Problem<"RS009">[] => {
    const { workload, templates, decision } = linted;
    const { item } = workload;
    const tell = (told: FindingData<"RS009">): Problem<"RS009"> => problem(item, placeOf(item), told);
    const params = { workload: resourceRef(item) };
    const sources = new Set(templates.flatMap(({ seen }) => seen.flatMap(({ source }) => source?.item ?? [])));
    const windows = [...workload.runBy, item, ...sources].flatMap((each) => windowOf(each) ?? []);
    const opening = openingOf(windows, workload);
    const never =
      opening.isOpen || opening.opens !== undefined ? [] : [tell({ id: "RS009", cause: "neverOpen", params })];
    const waiting = waitingOf(item);
    if (waiting === undefined || waitsRightly(linted, context)) return never;
    if (!decision.touched) {
      const told = { id: "RS009", cause: "leftAlone", params: { ...params, rule: decision.rule } } as const;
      return [...never, tell(told)];
    }
    const pending = pendingOf(templates.flatMap(({ desired }) => desired ?? []));
    const entries = parseWaiting(waiting);
    if (pending === "") return [...never, tell({ id: "RS009", cause: "waitsForNothing", params })];
    if (entries === undefined) return [...never, tell({ id: "RS009", cause: "noWaiting", params })];
    const wrong = wrongKeys(entries, parseWaiting(pending) ?? []);
    return [...never, tell({ id: "RS009", cause: "waitsForOther", params: { ...params, stamps: wrong } })];
  });
}

/** The keys whose digest is another one, or that are in one of the two only. */
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
