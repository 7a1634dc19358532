import type {
  ArgoEnvironment,
  ArgoKustomize,
  ChartSource,
  FluxBuild,
  HelmRender,
  PluginRender,
} from "../discover/application.ts";
import type { OutsidePart } from "../../base/outside.ts";
import type { GivenParameters } from "../../platform/ports/applications.ts";
import type { Mapping } from "../../yaml/read/json.ts";
import type { Root } from "./closure.ts";
import type { UnknownValues } from "./data-objects.ts";
import type { FluxObjects } from "./flux-objects.ts";

/** A step of a rendering. Folders are paths from the root of the repository. */
export type Step =
  | KustomizeStep
  | HelmStep
  /** The rollstamp plugin of Argo CD renders a folder. */
  | { readonly by: "plugin"; readonly folder: string; readonly plugin: PluginRender }
  /** A command of rollstamp.yaml renders a folder. */
  | { readonly by: "command"; readonly folder: string; readonly command: string }
  /** Committed manifests, next to others that are rendered. */
  | { readonly by: "files"; readonly files: readonly string[] }
  | OutsideStep;

/** Something outside of the repository that is never fetched: nothing is rendered. */
export interface OutsideStep {
  readonly by: "outside";
  readonly part: OutsidePart;
  /** What it would be rendered from. */
  readonly from: HelmRender | Mapping;
  readonly files: readonly string[];
}

export interface KustomizeStep {
  readonly by: "kustomize";
  readonly folder: string;
  readonly options: readonly string[];
  /** The edits of Argo CD before the build. */
  readonly argo?: ArgoKustomize;
  /** The changes of Flux before and after the build. */
  readonly flux?: FluxStep;
}

export interface HelmStep {
  readonly by: "helm";
  readonly chart: StepChart;
  /** Parameters other than values. */
  readonly given: GivenParameters;
  /** In order: a later one takes precedence. */
  readonly values: readonly StepValues[];
  /** Replaces the values.yaml of the chart. */
  readonly defaults?: readonly StepFile[];
  /** Kustomizations that are built over the output of helm, one after another. */
  readonly postRender: readonly PostRender[];
  /** The variables of an Application that its parameters may contain. */
  readonly environment?: ArgoEnvironment;
}

/** A chart that can be rendered, which excludes charts in other Git repositories. */
export type StepChart = Exclude<ChartSource, { in: "git" }>;

/** The file of a post-rendering kustomization that contains the rendering so far. */
export const RENDERED_FILE = "rendered.yaml";

/** The files of a kustomization by their names, without RENDERED_FILE. */
export type PostRender = ReadonlyMap<string, string>;

export interface StepFile {
  /** `chart`: relative to the folder of the chart. */
  readonly in: "repository" | "chart";
  readonly path: string;
  readonly optional: boolean;
}

export type StepValues = (StepFile & { readonly is: "file" }) | { readonly is: "text"; readonly text: string };

/** The changes of Flux to a kustomization, and to the objects of its build. */
export interface FluxStep {
  readonly build: FluxBuild;
  readonly objects: FluxObjects;
}

/** How an application is rendered, or why it can't be rendered. */
export type Renderable =
  | {
      readonly is: "steps";
      readonly steps: readonly Step[];
      readonly roots: readonly Root[];
      /** Values that are unknown here. */
      readonly unknownValues?: readonly UnknownValues[];
      /** Texts that come from Secrets. */
      readonly secrets?: readonly string[];
    }
  /** Committed manifests. */
  | { readonly is: "files"; readonly files: readonly string[]; readonly roots: readonly Root[] }
  | { readonly is: "unable"; readonly because: string; readonly roots: readonly Root[] };

/** An application that can't be rendered, although its files are known. */
export function unable(because: string, roots: readonly Root[] = []): Renderable {
  return { is: "unable", because, roots };
}
