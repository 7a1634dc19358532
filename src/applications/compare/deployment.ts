import { onceFor } from "../../base/grouped.ts";
import type { Held } from "../../reports/plan/plan-report.ts";
import { ENGINE_FOUND, type Application } from "../discover/application.ts";
import type { Repository } from "../discover/repository.ts";
import type { AppSide } from "../render/shown-data.ts";
import { readsFile } from "./showing-files.ts";

// Which changes of applications are applied when they are merged (contract, section 8, "Version 3 of a plan").

/** How the change of an application reaches its cluster. */
export interface Deployment {
  readonly held?: Held;
  /** The application that is suspended or has to be synced, if it is the one that applies this one. */
  readonly heldBy?: string;
  /** Nothing leads to it. */
  readonly orphan?: true;
  /** It is deleted, and all its objects stay in the cluster. */
  readonly stays?: true;
}

/** The applications of a revision. */
interface Found {
  readonly sides: readonly AppSide[];
  readonly repository: Repository;
}

/** The deepest chain of applications that apply each other. */
const DEEPEST = 10;

/** Finds out how the changes of applications between two revisions reach their clusters. */
export function deploymentsOf(
  base: Found,
  head: Found,
): (before: Application | undefined, after: Application | undefined) => Deployment {
  const inHead = new Map(head.sides.map(({ application }) => [application.name, application]));
  /** What happens to the object that defined an application of the base. */
  const removed = (application: Application, depth: number): Omit<Deployment, "orphan"> => {
    const parents = parentsOf(application, base);
    const outcomes = parents.map((parent): Omit<Deployment, "orphan"> => {
      const still = inHead.get(parent.name);
      if (still === undefined) return depth > DEEPEST ? {} : removed(parent, depth + 1);
      return {
        ...heldBy(still),
        ...(still.keeps?.pruned === true && !isSetIn(application, head) ? { stays: true } : {}),
      };
    });
    const holding = outcomes.find((outcome) => outcome.held !== undefined);
    const isLeft = outcomes.length > 0 && outcomes.every(({ stays }) => stays === true);
    return {
      ...(holding?.held === undefined ? {} : { held: holding.held }),
      ...(holding?.heldBy === undefined ? {} : { heldBy: holding.heldBy }),
      ...(isLeft || application.keeps?.deleted === true ? { stays: true } : {}),
    };
  };
  return (before, after) => {
    const { orphan } = after ?? before ?? {};
    if (orphan === true) return { orphan };
    if (before !== undefined && after === undefined) return removed(before, 0);
    if (after === undefined) return {};
    const [parent] = before === undefined ? parentsOf(after, head).filter(({ held }) => held !== undefined) : [];
    if (after.held === undefined && parent !== undefined) return heldBy(parent);
    return after.held === undefined ? {} : { held: after.held };
  };
}

function heldBy({ held, name }: Application): Pick<Deployment, "held" | "heldBy"> {
  return held === undefined ? {} : { held, heldBy: name };
}

/** The applications that apply the object which defines an application. */
function parentsOf({ name, shownBy, definedIn: [file], foundBy }: Application, { sides }: Found): Application[] {
  if (!ENGINE_FOUND.has(foundBy) || file === undefined) return [];
  return sides
    .filter(
      (side) =>
        side.application.name !== name &&
        ENGINE_FOUND.has(side.application.foundBy) &&
        (shownBy === undefined ? filesOf(side)(file) : side.application.name === shownBy),
    )
    .map(({ application }) => application);
}

const filesOf: (side: AppSide) => (file: string) => boolean = onceFor(readsFile);

/** Whether the ApplicationSet that generated an application remains: its controller deletes the Application. */
function isSetIn({ foundBy, definedIn: [file] }: Application, { repository: { objects } }: Found): boolean {
  return foundBy === "ApplicationSet" && objects.some((object) => object.kind === foundBy && object.file === file);
}

/** Whether Flux applies an application again: more may change than what differs. */
export function isResumed(before: Application | undefined, after: Application | undefined): boolean {
  return before?.held === "Suspended" && after !== undefined && after.held !== "Suspended";
}
