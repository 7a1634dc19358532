import { notExaminedCounts, notExaminedGroups } from "../../findings/not-examined/account-words.ts";
import { RollstampError } from "../../base/errors.ts";
import type { Io } from "../../platform/ports/io.ts";
import { holdsNothing, readManifests, type Manifests } from "../../yaml/read/items.ts";
import { readTree } from "../../yaml/read/tree.ts";
import type { ChartUpgrade } from "../../reports/plan/plan-report.ts";
import { streamSide, type PlanSide, type PlanSides } from "./plan-sides.ts";
import { readInputs } from "../inputs/read-inputs.ts";
import type { NameOf } from "../inputs/tell-errors.ts";

/** The two renderings that a plan compares. */
export interface PlanInputs extends PlanSides {
  /** Names of files in temporary folders as people know them: `main:deploy/web.yaml`. */
  readonly nameOf: NameOf;
  /** Which charts were rendered, where they were. */
  readonly upgrade?: ChartUpgrade;
}

export interface PlanInputOptions {
  readonly git?: string;
  /** Two charts, which are rendered. */
  readonly chart?: readonly string[];
  readonly values?: readonly string[];
  readonly release?: string;
  readonly kubeVersion?: string;
  readonly skipSchemaValidation?: boolean;
  readonly namespace?: string;
  readonly render?: string;
  readonly allowEmpty?: boolean;
  readonly kustomizeInput?: boolean;
  /** BASE is the cluster. */
  readonly live?: boolean;
}

/** What the sides of one plan are read with. */
export interface SideReader {
  readonly io: Io;
  readonly options: PlanInputOptions;
  /** The real path of the configuration, which is no manifest. */
  readonly configFile: string | undefined;
  readonly nameOf: NameOf;
  /** Throws a RollstampError for manifests that can't be used by themselves. */
  readonly check: (manifests: Manifests) => void;
}

/** Reads the manifests of one side; undefined where some can't be read, which is told. */
export async function readSide(
  { io, options, configFile, nameOf, check }: SideReader,
  paths: readonly string[],
  names: Pick<PlanSide, "inSide" | "shown">,
): Promise<PlanSide | undefined> {
  const [only = ""] = paths;
  const isOneFile = paths.length === 1 && io.files.kindOf(only) !== "folder";
  const read = await readInputs(io, paths, {
    configFile,
    kustomizeInput: options.kustomizeInput === true,
    check,
    onErrors: "stop",
    stdin: true,
    // Whether that may be is told with the name of the side.
    empty: isOneFile && options.allowEmpty === true ? "named" : "found",
    nameOf,
  });
  return read === undefined ? undefined : { read, ...names };
}

/** The side that a program printed. */
export function renderedSide(text: string, file: string, { context }: Io, { allowEmpty }: PlanInputOptions): PlanSide {
  const tree = readTree(text, file, context.limits);
  return streamSide(allowEmpty === true && holdsNothing(tree) ? undefined : readManifests(tree));
}

/** A side and what people call it. */
export interface NamedSide {
  readonly side: PlanSide;
  readonly name: string;
}

/**
 * Throws a RollstampError for a side without manifests: everything would count as created or deleted. Where none has any
 * and there is what was not looked at, the plan itself says so.
 */
export function refuseEmpty({ allowEmpty }: PlanInputOptions, ...sides: readonly NamedSide[]): void {
  const empty = sides.find(({ side }) => side.read.objects === 0);
  if (allowEmpty === true || empty === undefined) return;
  if (sides.every(({ side }) => side.read.objects === 0 && side.read.notExamined.length > 0)) return;
  const { name, side } = empty;
  const { notExamined } = side.read;
  const [first] = notExaminedGroups(side.read, { command: "plan", verbose: false });
  const left = notExamined.length === 0 ? "" : `; not looked at: ${notExaminedCounts(side.read)}`;
  throw new RollstampError("input", `there are no Kubernetes manifests in ${name}${left}`, {
    remedy: first === undefined ? IF_MEANT : `What would look: ${first.look}. ${IF_MEANT}`,
  });
}

/** The remedy for what lacks on one side. */
export const IF_MEANT = "Everything would count as created or deleted. If that is meant, give --allow-empty.";
