import { failureOf, type Failure } from "../../base/alike.ts";
import { RollstampError } from "../../base/errors.ts";
import type { Spend } from "../../base/limits.ts";
import { renderedElsewhere } from "../../findings/not-examined/elsewhere.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { Revisions, Snapshot } from "../../platform/ports/snapshot.ts";
import { changedSources, lookedAcross, unusedChanges } from "../../reports/plan/across-applications.ts";
import { namedPart, NOTHING_PLANNED, type PlanPart } from "../../reports/plan/parts.ts";
import type { ComparedAs } from "../../reports/plan/plan-report.ts";
import type { PlannedApplication } from "../../reports/plan/planned-application.ts";
import { planPart, type PlanOptions } from "../../reports/plan/plan.ts";
import { readSide, type Side } from "../../reports/plan/side.ts";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import type { Manifests } from "../../yaml/read/items.ts";
import type { NotFound } from "../discover/not-found.ts";
import type { AppSide } from "../render/shown-data.ts";
import { type AppPair } from "./application-pairs.ts";
import { isOfCommand } from "./base-commands.ts";
import { failureOfParts, isNothing, leftOutOf } from "./left-out.ts";
import {
  isIncomparable,
  needsValues,
  notFetched,
  otherRevisions,
  unknownUses,
  type Renderings,
} from "./not-fetched.ts";
import { stampsOf, withPlainDigests, type ConfigAt } from "./revision-config.ts";
import { isNoApplication, unknownValues } from "./not-rendered.ts";
import type { Compared } from "./compared.ts";
import { failedIn, plannedOf } from "./planned-of.ts";
import { appliedSteps, asDeployed, joinedSteps, withKept, type Step } from "./deployed-parts.ts";
import {
  appliedManifests,
  hasPlugins,
  objectsOf,
  renderEach,
  renderedTextOf,
  type Engine,
  type Rendered,
} from "./rendering.ts";

/** What applications of two revisions are rendered and compared with. */
export interface Comparing extends Engine {
  readonly revisions: Revisions;
  readonly spec: ConfigHashSpec;
  readonly hmacKey: Uint8Array | undefined;
  readonly as: ComparedAs;
  /** The configuration by which a function or plugin stamps the applications of each revision. */
  readonly configAt: Readonly<Record<"base" | "head", ConfigAt>>;
  readonly planOptions: PlanOptions;
  /** Counts the objects of all renderings that are compared, of both revisions. */
  readonly countObjects: Spend;
}

/** Renders applications at both revisions, and compares each as soon as both sides are rendered. */
export async function compareRenderings(comparing: Comparing, pairs: readonly AppPair[]): Promise<readonly Compared[]> {
  const steps = pairs.map(appliedSteps);
  const waiting = new Map<Step, { base?: Rendered; head?: Rendered }>();
  const compared = new Map<Step, Compared>();
  const compare = (pair: Step, side: "base" | "head", result: Rendered): void => {
    const both = waiting.get(pair) ?? missingSides(pair);
    both[side] = result;
    if (isSame(comparing.io, pair)) both.base = result;
    if (both.base === undefined || both.head === undefined) waiting.set(pair, both);
    else {
      // The texts of the renderings are not kept.
      waiting.delete(pair);
      compared.set(pair, asDeployed(pair, compareOne(comparing, pair, { base: both.base, head: both.head })));
    }
  };
  const tasks = steps.flat().flatMap((pair) =>
    SIDES.flatMap((which) => {
      const { [which]: side } = pair;
      if (side === undefined || (which === "base" && isSame(comparing.io, pair))) return [];
      return { pair, which, side, snapshot: side.snapshot };
    }),
  );
  await renderEach(comparing, tasks, "rendering", ({ pair, which }, result) => compare(pair, which, result));
  return steps.flatMap((ofPair) =>
    joinedSteps(
      ofPair.flatMap((step) => {
        const result = compared.get(step);
        return result === undefined ? [] : [{ step, compared: result }];
      }),
    ),
  );
}

const SIDES = ["base", "head"] as const;

/**
 * The rendering of a revision that doesn't have the application is empty. It fails if something is wrong there, and is
 * unknown if the repository does not show it.
 */
function missingSides({ base, head, unreadable }: AppPair): { base?: Rendered; head?: Rendered } {
  return {
    ...(base === undefined ? { base: missingRendering(unreadable, "formerDefinition") } : {}),
    ...(head === undefined ? { head: missingRendering(unreadable, "definition") } : {}),
  };
}

function missingRendering(unreadable: NotFound | undefined, is: "definition" | "formerDefinition"): Rendered {
  if (unreadable === undefined) return { text: "" };
  const { reason, path, name = path } = unreadable;
  if (unreadable.isFailure) return { error: new RollstampError("input", reason, { place: { file: path } }) };
  return { text: "", leftOut: [{ is, name, problem: reason, id: reason }], isCut: true };
}

