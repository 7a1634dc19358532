import { failureOf, type Failure } from "../../base/alike.ts";
import { recovered } from "../../base/errors.ts";
import { renderedElsewhere } from "../../findings/not-examined/elsewhere.ts";
import type { Revisions, Snapshot } from "../../platform/ports/snapshot.ts";
import { changedSources, lookedAcross, unusedChanges } from "../../reports/plan/across-applications.ts";
import { namedPart, NOTHING_PLANNED, type PlanPart } from "../../reports/plan/parts.ts";
import type { PlanFinding } from "../../reports/plan/planned-workload.ts";
import type { PlannedApplication, StampedBy } from "../../reports/plan/planned-application.ts";
import { planPart, type PlanOptions } from "../../reports/plan/plan.ts";
import type { Levels } from "../../reports/lint/lint.ts";
import { readSide, type Side, type SideStamps } from "../../reports/plan/side.ts";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import type { Manifests } from "../../yaml/read/items.ts";
import { clusterKey, ENGINE_FOUND } from "../discover/application.ts";
import type { AppSide } from "../render/shown-data.ts";
import type { AppPair } from "./pairs.ts";
import type { Compared, Comparing } from "./compared.ts";
import { withKept, type Step } from "./deployed-parts.ts";
import {
  isIncomparable,
  lostVariables,
  needsValues,
  notFetched,
  otherCommand,
  otherRevisions,
  unknownUses,
  unrendered,
  type Renderings,
} from "./not-fetched.ts";
import { notPermittedObjects, type RenderedInProject } from "./not-permitted.ts";
import { otherValues } from "./other-values.ts";
import { isNoApplication, unknownValues } from "./not-rendered.ts";
import { failedIn, plannedOf } from "./planned-of.ts";
import { appliedManifests, objectsOf, renderedTextOf, type Rendered } from "./rendering.ts";
import { stampsOf, withPlainDigests } from "./revision-config.ts";

// Compares both renderings of one application.

/** Compares an application, and reports what the change may do in the parts that it is rendered without. */
export function compareOne(comparing: Comparing, pair: Step, rendered: Renderings): Compared {
  const compared = compareWhole(comparing, pair, rendered);
  const { application, part = NOTHING_PLANNED } = compared;
  if (application.status === "Failed") return compared;
  const { levels = new Map() } = comparing.planOptions;
  const findings = [
    ...otherCommand(pair, levels),
    ...notFetched(pair, rendered, levels),
    ...otherValues(pair, rendered, levels),
  ];
  if (findings.length === 0) return compared;
  return {
    ...compared,
    application: { ...application, status: "Changed" },
    part: { ...part, others: [...part.others, ...findings] },
  };
}

