import type { IgnoreLine } from "./source-ignore.ts";
import type { Json } from "../../yaml/read/node.ts";

// What is rendered and applied as one (contract, section 9), as data: whoever renders needs nothing but this and
// the files of the repository. All paths are from its root, with slashes; "." is the root itself.

/** Argo CD's own cluster: the one in which an Application stands. */
export const IN_CLUSTER = "in-cluster";

/** What an application is made with. */
export type ApplicationKind = "Kustomize" | "Helm" | "Kpt" | "Files";

/** Who told of an application, in the order in which they are asked. */
export type FoundBy =
  | "Applications"
  | "Application"
  | "ApplicationSet"
  | "FluxKustomization"
  | "HelmRelease"
  | "Kustomization"
  | "Chart"
  | "Kptfile"
  | "Manifests";

export interface Application {
  /** No other one of the repository has it. */
  readonly name: string;
  /** The name without what stands behind it as others have it too; undefined where nothing does. */
  readonly givenName?: string;
  /** What it is rendered from: a folder, or the file that tells of it where that is not in the repository. */
  readonly path: string;
  readonly kind: ApplicationKind;
  readonly foundBy: FoundBy;
  /** Where it is applied, as far as that is told: a name or an address. */
  readonly cluster?: string;
  /** Into which namespace, as far as that is told. */
  readonly namespace?: string;
  /** True where its name was given (by Argo CD, Flux or a person): by that it is the same in another revision, else by its path. */
  readonly isNamed: boolean;
  /** The files that tell of it: a change of one may change it. None where its files are all. */
  readonly definedIn: readonly string[];
  /** The application whose rendering shows the object that tells of it; undefined where that stands in a file. */
  readonly shownBy?: string;
  /** With it a cluster begins, though the file that tells of it be one of those that the cluster reads. */
  readonly isRoot?: true;
  /** Which revisions of this repository it is made from, where it names any: others than those that are looked at. Empty where that isn't known. */
  readonly revisions?: readonly string[];
  /** Flux's `spec.suspend`: it is not applied for now. */
  readonly isSuspended?: true;
  readonly render: Render;
}

/** How an application is rendered. */
export type Render =
  | KustomizeRender
  | HelmRender
  | KptRender
  | FilesRender
  | CommandRender
  | PluginRender
  | SourcesRender;

/** `kustomize build` of a folder. */
export interface KustomizeRender {
  readonly by: "kustomize";
  readonly folder: string;
  /** What Argo CD edits into it before. */
  readonly argo?: ArgoKustomize;
  /** What Flux makes of it: its own build, without load restrictions and without helm. */
  readonly flux?: FluxBuild;
}

/** The fields of an Application's `source.kustomize`. */
export interface ArgoKustomize {
  readonly namePrefix?: string;
  readonly nameSuffix?: string;
  readonly namespace?: string;
  readonly images: readonly string[];
  readonly replicas: readonly { readonly name: string; readonly count: string }[];
  readonly components: readonly string[];
  readonly ignoreMissingComponents: boolean;
  readonly patches: readonly Json[];
  readonly commonLabels: Readonly<Record<string, string>>;
  readonly forceCommonLabels: boolean;
  readonly labelWithoutSelector: boolean;
  readonly labelIncludeTemplates: boolean;
  readonly commonAnnotations: Readonly<Record<string, string>>;
  readonly forceCommonAnnotations: boolean;
  readonly commonAnnotationsEnvsubst: boolean;
  /** What its charts are told of the cluster. */
  readonly kubeVersion?: string;
  readonly apiVersions: readonly string[];
  /** What the build environment has, for `$ARGOCD_APP_NAME` and the like. */
  readonly environment: ArgoEnvironment;
}

/** What Argo CD tells a rendering of its Application. */
export interface ArgoEnvironment {
  readonly name: string;
  /** Where it is applied: its destination's. */
  readonly namespace: string;
  readonly project: string;
  readonly path: string;
  readonly repoUrl: string;
  readonly targetRevision: string;
}

/** The fields of a Flux Kustomization that change what is built. */
export interface FluxBuild {
  readonly name: string;
  /** Its own namespace: objects of `substituteFrom` stand there. */
  readonly namespace: string;
  readonly targetNamespace?: string;
  readonly namePrefix?: string;
  readonly nameSuffix?: string;
  readonly commonLabels: Readonly<Record<string, string>>;
  readonly commonAnnotations: Readonly<Record<string, string>>;
  readonly patches: readonly Json[];
  readonly images: readonly Json[];
  readonly components: readonly string[];
  readonly ignoreMissingComponents: boolean;
  /** What the source leaves out of the repository beside what Flux always leaves out. */
  readonly ignored: readonly IgnoreLine[];
  /** Undefined where there is no `postBuild`: nothing is substituted then. */
  readonly substitution: FluxSubstitution | undefined;
}

