import type { Limits } from "../../base/limits.ts";
import type { ManifestFile } from "../../yaml/read/manifest-text.ts";
import type { Json } from "../../yaml/read/node.ts";
import type { Environment } from "./environment.ts";

/** The folder of an application in what was sent of its repository. Both are real paths. */
export interface ApplicationFolder {
  readonly folder: string;
  readonly root: string;
  /** What no file of it may go beyond. */
  readonly limits: Limits;
}

/** A folder of our own in which kustomizations of one tree are staged, so that what several name is staged once. */
export interface SharedStage {
  readonly folder: string;
  /** The real path of the tree, which nobody changes meanwhile. */
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

/** An application with what it is rendered by. */
export interface ApplicationToRender {
  readonly application: ApplicationFolder;
  readonly given: GivenParameters;
  /** Of which the renderer's program gets no more than it needs. */
  readonly environment: Environment;
  /** The texts of values files that are no files of the application; they come after its own. */
  readonly valuesTexts?: readonly string[];
  /** Of a kustomization: what is built in the place of what its file says. */
  readonly edit?: KustomizationEdit;
  /** Nobody applies the rendering: functions of ours in it need no key, as it is stamped again. */
  readonly isOnlyCompared?: boolean;
  /** Schemas of values that lead out of themselves are left out: they would be an error else. */
  readonly withOwnSchemasOnly?: boolean;
  /** What stands in the place of the chart's own values.yaml. */
  readonly ownValues?: string | undefined;
  /** Gets a chart that this one depends on and has not; without it nothing is fetched. */
  readonly fetchChart?: FetchChart | undefined;
  /** Where nothing is fetched: what lets that be done, for a remedy. */
  readonly toFetch?: string | undefined;
  /** What of the repository nobody has who builds this; links neither, where it is given. */
  readonly isLeftOut?: IsLeftOut;
  /** Of a folder without a kustomization: what is built in its place, from its manifests and kustomizations. */
  readonly generate?: (resources: readonly string[]) => Json;
  /** Where a kustomization is staged with others of its tree; one that has to be staged by itself is. */
  readonly together?: SharedStage | undefined;
}

/** A chart of a repository of charts, or of a registry (`oci://`). */
export interface ChartAddress {
  readonly repository: string;
  readonly name: string;
  /** A version, a range of them; of a registry also a tag or a digest. */
  readonly version: string;
}

/** Gets a chart, packed. Throws a RollstampError with the words of helm. */
export type FetchChart = (chart: ChartAddress) => Promise<Buffer>;

/** Tells of a path from the root of a repository that it is left out. */
export type IsLeftOut = (path: string, isFolder: boolean) => boolean;

/** What a kustomization becomes before it is built. */
export type KustomizationEdit = (kustomization: Json, exists: (path: string) => boolean) => Json;

/** What a renderer printed. */
export interface RenderedApplication {
  readonly text: string;
  /** Its name for messages: `helm template`. */
  readonly by: string;
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
  /** The file that a parameter names; undefined where there is none. Throws for one outside. */
  readonly repositoryFile: (application: ApplicationFolder, path: string, parameter: string) => string | undefined;
  /** The text of a file in the application's folder. */
  readonly applicationText: (application: ApplicationFolder, name: string) => string;
  /** The nearest file of a name in the application's folder or above it, in what was sent. */
  readonly nearestFile: (application: ApplicationFolder, name: string) => string | undefined;
  /** Runs `helm template` over a copy of the chart, with arguments for --set-json. */
  readonly renderChart: (chart: ApplicationToRender, setJson: readonly string[]) => Promise<RenderedApplication>;
  /** A chart that a person names, a folder or a packed one, as the folder of an application for as long as `work` takes. */
  readonly withChart: <T>(path: string, limits: Limits, work: (chart: ApplicationFolder) => Promise<T>) => Promise<T>;
  /** The same with a packed chart; `shown` is its name for messages. */
  readonly withArchive: <T>(
    archive: Buffer,
    shown: string,
    limits: Limits,
    work: (chart: ApplicationFolder) => Promise<T>,
  ) => Promise<T>;
  /** `helm pull`, without anything that a person has configured for helm. */
  readonly pullChart: (
    chart: ChartAddress,
    options: { readonly environment: Environment; readonly limits: Limits },
  ) => Promise<Buffer>;
  /** `kustomize build` of files of ours over what was rendered; `application` is what that was. */
  readonly postRender: (
    application: ApplicationToRender,
    rendered: string,
    files: ReadonlyMap<string, string>,
  ) => Promise<string>;
  /** The text of a file below the root; undefined where there is none. */
  readonly fileText: (application: ApplicationFolder, path: string) => string | undefined;
  /** `kustomize build` over a copy of the kustomization and of what it names. */
  readonly renderKustomization: (kustomization: ApplicationToRender) => Promise<RenderedApplication>;
}