function compareWhole(comparing: Comparing, pair: AppPair, rendered: Renderings): Compared {
  const { io, revisions, planOptions, countObjects } = comparing;
  const { application, base, head, isAffected } = pair;
  const planned = plannedOf(pair, rendered);
  const { levels = new Map() } = planOptions;
  const moved = otherRevisions(pair, levels);
  if (moved !== undefined) return unrenderedAs(planned, moved, []);
  const unchanged: Compared = {
    application: Object.assign({}, planned, { status: "Unchanged" } as const),
    notExamined: unknownValues(head, base),
  };
  const namespaces = namespacesOf(pair);
  const stamped = stampedIn(comparing, pair, rendered);
  const isSameText = hasSameText(pair, rendered);
  const isStampedAlike = stamped.base.as === stamped.head.as && ["Standing", "None"].includes(stamped.base.as);
  if (isSameText && isStampedAlike && namespaces.base === namespaces.head) return unchanged;
  if (isIncomparable(pair, rendered)) return unchanged;
  const read = (side: "base" | "head"): Tried<ReadSide> =>
    tried(() =>
      readRendering(comparing, pair, rendered[side], { side, namespace: namespaces[side], stamps: stamped[side].as }),
    );
  const both = { base: read("base"), head: read("head") };
  for (const { is } of [both.base, both.head])
    if (is !== undefined) countObjects(objectsOf(is.manifests), io.context.limits);
  const others = isAffected ? (needsValues(pair, rendered, levels) ?? lostVariables(pair, levels)) : undefined;
  if (others !== undefined) return unrenderedAs(planned, others, unchanged.notExamined);
  if (both.base.failure !== undefined || both.head.failure !== undefined)
    return { application: { ...planned, ...failed(both, revisions, isAffected) }, notExamined: [] };
  const sides = { base: both.base.is.read, head: both.head.is.read };
  const planning = tried(() => planOne(pair, rendered, { ...sides, stampedBy: stamped.head.by }, planOptions));
  if (planning.failure !== undefined)
    return { application: { ...planned, status: "Failed", ...planning.failure }, notExamined: [] };
  // Objects without a namespace of their own are others in another namespace.
  if (isSameText && isWithoutChange(planning.is)) return unchanged;
  const part = copied(namedPart(planning.is, () => application.name, application.name));
  return {
    application: Object.assign({}, planned, { status: "Changed" } as const),
    // The copy keeps no reference to the renderings.
    part: { ...part, others: [...part.others, ...refusedByProject(pair, sides, levels)] },
    // Objects that are applications have rows of their own.
    notExamined: [
      ...unknownValues(head, base),
      ...renderedElsewhere(
        both.head.is.manifests.flatMap(({ items }) => items),
        application.path,
      ).filter(isNoApplication),
    ],
    ...(clusterKey(application) === undefined
      ? {}
      : copied({ changed: changedSources(sides.base, sides.head), across: lookedAcross(sides.head) })),
  };
}

/** RS024 for objects that Argo CD does not permit in the project of the application. */
function refusedByProject(pair: AppPair, { base, head }: BothSides<Side>, levels: Levels): readonly PlanFinding[] {
  const { application, projects } = pair;
  if (projects === undefined) return [];
  const inProject = (side: "base" | "head", { analysis: { items } }: Side): RenderedInProject => ({
    items,
    projects: projects[side],
    namespace: pair[side]?.application.namespace ?? "",
  });
  const [before, after] = [inProject("base", base), inProject("head", head)];
  return notPermittedObjects(application.name, before, after).flatMap((finding) => unrendered(pair, levels, finding));
}

type BothSides<T> = Readonly<Record<"base" | "head", T>>;

/** The result for an application that is not rendered, with findings that say what is unknown. */
function unrenderedAs(
  planned: ReturnType<typeof plannedOf>,
  others: readonly PlanFinding[],
  notExamined: Compared["notExamined"],
): Compared {
  const part = { ...NOTHING_PLANNED, others };
  return { application: { ...planned, status: "Changed", unrendered: true }, part, notExamined };
}

/** What stamps each side, and how its stamps are read; as the other side if only one has the application. */
function stampedIn(
  { as }: Comparing,
  { application, base, head }: AppPair,
  rendered: Renderings,
): BothSides<{ readonly by: StampedBy; readonly as: SideStamps }> {
  const stamped = (own: AppPair["base"], side: "base" | "head") => {
    const by = own?.stampedBy(textOf(rendered[side])) ?? "Nothing";
    return { by, as: stampsOf(as, by, own?.application ?? application) };
  };
  return { base: stamped(base ?? head, "base"), head: stamped(head ?? base, "head") };
}

function textOf(rendered: Rendered): string | undefined {
  return "text" in rendered ? rendered.text : undefined;
}

function hasSameText({ base, head }: AppPair, rendered: Renderings): boolean {
  const text = textOf(rendered.base);
  return base !== undefined && head !== undefined && text !== undefined && text === textOf(rendered.head);
}

interface ReadSide {
  readonly manifests: readonly Manifests[];
  readonly read: Side;
}

