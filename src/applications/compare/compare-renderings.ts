import { RollstampError } from "../../base/errors.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { NotFound } from "../discover/not-found.ts";
import type { AppPair } from "./pairs.ts";
import { hasCommand } from "./base-commands.ts";
import { compareOne } from "./compare-one.ts";
import type { Compared, Comparing } from "./compared.ts";
import { appliedSteps, asDeployed, joinedSteps, type Step } from "./deployed-parts.ts";
import { hasPlugins, renderEach, type Rendered } from "./rendering.ts";

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
  return pair.base !== undefined && pair.base.key === pair.head?.key && !hasCommand(pair) && !hasPlugins(io);
}
