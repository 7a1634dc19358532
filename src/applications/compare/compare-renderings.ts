import type { Failure } from "../../base/alike.ts";
import { RollstampError } from "../../base/errors.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import type { Manifests } from "../../yaml/read/items.ts";
import type { NotFound } from "../discover/not-found.ts";
import type { AppPair } from "./application-pairs.ts";
import { isOfCommand } from "./base-commands.ts";
import { compareOne, shownRendering, specOf, tried, type Tried } from "./compare-one.ts";
import type { Compared, Comparing } from "./compared.ts";
import { appliedSteps, asDeployed, joinedSteps, type Step } from "./deployed-parts.ts";
import { failureOfParts, isNothing, leftOutOf } from "./left-out.ts";
import { appliedManifests, hasPlugins, objectsOf, renderEach, renderedTextOf, type Rendered } from "./rendering.ts";
import { stampsOf, withPlainDigests } from "./revision-config.ts";

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

/** What was seen of the head of an application; `missing`: why it was rendered without something, where more may be. */
export interface SeenHead<T> {
  readonly pair: AppPair;
  readonly outcome: Tried<T>;
  readonly missing: Failure | undefined;
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
    const missing = leftOutOf(result).length > 0 ? failureOfParts(leftOutOf(result)) : undefined;
    if (missing !== undefined && isNothing(result)) return { pair, missing, outcome: { failure: missing } };
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
    return { pair, missing, outcome };
  });
}