/**
 * Whether both sides are made from the same, and so are rendered once: a chart with random values would differ from itself.
 * What a command or a plugin reads is unknown.
 */
function isSame(io: Io, pair: AppPair): boolean {
  return pair.base !== undefined && pair.base.key === pair.head?.key && !isOfCommand(pair) && !hasPlugins(io);
}

/** Compares an application, and reports what the change may do in the parts that it is rendered without. */
function compareOne(comparing: Comparing, pair: Step, rendered: Renderings): Compared {
  const compared = compareWhole(comparing, pair, rendered);
  const { application, part = NOTHING_PLANNED } = compared;
  if (application.status === "Failed") return compared;
  const findings = notFetched(pair, rendered, comparing.planOptions.levels ?? new Map());
  if (findings.length === 0) return compared;
  return {
    ...compared,
    application: { ...application, status: "Changed" },
    part: { ...part, others: [...part.others, ...findings] },
  };
}

function compareWhole(
  { io, revisions, spec, hmacKey, as, configAt, planOptions, countObjects }: Comparing,
  pair: AppPair,
  rendered: Renderings,
): Compared {
  const { application, base, head, isAffected } = pair;
  const planned = plannedOf(pair, rendered);
  const { levels = new Map() } = planOptions;
  const moved = otherRevisions(pair, levels);
  if (moved !== undefined) {
    const part = { ...NOTHING_PLANNED, others: moved };
    return { application: { ...planned, status: "Changed", unrendered: true }, part, notExamined: [] };
  }
  const text = (side: "base" | "head"): string | undefined =>
    "text" in rendered[side] ? rendered[side].text : undefined;
  const namespaces = namespacesOf({ base, head });
  const isSameText =
    base !== undefined && head !== undefined && text("base") !== undefined && text("base") === text("head");
  const unchanged: Compared = {
    application: Object.assign({}, planned, { status: "Unchanged" } as const),
    notExamined: unknownValues(head, base),
  };
  const stampedBy = {
    base: (base ?? head)?.stampedBy(text("base")) ?? "Nothing",
    head: (head ?? base)?.stampedBy(text("head")) ?? "Nothing",
  };
  const stamps = {
    base: stampsOf(as, stampedBy.base, (base ?? head)?.application ?? application),
    head: stampsOf(as, stampedBy.head, (head ?? base)?.application ?? application),
  };
  const isStampedAlike = stamps.base === stamps.head && (stamps.base === "Standing" || stamps.base === "None");
  if (isSameText && isStampedAlike && namespaces.base === namespaces.head) return unchanged;
  if (isIncomparable(pair, rendered)) return unchanged;
  const read = (side: "base" | "head"): Tried<{ readonly manifests: readonly Manifests[]; readonly read: Side }> =>
    tried(() => {
      const { [side]: namespace = "" } = namespaces;
      const shown = shownRendering(application, (side === "base" ? base : head)?.snapshot ?? revisions[side]);
      const placed = Object.assign({}, application, { namespace });
      const manifests = appliedManifests(io, placed, renderedTextOf(rendered[side]), shown);
      const config = configAt[side]((side === "base" ? base : head)?.application ?? application, stamps[side]);
      const key = config === undefined ? hmacKey : undefined;
      const ownSpec = config === undefined ? spec : withPlainDigests(config);
      return { manifests, read: readSide(manifests, specOf(ownSpec, namespaces[side]), key, stamps[side]) };
    });
  const both = { base: read("base"), head: read("head") };
  for (const side of SIDES)
    if (both[side].failure === undefined) countObjects(objectsOf(both[side].is.manifests), io.context.limits);
  const others = isAffected ? needsValues(pair, rendered, levels) : undefined;
  if (others !== undefined)
    return {
      ...unchanged,
      application: { ...planned, status: "Changed", unrendered: true },
      part: { ...NOTHING_PLANNED, others },
    };
  if (both.base.failure !== undefined || both.head.failure !== undefined)
    return { application: { ...planned, ...failed(both, revisions, isAffected) }, notExamined: [] };
  const sides = { base: both.base.is.read, head: both.head.is.read };
  const planning = tried(() => {
    const { path } = application;
    const part = withKept(
      planPart(
        [
          {
            ...sides,
            stampedBy: stampedBy.head,
            path,
            kind: application.kind,
            secrets: secretsOf(base, head),
            isForced: head?.application.isForced,
            fieldValidation: head?.application.fieldValidation,
          },
        ],
        planOptions,
      ),
      pair,
      sides.base,
    );
    const unseen = unknownUses(pair, rendered, () => unusedChanges(sides.base, sides.head), levels);
    return unseen.length === 0 ? part : { ...part, others: [...part.others, ...unseen] };
  });
  if (planning.failure !== undefined)
    return { application: { ...planned, status: "Failed", ...planning.failure }, notExamined: [] };
  // Objects without a namespace of their own are others in another namespace.
  if (isSameText && isWithoutChange(planning.is)) return unchanged;
  return {
    application: Object.assign({}, planned, { status: "Changed" } as const),
    // The copy lets go of the renderings.
    part: copied(namedPart(planning.is, () => application.name, application.name)),
    // Objects that are applications have rows of their own.
    notExamined: [
      ...unknownValues(head, base),
      ...renderedElsewhere(
        both.head.is.manifests.flatMap(({ items }) => items),
        application.path,
      ).filter(isNoApplication),
    ],
    ...(application.cluster === undefined
      ? {}
      : copied({ changed: changedSources(sides.base, sides.head), across: lookedAcross(sides.head) })),
  };
}

