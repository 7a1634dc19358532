import type { ArgoEnvironment, ArgoKustomize, ChartSource, FluxBuild, PluginRender } from "../discover/application.ts";
import type { GivenParameters } from "../../platform/ports/applications.ts";
import type { Root } from "./closure.ts";
import type { UnknownValues } from "./data-objects.ts";
import type { FluxObjects } from "./flux-objects.ts";

/** A run of kustomize or helm, and what stands beside it; folders are from the root of the repository. */
export type Step =
  | KustomizeStep
  | HelmStep
  /** What our config-management plugin makes of a folder. */
  | { readonly by: "plugin"; readonly folder: string; readonly plugin: PluginRender }
  /** A command of rollstamp.yaml. */
  | { readonly by: "command"; readonly folder: string; readonly command: string }
  /** Manifests as they stand, beside others that are rendered. */
  | { readonly by: "files"; readonly files: readonly string[] };

export interface KustomizeStep {
  readonly by: "kustomize";
  readonly folder: string;
  readonly options: readonly string[];
  /** What Argo CD edits into it before. */
  readonly argo?: ArgoKustomize;
  /** What Flux makes of it before, and of what it prints. */
  readonly flux?: FluxStep;
}

export interface HelmStep {
  readonly by: "helm";
  readonly chart: StepChart;
  /** Beside values. */
  readonly given: GivenParameters;
  /** In their order: a later one wins. */
  readonly values: readonly StepValues[];
  /** What stands in the place of the chart's own values, where it is given. */
  readonly defaults?: readonly StepFile[];
  /** Kustomizations that are built over what helm prints, one behind the other, each as its files. */
  readonly postRender: readonly PostRender[];
  /** What Argo CD's Application tells of itself: its parameters may ask for it. */
  readonly environment?: ArgoEnvironment;
}

/** A chart that can be rendered: that of another Git repository can't. */
export type StepChart = Exclude<ChartSource, { in: "git" }>;

/** The file of a kustomization that has what was printed before. */
export const RENDERED_FILE = "rendered.yaml";

/** The files of a kustomization by their names, without RENDERED_FILE. */
export type PostRender = ReadonlyMap<string, string>;

/** A file of values. */
export interface StepFile {
  /** `chart`: from the folder of the chart. */
  readonly in: "repository" | "chart";
  readonly path: string;
  readonly optional: boolean;
}

export type StepValues = (StepFile & { readonly is: "file" }) | { readonly is: "text"; readonly text: string };

/** What Flux makes of a kustomization, and of the objects that are built of it. */
export interface FluxStep {
  readonly build: FluxBuild;
  readonly objects: FluxObjects;
}

/** How an application is rendered, or why it can't be. */
export type Renderable =
  | {
      readonly is: "steps";
      readonly steps: readonly Step[];
      readonly roots: readonly Root[];
      /** Values that are taken and not known here. */
      readonly told?: readonly UnknownValues[];
      /** The texts among the values that come from Secrets. */
      readonly secrets?: readonly string[];
    }
  /** Manifests as they stand. */
  | { readonly is: "files"; readonly files: readonly string[]; readonly roots: readonly Root[] }
  | { readonly is: "unable"; readonly because: string; readonly roots: readonly Root[] };

/** What can't be rendered, and why; what it is made from is known all the same. */
export function unable(because: string, roots: readonly Root[] = []): Renderable {
  return { is: "unable", because, roots };
}
