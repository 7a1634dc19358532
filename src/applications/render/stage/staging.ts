import { isAbsolute, join } from "node:path";
import { RollstampError } from "../../../base/errors.ts";
import type { OutsidePart } from "../../../base/outside.ts";
import type {
  ApplicationFolder,
  ApplicationToRender,
  ChartAddress,
  KustomizationEdit,
} from "../../../platform/ports/applications.ts";
import type { FoundPath, Stage, StageSource } from "../../../platform/ports/stage.ts";
import type { Json } from "../../../yaml/read/node.ts";
import type { InflatedChart } from "../../kustomize/inflated-charts.ts";
import type { About } from "./missing-objects.ts";
import type { Schemas } from "./stage-chart.ts";
import { shortened } from "../../../base/words.ts";

// What the parts of a stage know of each other.

export interface KustomizationToStage {
  readonly application: ApplicationFolder;
  readonly stage: Stage;
  /** Whether the sidecar's owner lets kustomize fetch. */
  readonly allowRemote: boolean;
  /** Whether a kustomization may name files above its folder. */
  readonly unrestricted: boolean;
  readonly withCharts: boolean;
  /** The plugins that kustomize starts: only its own, also those of rollstamp, or those of the sidecar's owner. */
  readonly plugins: "none" | "rollstamps" | "owners";
  /** Changes the configuration of one of rollstamp's functions. */
  readonly ownConfig: (config: Json) => Json;
  /** Changes the kustomization that is built, not those that it names. */
  readonly edit: KustomizationEdit | undefined;
  /** Creates a kustomization for a folder that has none. */
  readonly generate: ApplicationToRender["generate"];
  /** Files that count as missing. */
  readonly isLeftOut: ApplicationToRender["isLeftOut"];
  /** Whether remote bases, remote files, missing charts and foreign generators are left out, instead of an error. */
  readonly leavesOut: boolean;
  /** By `chartKey`. */
  readonly fetched: ReadonlyMap<string, FetchedChart>;
  /** Which schemas of values the charts get. */
  readonly schemas: Schemas;
  /** Whether patches for objects that are not there have no effect, instead of an error. */
  readonly skipsPatches: boolean;
  /** Whether kustomize reads its own schema in any case. */
  readonly keepsSchema: boolean;
}

/** A packed chart, or why it can't be fetched. */
export type FetchedChart = Buffer | { readonly problem: string };

/** The staging of one application, as far as one folder needs it. */
export interface Staging {
  readonly given: KustomizationToStage;
  readonly ownPlugins: Set<string>;
  /** The stage is shared: it may contain only what is the same for all of its kustomizations. */
  readonly isTogether: boolean;
  readonly shown: (path: string) => string;
  readonly find: (path: string) => FoundPath | undefined;
  /** Copies a file, and notes which objects of other files it may change. */
  readonly copy: (real: string, to: string, shown: string, about: About | undefined) => void;
  readonly put: (to: string, text: string) => void;
  readonly documents: (text: string, shown: string) => readonly Json[];
  readonly visit: (folder: string, namespace: string) => boolean;
  readonly inflate: (chart: InflatedChart, folder: string, result: string) => void;
  /** Notes a chart that can be fetched, and is not there yet. */
  readonly want: (chart: ChartAddress) => void;
  /** Notes a part that is left out, with what it would be made from. */
  readonly leaveOut: (part: OutsidePart, from: Json, makes?: "secrets") => void;
  /** Notes what may change the objects of such parts. */
  readonly note: (text: string | Buffer, about: About) => void;
}

/** A kustomization needs a stage of its own. */
export class StageAlone extends Error {}

export function stageAlone(): never {
  throw new StageAlone();
}

/** A path relative to a folder, as an absolute path. Throws a RollstampError for an invalid one. */
export function pathIn(folder: string, path: string): string {
  // Go accepts a NUL, Node throws for it.
  if (isAbsolute(path) || path.includes("\0")) throw outsideOf(path);
  return join(folder, path);
}

/** A name that is unused in a folder. */
export function freeName(folder: string, name: string, { entries }: Pick<StageSource, "entries">): string {
  const taken = new Set(entries(folder).map((entry) => entry.name));
  let free = name;
  for (let tries = 1; taken.has(free); tries += 1) free = `${name}-${tries}`;
  return free;
}

/** The error for a path outside the repository. */
export function outsideOf(path: string): RollstampError {
  const shown = shortened(path, 60);
  return new RollstampError(
    "input",
    `the kustomization names '${shown.replaceAll("\0", "?")}', which is outside the repository`,
    { remedy: "It takes files and folders of the application's repository." },
  );
}
