import type { Item } from "../../yaml/read/items.ts";
import type { Levels } from "../lint/lint.ts";
import type { Loss } from "./lost-sources.ts";
import type { ReasonReporting } from "./pair.ts";
import type { Reason } from "./plan-reasons.ts";
import type { Action, Because, Next, PlanFinding, PlannedWorkload } from "./planned-workload.ts";
import type { Applying, FoundBy, PlannedApplication, StampedBy } from "./planned-application.ts";
import type { RefusedSources } from "./refused-sources.ts";
import type { Places, Side, SideWorkload, WorkloadPair } from "./side.ts";

/** The two renderings that are compared, or those of one part. */
export interface PlanPair {
  /** The folder or file of the part; undefined for the rest. */
  readonly part?: string;
  readonly base: Side;
  readonly head: Side;
  /** What writes the stamps of the head, or where they are. */
  readonly stampedBy?: StampedBy;
  /** The folder of the application, if it is known. */
  readonly path?: string;
  /** What renders the application; undefined for files and folders. */
  readonly kind?: PlannedApplication["kind"];
  /** What applies it, if that is known. */
  readonly foundBy?: FoundBy;
  /** Texts from Secrets that are not among the objects. */
  readonly secrets?: readonly string[];
  /** How the head is applied; by default as kubectl does. */
  readonly applying?: Applying | undefined;
  /** Where objects are, if several files have them. */
  readonly places?: Places;
  /** The head after its apply, which keeps the fields that others set; by default the head itself. */
  readonly applied?: Side;
}

/** The context in which the workloads of a pair are planned. */
export interface PlanContext extends PlanPair {
  readonly stampedBy: StampedBy;
  readonly applying: Applying;
  readonly applied: Side;
  /** Whether a workload of the head waits for its stamps. If so, the stamps in Git are the ones that count. */
  readonly isWave: boolean;
  readonly refused: RefusedSources;
  readonly reporting: ReasonReporting;
  readonly levels: Levels;
  /** Whether workloads have the content that they see changed, for an audit. */
  readonly isAudit: boolean;
  /** The sources that workloads of the head lost. */
  readonly lost: ReadonlyMap<Item, Loss>;
}

/** A planned workload, and the data for its findings. */
export interface Entry {
  readonly planned: PlannedWorkload;
  readonly from: SideWorkload | undefined;
  readonly to: SideWorkload | undefined;
  readonly refusedItems: readonly Item[];
  /** Notes about changed content that does not count for its stamps. */
  readonly notes: readonly PlanFinding[];
  /** Whether it waits for the same stamps in the base. */
  readonly waitsAsBefore?: boolean;
}

/** What happens to a workload, and why. */
export interface Change {
  readonly action: Action;
  readonly because: Because | undefined;
  readonly next?: Next | undefined;
  readonly reasons: readonly Reason[];
  readonly refusedItems: readonly Item[];
  /** It is deleted and created again. */
  readonly isRecreated?: true;
}

/** A workload of both sides; that of the head after its apply. */
export function pairOf({ base, applied }: PlanContext, from: SideWorkload, to: SideWorkload): WorkloadPair {
  return { base, head: applied, from, to };
}

/** A reason from the tables of src/kubernetes/rollout. */
export function rolloutReason(text: string | undefined): Because | undefined {
  return text === undefined ? undefined : { id: "rollout", text };
}
