import type { Limits } from "../ground/limits.ts";
import type { ManifestFile } from "../manifest/manifest-text.ts";

/** The folder of an application in what was sent of its repository. Both are real paths. */
export interface ApplicationFolder {
  readonly folder: string;
  readonly root: string;
  /** What no file of it may go beyond. */
  readonly limits: Limits;
}

/** The files of an application. What throws, throws RollstampErrors. */
export interface Applications {
  /** The names in a folder, sorted. */
  readonly namesIn: (folder: string) => readonly string[];
  /** The manifests of a plain folder, as Argo CD finds them; `except` are real paths that are no manifests. */
  readonly plainManifests: (
    application: ApplicationFolder,
    options: { readonly recurse: boolean; readonly except: ReadonlySet<string> },
  ) => readonly ManifestFile[];
  /** Throws for a link in the folder that leads out of the repository, and for what is no file. */
  readonly refuseLinksOut: (application: ApplicationFolder) => void;
  /** The file that a parameter names; undefined where there is none. Throws for one outside. */
  readonly repositoryFile: (application: ApplicationFolder, path: string, parameter: string) => string | undefined;
  /** The text of a file in the application's folder. */
  readonly applicationText: (application: ApplicationFolder, name: string) => string;
  /** The nearest file of a name in the application's folder or above it, in what was sent. */
  readonly nearestFile: (application: ApplicationFolder, name: string) => string | undefined;
}
