import type { InBoth } from "../discover/same-applications.ts";
import { posix } from "node:path";
import type { Application } from "../discover/application.ts";
import { isInFolder } from "../discover/paths.ts";
import { RollstampError } from "../../base/errors.ts";
import { matchesGlob } from "../../base/glob.ts";
import { comparing, DEFAULT_LIMITS } from "../../base/limits.ts";
import { NOTHING_SHOWN, type AppSide } from "../render/shown-data.ts";
import type { Survey } from "./survey.ts";

// The applications, and parts of applications, that the user asked for.

export type Both = InBoth<AppSide>;

/** The applications that the user asked for. */
export interface Picked {
  /** Paths from the root of the repository. */
  readonly paths: readonly string[];
  /** Globs of names; all applications if there is none. */
  readonly names: readonly string[];
}

/** Throws a RollstampError if the user asked for names. Call it if no application was found. */
export function refuseUnknownNames({ names }: Pick<Picked, "names">, remedy: string): void {
  if (names.length > 0)
    throw new RollstampError("usage", `no application matches --app ${names.join(", ")}`, { remedy });
}

/** The parts of both sides that the user asked for; of an application that is not plain files, all if any side is in the paths. */
export async function partsOf(
  { before, after }: Both,
  surveys: Readonly<Record<"base" | "head", Survey>>,
  partOf: IsPicked["part"],
): Promise<Both> {
  const parts = {
    before: before && (await pickedSide(before, surveys.base, partOf)),
    after: after && (await pickedSide(after, surveys.head, partOf)),
  };
  if (parts.before === undefined && parts.after === undefined) return parts;
  const whole = (side: AppSide | undefined): AppSide | undefined =>
    side === undefined || isOfFiles(side.application) ? undefined : side;
  return { before: parts.before ?? whole(before), after: parts.after ?? whole(after) };
}

/** The part of an application that the user asked for. */
export async function pickedSide(
  side: AppSide,
  { close }: Pick<Survey, "close">,
  partOf: IsPicked["part"],
): Promise<AppSide | undefined> {
  const wanted = partOf(side.application);
  if (wanted === undefined || wanted === side.application) return wanted && side;
  const [part] = await close([wanted], NOTHING_SHOWN);
  return part;
}

/** Tests what the user asked for. */
export interface IsPicked {
  /** Whether any of the names is asked for. */
  readonly byName: (name: string, ...applications: readonly (Application | undefined)[]) => boolean;
  /** The application if it is in the paths; an application of plain files without those outside of them. */
  readonly part: (application: Application) => Application | undefined;
}

export function pickedBy({ paths, names }: Picked): IsPicked {
  const spend = comparing("names of applications with patterns");
  const isIncluded = (path: string): boolean => paths.some((folder) => isInFolder(folder, path));
  const isNamed = (name: string): boolean =>
    names.length === 0 || names.some((glob) => matchesGlob(glob, name, (steps) => spend(steps, DEFAULT_LIMITS)));
  return {
    byName: (name, ...applications) =>
      isNamed(name) || applications.some((application) => application !== undefined && isNamed(application.name)),
    part: (application) => {
      const { path, definedIn, render } = application;
      // A folder whose files are all excluded is still applied: its objects are pruned.
      if (!isOfFiles(application) || !("files" in render) || render.files.length === 0)
        return isIncluded(path) || definedIn.some(isIncluded) ? application : undefined;
      const files = render.files.filter(isIncluded);
      if (files.length === render.files.length) return files.length === 0 ? undefined : application;
      return files.length === 0 ? undefined : { ...application, render: { ...render, files } };
    },
  };
}

function isOfFiles({ render: { by } }: Application): boolean {
  return by === "files" || by === "kpt";
}

/** A path of the command line as a path from the root of the repository. Throws a RollstampError for one outside. */
export function givenPath(prefix: string, path: string): string {
  const from = posix.normalize(posix.join(prefix, path)).replace(/\/+$/u, "");
  if (posix.isAbsolute(path) || from === ".." || from.startsWith("../")) {
    throw new RollstampError("usage", `${path} is outside of the repository`, {
      remedy: "Give folders of the repository, relative to the current folder.",
    });
  }
  return from === "" ? "." : from;
}
