import type { Failure } from "../../base/alike.ts";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import type { Manifests } from "../../yaml/read/items.ts";
import type { AppPair } from "./pairs.ts";
import { shownRendering, specOf, tried, type Tried } from "./compare-one.ts";
import type { Comparing } from "./compared.ts";
import { failureOfParts, isNothing, leftOutOf } from "./left-out.ts";
import { appliedManifests, objectsOf, renderEach, renderedTextOf } from "./rendering.ts";
import { stampsOf, withPlainDigests } from "./revision-config.ts";

/** What was seen of the head of an application; `missing`: why it was rendered without something, where more may be. */
export interface SeenHead<T> {
  readonly pair: AppPair;
  readonly outcome: Tried<T>;
  readonly missing: Failure | undefined;
}

/** Renders the head of applications, and gives each to `work`, unless it can't be rendered. */
export function renderHeads<T>(
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