/** The texts that each side takes from Secrets. */
function secretsOf(...sides: readonly (AppSide | undefined)[]): readonly string[] {
  return sides.flatMap((side) => (side?.renderable.is === "steps" ? (side.renderable.secrets ?? []) : []));
}

/** The namespace that each side is applied to; the other side's if only one has the application. */
function namespacesOf({
  base,
  head,
}: Pick<AppPair, "base" | "head">): Readonly<Record<"base" | "head", string | undefined>> {
  const [before, after] = [base?.application.namespace, head?.application.namespace];
  return { base: base === undefined ? after : before, head: head === undefined ? before : after };
}

function specOf(spec: ConfigHashSpec, namespace: string | undefined): ConfigHashSpec {
  return namespace === undefined ? spec : Object.assign({}, spec, { defaultNamespace: namespace });
}

function isWithoutChange({ rows, otherObjects }: PlanPart): boolean {
  return otherObjects === 0 && rows.every(({ planned: { action } }) => action === "None");
}

type Tried<T> = { readonly is: T; readonly failure?: undefined } | { readonly failure: Failure };

function tried<T>(work: () => T): Tried<T> {
  try {
    return { is: work() };
  } catch (cause) {
    if (cause instanceof RollstampError) return { failure: failureOf(cause) };
    throw cause;
  }
}

/**
 * A side can't be rendered. If neither can, and the change doesn't touch the application, it doesn't break it. If only the
 * base can't, what the change rolls is unknown.
 */
function failed(
  { base, head }: Readonly<Record<"base" | "head", Tried<unknown>>>,
  revisions: Revisions,
  isAffected: boolean,
): Pick<PlannedApplication, "status" | "message" | "missing" | "failedBefore" | "baseFailed"> {
  if (head.failure === undefined) return { ...failedIn(revisions.base, base.failure), baseFailed: true };
  const isBefore = base.failure !== undefined && !isAffected;
  return { ...failedIn(revisions.head, head.failure), ...(isBefore ? { failedBefore: true } : {}) };
}

function shownRendering({ name }: AppPair["application"], revision: Snapshot): string {
  return `the rendering of ${name} in ${revision.name}`;
}

/** What was seen of the head of an application; `isPartial`: it was rendered without something, where more may be. */
export interface SeenHead<T> {
  readonly pair: AppPair;
  readonly outcome: Tried<T>;
  readonly isPartial: boolean;
}

/** Renders the head of applications, and gives each to `work`, unless it can't be rendered. */
export function lookAtHeads<T>(
  comparing: Comparing,
  pairs: readonly AppPair[],
  what: string,
  work: (manifests: readonly Manifests[], spec: ConfigHashSpec) => T,
): Promise<readonly SeenHead<T>[]> {
  const { io, revisions, spec, as, configAt, countObjects } = comparing;
  const snapshot = revisions.head;
  const tasks = pairs.flatMap((pair) => (pair.head === undefined ? [] : [{ pair, side: pair.head, snapshot }]));
  return renderEach(comparing, tasks, what, ({ pair, side }, result) => {
    const isPartial = leftOutOf(result).length > 0;
    if (isNothing(result)) return { pair, isPartial, outcome: { failure: failureOfParts(leftOutOf(result)) } };
    let objects = 0;
    const outcome = tried(() => {
      const { application } = pair;
      const shown = shownRendering(application, snapshot);
      const text = renderedTextOf(result);
      const manifests = appliedManifests(io, application, text, shown);
      objects = objectsOf(manifests);
      const config = configAt.head(side.application, stampsOf(as, side.stampedBy(text), side.application));
      return work(manifests, specOf(config === undefined ? spec : withPlainDigests(config), application.namespace));
    });
    countObjects(objects, io.context.limits);
    return { pair, isPartial, outcome };
  });
}

// Without the copy, a substring would keep the whole text in memory: megabytes for a name of ten characters.
function copied<T>(data: T): T {
  return structuredClone(data);
}
