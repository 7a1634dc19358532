import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { RollstampError } from "../../base/errors.ts";
import type { Io } from "../../platform/ports/io.ts";
import { checkAlone } from "../../stamping/pipeline.ts";
import { STDIN } from "../inputs/manifest-files.ts";
import {
  joinSides,
  type PlanInputOptions,
  type PlanSide,
  type PlanSides,
  readSide,
  refuseEmpty,
  type SideReader,
  streamSide,
} from "./plan-sides.ts";

/** Reads both sides of a plan. Undefined if one can't be read; the errors have been printed. */
export async function readPlanInputs(
  io: Io,
  paths: readonly string[],
  options: PlanInputOptions,
  { spec, configFile }: { readonly spec: ConfigHashSpec; readonly configFile: string | undefined },
): Promise<PlanSides | undefined> {
  const reader: SideReader = { io, options, configFile, check: checkAlone(spec) };
  if (options.git !== undefined) {
    if (options.render === undefined && paths.length === 0) {
      throw new RollstampError("usage", "--git needs to know where the manifests are", { remedy: WHERE });
    }
    return (await import("./checkout-sides.ts")).readRevisions(reader, paths, options.git);
  }
  if (options.chart !== undefined) return (await import("./plan-charts.ts")).readCharts(reader, options.chart);
  if (options.live === true) return readHead(reader, paths[0] ?? "");
  const [basePath = "", headPath = ""] = paths;
  const base = await readSide(reader, [basePath], below(basePath));
  const head = await readSide(reader, [headPath], below(headPath));
  if (base === undefined || head === undefined) return undefined;
  refuseEmpty(options, { side: base, name: nameOfPath(basePath) }, { side: head, name: nameOfPath(headPath) });
  return joinSides(base, head, io.files.areSame);
}

function nameOfPath(path: string): string {
  return path === STDIN ? "standard input" : path;
}

/** Names paths relative to the folder that is compared. */
function below(folder: string): Pick<PlanSide, "inSide" | "shown"> {
  const prefix = folder.endsWith("/") ? folder : `${folder}/`;
  return {
    inSide: (path) => (path === folder ? "." : path.startsWith(prefix) ? path.slice(prefix.length) : path),
    shown: (path) => path,
  };
}

/** Reads the manifests that are compared with the cluster. */
async function readHead(reader: SideReader, path: string): Promise<PlanSides | undefined> {
  const head = await readSide(reader, [path], below(path));
  if (head === undefined) return undefined;
  refuseEmpty(reader.options, { side: head, name: nameOfPath(path) });
  return joinSides(streamSide(undefined), head);
}

/** Throws a RollstampError for options that contradict each other or the paths. */
export function refuseContradictions(
  paths: readonly string[],
  { git, render: command, live, chart }: PlanInputOptions,
): void {
  const wrong = (message: string, remedy: string): RollstampError => new RollstampError("usage", message, { remedy });
  if (chart !== undefined) {
    const remedy = "Give --chart twice, for the old and the new chart. Each is a folder or a packed chart.";
    const other = [git !== undefined && "--git", command !== undefined && "--render", live === true && "--live"];
    const beside = other.find((option) => option !== false) ?? (paths.length > 0 ? "paths" : undefined);
    if (beside !== undefined) throw wrong(`--chart can't go together with ${beside}`, remedy);
    if (chart.length !== 2)
      throw wrong(
        `plan compares two charts, and ${chart.length === 1 ? "one is" : `${chart.length} are`} given`,
        remedy,
      );
    return;
  }
  if (live === true) {
    const remedy = "Give the file or folder that would be applied, or - for standard input.";
    if (git !== undefined || command !== undefined)
      throw wrong("--live can't go together with --git or --render", remedy);
    if (paths.length !== 1)
      throw wrong(`plan --live compares one rendering with the cluster, and ${paths.length} are given`, remedy);
    return;
  }
  if (git === undefined) {
    const remedy = "Give two files or folders, - for standard input, or revisions, such as --git main...HEAD.";
    if (command !== undefined) throw wrong("--render needs --git: it runs in a checkout of each revision", remedy);
    if (paths.length !== 2)
      throw wrong(
        `plan compares two renderings, and ${paths.length === 0 ? "none is" : paths.length === 1 ? "one is" : `${paths.length} are`} given`,
        remedy,
      );
    if (paths.every((path) => path === STDIN))
      throw wrong("only one of the two renderings can be standard input", remedy);
    return;
  }
  const remedy = WHERE;
  if (command !== undefined && paths.length > 0) throw wrong("--render can't go together with paths", remedy);
  if (paths.includes(STDIN)) throw wrong("standard input has no revisions", remedy);
}

const WHERE =
  "Give the command that renders them (--render 'kustomize build overlays/prod'), or the files and folders that hold them.";