export interface FluxSubstitution {
  readonly substitute: Readonly<Record<string, string>>;
  readonly substituteFrom: readonly { readonly kind: string; readonly name: string; readonly optional: boolean }[];
  /** `substituteStrategy: Always`. */
  readonly always: boolean;
}

/** `helm template` of a chart. */
export interface HelmRender {
  readonly by: "helm";
  readonly chart: ChartSource;
  readonly releaseName: string;
  readonly namespace?: string;
  /** In their order: a later one wins. */
  readonly values: readonly ValuesSource[];
  readonly parameters: readonly { readonly name: string; readonly value: string; readonly forceString: boolean }[];
  readonly fileParameters: readonly {
    readonly name: string;
    /** `chart`: from the folder of a chart that is fetched. */
    readonly in: "repository" | "chart";
    readonly path: string;
  }[];
  readonly skipCrds: boolean;
  readonly skipTests: boolean;
  readonly skipSchemaValidation: boolean;
  readonly kubeVersion?: string;
  readonly apiVersions: readonly string[];
  /** Of a HelmRelease: `spec.postRenderers`. */
  readonly postRenderers: readonly Json[];
  /** Of an Application: what `$ARGOCD_APP_NAME` and the like in its parameters stand for. */
  readonly environment?: ArgoEnvironment;
  /** Of a HelmRelease: whose rules hold for its values; `namespace` is its own, where objects of `valuesFrom` stand. */
  readonly flux?: {
    readonly name: string;
    readonly namespace: string;
    /** Its `valuesFiles` stand in the place of the chart's own values.yaml. */
    readonly replacesDefaults: boolean;
    readonly commonLabels: Readonly<Record<string, string>>;
    readonly commonAnnotations: Readonly<Record<string, string>>;
  };
}

/** Where a chart is. */
export type ChartSource =
  | { readonly in: "repository"; readonly folder: string }
  /** A packed one in the repository. */
  | { readonly in: "packed"; readonly file: string }
  /** A repository of charts, or of a registry (`oci://`). */
  | { readonly in: "helm"; readonly repository: string; readonly name: string; readonly version: string }
  | { readonly in: "git"; readonly repository: string; readonly path: string; readonly revision: string };

/** Where values of a chart come from. */
export type ValuesSource =
  | { readonly from: "file"; readonly path: string; readonly optional: boolean }
  /** Of the chart's own folder, where that is not in the repository. */
  | { readonly from: "chart"; readonly path: string; readonly optional: boolean }
  | { readonly from: "values"; readonly values: Json }
  | { readonly from: "text"; readonly text: string }
  | { readonly from: "address"; readonly address: string; readonly optional: boolean }
  /** A key of an object, as Flux has it: merged, or one value at `targetPath`. */
  | {
      readonly from: "object";
      readonly kind: string;
      readonly name: string;
      readonly key: string;
      readonly targetPath?: string;
      readonly literal: boolean;
      readonly optional: boolean;
    };

/** A package with a Kptfile, as committed: no function of it runs. */
export interface KptRender {
  readonly by: "kpt";
  readonly folder: string;
  /** The manifests in it. */
  readonly files: readonly string[];
}

/** Manifests as they stand. */
export interface FilesRender {
  readonly by: "files";
  readonly folder: string;
  readonly files: readonly string[];
}

/** A command of the repository: only with --allow-commands, and as the base revision has it. */
export interface CommandRender {
  readonly by: "command";
  readonly folder: string;
  readonly command: string;
}

/** A config-management plugin of Argo CD. */
export interface PluginRender {
  readonly by: "plugin";
  readonly folder: string;
  /** "" where Argo CD discovers it. */
  readonly name: string;
  readonly parameters: readonly Json[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly environment: ArgoEnvironment;
}

/** Several of them, one behind the other: an object of a later one takes the place of an earlier. */
export interface SourcesRender {
  readonly by: "sources";
  readonly sources: readonly Render[];
}

// Flux applies nothing of what is suspended, and what has changed meanwhile when it is resumed
// (kustomize-controller and helm-controller, docs/spec, "Suspend"): what rolls then is not what two revisions tell.

/** What Flux calls the objects that can be suspended. */
const OBJECTS: Partial<Readonly<Record<FoundBy, string>>> = {
  FluxKustomization: "Kustomization",
  HelmRelease: "HelmRelease",
};

/** Whether Flux applies it again from the second one on: that can be more than what differs. */
export function isResumed(before: Application | undefined, after: Application | undefined): boolean {
  return before?.isSuspended === true && after !== undefined && after.isSuspended !== true;
}

/** `HelmRelease web`. */
export function suspendableName({ foundBy, name }: Application): string {
  return `${OBJECTS[foundBy] ?? foundBy} ${name}`;
}