function readRendering(
  { io, revisions, spec, hmacKey, configAt }: Comparing,
  pair: AppPair,
  rendered: Rendered,
  {
    side,
    namespace,
    stamps,
  }: { readonly side: "base" | "head"; readonly namespace: string | undefined; readonly stamps: SideStamps },
): ReadSide {
  const { application, [side]: own } = pair;
  const shown = shownRendering(application, own?.snapshot ?? revisions[side]);
  const placed = Object.assign({}, application, { namespace: namespace ?? "" });
  const manifests = appliedManifests(io, placed, renderedTextOf(rendered), shown);
  const config = configAt[side](own?.application ?? application, stamps);
  const key = config === undefined ? hmacKey : undefined;
  const ownSpec = config === undefined ? spec : withPlainDigests(config);
  return { manifests, read: readSide(manifests, specOf(ownSpec, namespace), key, stamps, side === "base") };
}

function planOne(
  pair: AppPair,
  rendered: Renderings,
  sides: BothSides<Side> & { readonly stampedBy: StampedBy },
  options: PlanOptions,
): PlanPart {
  const { application, base, head } = pair;
  const planned = planPart(
    [
      {
        ...sides,
        path: application.path,
        kind: application.kind,
        foundBy: application.foundBy,
        secrets: secretsOf(base, head),
        applying: head?.application.applying,
      },
    ],
    options,
  );
  const part = withKept(planned, pair, sides.base);
  const unseen = unknownUses(pair, rendered, () => unusedChanges(sides.base, sides.head), options.levels ?? new Map());
  return unseen.length === 0 ? part : { ...part, others: [...part.others, ...unseen] };
}

/** The texts that each side takes from Secrets. */
function secretsOf(...sides: readonly (AppSide | undefined)[]): readonly string[] {
  return sides.flatMap((side) => (side?.renderable.is === "steps" ? (side.renderable.secrets ?? []) : []));
}

/**
 * The namespace that each side is applied to; the other side's if only one has the application, or if nothing says where one
 * side is applied.
 */
function namespacesOf({ base, head }: AppPair): BothSides<string | undefined> {
  const [before, after] = [base, head].map((side) => side?.application.namespace);
  const isUnknown = (side: AppSide | undefined): boolean =>
    side === undefined || (side.application.namespace === undefined && !ENGINE_FOUND.has(side.application.foundBy));
  return { base: isUnknown(base) ? after : before, head: isUnknown(head) ? before : after };
}

/** A configuration for an application that is applied to a namespace. */
export function specOf(spec: ConfigHashSpec, namespace: string | undefined): ConfigHashSpec {
  return namespace === undefined ? spec : Object.assign({}, spec, { defaultNamespace: namespace });
}

function isWithoutChange({ rows, otherObjects }: PlanPart): boolean {
  return otherObjects === 0 && rows.every(({ planned: { action } }) => action === "None");
}

/** The result of work, or why it failed for the user. */
export type Tried<T> =
  | { readonly is: T; readonly failure?: undefined }
  | { readonly is?: undefined; readonly failure: Failure };

export function tried<T>(work: () => T): Tried<T> {
  return recovered(
    (): Tried<T> => ({ is: work() }),
    (error) => ({ failure: failureOf(error) }),
  );
}

/**
 * A side can't be rendered. If neither can, and the change doesn't touch the application, it doesn't break it. If only the
 * base can't, what the change rolls is unknown.
 */
function failed(
  { base, head }: BothSides<Tried<unknown>>,
  revisions: Revisions,
  isAffected: boolean,
): Pick<PlannedApplication, "status" | "message" | "missing" | "failedBefore" | "baseFailed"> {
  if (head.failure === undefined) return { ...failedIn(revisions.base, base.failure), baseFailed: true };
  const isBefore = base.failure !== undefined && !isAffected;
  return { ...failedIn(revisions.head, head.failure), ...(isBefore ? { failedBefore: true } : {}) };
}

/** How messages name the rendering of an application. */
export function shownRendering({ name }: AppPair["application"], revision: Snapshot): string {
  return `the rendering of ${name} in ${revision.name}`;
}

// Without the copy, a substring would keep the whole text in memory: megabytes for a name of ten characters.
function copied<T>(data: T): T {
  return structuredClone(data);
}
