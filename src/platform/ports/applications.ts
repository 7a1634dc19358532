import type { Limits } from "../../base/limits.ts";
import type { OutsidePart } from "../../base/outside.ts";
import type { ManifestFile } from "../../yaml/read/manifest-text.ts";
import type { Json } from "../../yaml/read/node.ts";
import type { Environment } from "./environment.ts";

/** The folder of an application, and the root of its repository. Both are real paths. */
export interface ApplicationFolder {
  readonly folder: string;
  readonly root: string;
  readonly limits: Limits;
}

/** A temporary folder in which kustomizations of one tree are staged together, so that shared files are staged once. */
export interface SharedStage {
  readonly folder: string;
  /** The real path of the tree, which does not change meanwhile. */
  readonly root: string;
  readonly limits: Limits;
}

/** The value of a parameter of Argo CD's plugin, in one of its three forms. */
export interface GivenValue {
  readonly string?: string;
  readonly array?: readonly string[];
  readonly map?: Readonly<Record<string, string>>;
}

/** Parameters by their names. */
export type GivenParameters = ReadonlyMap<string, GivenValue>;

export interface ApplicationToRender {
  readonly application: ApplicationFolder;
  readonly given: GivenParameters;
  /** The renderer gets only the variables that it needs. */
  readonly environment: Environment;
  /** Texts of additional values files, which come after those of the application. */
  readonly valuesTexts?: readonly string[];
  /** Changes a kustomization before it is built. */
  readonly edit?: KustomizationEdit;
  /** The rendering is not applied, so rollstamp functions in it need no key: it is stamped again. */
  readonly isOnlyCompared?: boolean;
  /** Skip schemas of values that refer to other files, which would be an error. */
  readonly withOwnSchemasOnly?: boolean;
  /** Replaces the values.yaml of the chart. */
  readonly ownValues?: string | undefined;
  /** Fetches missing charts; undefined if fetching is not allowed. */
  readonly fetchChart?: FetchChart | undefined;
  /** What is outside of the repository and is not fetched is left out. Without this, it is an error. */
  readonly leavesOut?: true;
  /** Paths that are not part of the source artifact; links are not followed then. */
  readonly isLeftOut?: IsLeftOut;
  /** Generates a kustomization for a folder without one, from its manifests and the kustomizations below. */
  readonly generate?: (resources: readonly string[]) => Json;
  /** Stages the kustomization together with others of its tree, if possible. */
  readonly together?: SharedStage | undefined;
}

/** A chart of a repository of charts, or of a registry (`oci://`). */
export interface ChartAddress {
  readonly repository: string;
  readonly name: string;
  /** A version or a range of versions; in a registry also a tag or a digest. */
  readonly version: string;
}

/** Fetches a packed chart. Throws a RollstampError with the message of helm. */
export type FetchChart = (chart: ChartAddress) => Promise<Buffer>;

/** Whether a path from the root of the repository is excluded. */
export type IsLeftOut = (path: string, isFolder: boolean) => boolean;

/** Changes a kustomization before it is built. */
export type KustomizationEdit = (kustomization: Json, exists: (path: string) => boolean) => Json;

export interface RenderedApplication {
  readonly text: string;
  /** The command in messages: `helm template`. */
  readonly by: string;
  /** What it was rendered without. */
  readonly leftOut?: readonly LeftOut[];
  /** The rest can't be rendered without these parts: the text is empty. */
  readonly isCut?: true;
}

/** A part that an application was rendered without. */
export interface LeftOut extends OutsidePart {
  /** Equal in two renderings if the part, and everything that changes its objects, is equal. */
  readonly id: string;
  /** The same without the variables, labels and annotations that Flux gives to all objects. */
  readonly ownId?: string;
}

/** Reads and renders applications. Throws RollstampErrors. */
export interface Applications {
  /** The names in a folder, sorted. */
  readonly namesIn: (folder: string) => readonly string[];
  /** The manifests of a plain folder, like Argo CD finds them; `except` are real paths that are not manifests. */
  readonly plainManifests: (
    application: ApplicationFolder,
    options: { readonly recurse: boolean; readonly except: ReadonlySet<string> },
  ) => readonly ManifestFile[];
  /** The file that a parameter names; undefined if it does not exist. Throws for a file outside. */
  readonly repositoryFile: (application: ApplicationFolder, path: string, parameter: string) => string | undefined;
  /** The text of a file in the folder of the application. */
  readonly applicationText: (application: ApplicationFolder, name: string) => string;
  /** The nearest file of a name in the folder of the application or above it. */
  readonly nearestFile: (application: ApplicationFolder, name: string) => string | undefined;
  /** Runs `helm template` over a copy of the chart, with arguments for --set-json. */
  readonly renderChart: (chart: ApplicationToRender, setJson: readonly string[]) => Promise<RenderedApplication>;
  /** Opens the chart at a path that the user named, while `work` runs. */
  readonly withChart: <T>(path: string, limits: Limits, work: (chart: ApplicationFolder) => Promise<T>) => Promise<T>;
  /** Opens a packed chart, while `work` runs; `shown` is its name in messages. */
  readonly withArchive: <T>(
    archive: Buffer,
    shown: string,
    limits: Limits,
    work: (chart: ApplicationFolder) => Promise<T>,
  ) => Promise<T>;
  /** Runs `helm pull` without the configuration of the user. */
  readonly pullChart: (
    chart: ChartAddress,
    options: { readonly environment: Environment; readonly limits: Limits },
  ) => Promise<Buffer>;
  /** Runs `kustomize build` with the given files over the rendering of an application. */
  readonly postRender: (
    application: ApplicationToRender,
    rendered: string,
    files: ReadonlyMap<string, string>,
  ) => Promise<string>;
  /** The text of a file by its path from the root; undefined if it does not exist. */
  readonly fileText: (application: ApplicationFolder, path: string) => string | undefined;
  /** Runs `kustomize build` over a copy of the kustomization and the files that it names. */
  readonly renderKustomization: (kustomization: ApplicationToRender) => Promise<RenderedApplication>;
}
