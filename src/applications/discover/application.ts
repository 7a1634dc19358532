import type { OutsidePart } from "../../base/outside.ts";
import type { Mapping } from "../../yaml/read/json.ts";
import type { DefiningObject } from "./objects.ts";
import type { IgnoreLine } from "./source-ignore.ts";
import type { Applying, FoundBy, Held, StampedBy } from "../../reports/plan/planned-application.ts";
import type { Json } from "../../yaml/read/node.ts";

// An application is what is rendered and applied as one unit (contract, section 9). As data: rendering needs only this
// and the files of the repository. All paths are relative to its root, with slashes; "." is the root.

/** The name of the cluster that Argo CD itself runs in. */
export const IN_CLUSTER = "in-cluster";

export type ApplicationKind = "Kustomize" | "Helm" | "Kpt" | "Files";

/** Those that an object of Argo CD or Flux defines. */
export const ENGINE_FOUND: ReadonlySet<FoundBy> = new Set([
  "Application",
  "ApplicationSet",
  "FluxKustomization",
  "HelmRelease",
]);

export interface Application {
  /** Unique in the repository. */
  readonly name: string;
  /** The name without the part that makes it unique; undefined if nothing was added. */
  readonly givenName?: string;
  /** The folder that it is rendered from, or the file that defines it if that folder is not in the repository. */
  readonly path: string;
  readonly kind: ApplicationKind;
  readonly foundBy: FoundBy;
  /** The name or address of its cluster, if known. */
  readonly cluster?: string;
  /** For an unknown cluster: the folder whose objects are all applied to it. */
  readonly appliedWith?: string;
  /** The namespace that it is applied to, if known. */
  readonly namespace?: string;
  /**
   * Whether Argo CD, Flux or a person named it. Across revisions, such an application is identified by name, others by
   * path.
   */
  readonly isNamed: boolean;
  /** The files that define it: a change of one may change it. Empty if it consists of its own files only. */
  readonly definedIn: readonly string[];
  /** Other files that define an equal one, maybe for another Argo CD. */
  readonly alsoDefinedIn?: readonly string[];
  /** The application whose rendering contains the object that defines it; undefined if that object is in a file. */
  readonly shownBy?: string;
  /** Others for the same cluster that contain this object too. */
  readonly alsoShownBy?: readonly string[];
  /** The root application of a cluster, even if its own file is among the files that the cluster reads. */
  readonly isRoot?: true;
  /** The name of the ApplicationSet that generates it. */
  readonly generatedBy?: string;
  /** The revisions of this repository that it is made from, if it names any. Empty if they are unknown. */
  readonly revisions?: readonly string[];
  /** What writes its stamps, if the repository shows it. */
  readonly stampedBy?: StampedBy;
  /** The configuration of the transformer that writes them: that of its outermost kustomization or package. */
  readonly transformer?: Json;
  /** The objects of Argo CD or Flux that define it: first its own, then its sources. */
  readonly objects?: readonly DefiningObject[];
  /** Why what is merged is not applied, or not at once. */
  readonly held?: Exclude<Held, "ChartVersion">;
  /** The repository has objects of Argo CD or Flux, and neither they nor rollstamp.yaml lead to it. */
  readonly orphan?: true;
  /** What its engine keeps in the cluster; undefined if no object of Argo CD or Flux defines it. */
  readonly keeps?: Keeps;
  /** How its engine applies it; undefined if no object of Argo CD or Flux defines it. */
  readonly applying?: Applying;
  /** Under Flux's reconcileStrategy ChartVersion: a changed chart is taken only if this version changes. */
  readonly chartVersion?: string;
  /** For a HelmRelease: what identifies its release. */
  readonly release?: ReleaseTarget;
  readonly render: Render;
}

/** What identifies a release of helm-controller; undefined if it is unknown. */
export interface ReleaseTarget {
  readonly storageNamespace: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string;
  /** The name of its chart. */
  readonly chart: string | undefined;
}

export interface Keeps {
  /** Objects that leave the application. */
  readonly pruned: boolean;
  /** All objects, if the application itself is deleted. */
  readonly deleted: boolean;
}

export type Render =
  | KustomizeRender
  | HelmRender
  | KptRender
  | FilesRender
  | CommandRender
  | PluginRender
  | SourcesRender
  | OutsideRender;

export interface KustomizeRender {
  readonly by: "kustomize";
  readonly folder: string;
  /** What Argo CD edits into it before the build. */
  readonly argo?: ArgoKustomize;
  /** Flux builds it: without load restrictions and without helm. */
  readonly flux?: FluxBuild;
  /** It may name files above its folder. */
  readonly isUnrestricted?: true;
}

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
  /** The Kubernetes version that its charts see. */
  readonly kubeVersion?: string;
  readonly apiVersions: readonly string[];
  /** The build environment, for `$ARGOCD_APP_NAME` and others. */
  readonly environment: ArgoEnvironment;
}

/** What Argo CD says to a rendering about its Application. */
export interface ArgoEnvironment {
  readonly name: string;
  /** The namespace of its destination. */
  readonly namespace: string;
  readonly project: string;
  readonly path: string;
  readonly repoUrl: string;
  readonly targetRevision: string;
}

/** The fields of a Flux Kustomization that change the build. */
export interface FluxBuild {
  /** Its own namespace, which contains the objects of `substituteFrom`. */
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
  /** What the source excludes, in addition to what Flux always excludes. */
  readonly ignored: readonly IgnoreLine[];
  /** Undefined without `postBuild`: nothing is substituted. */
  readonly substitution: FluxSubstitution | undefined;
}

export interface FluxSubstitution {
  readonly substitute: Readonly<Record<string, string>>;
  readonly substituteFrom: readonly { readonly kind: string; readonly name: string; readonly optional: boolean }[];
  readonly always: boolean;
}

export interface HelmRender {
  readonly by: "helm";
  readonly chart: ChartSource;
  readonly releaseName: string;
  readonly namespace?: string;
  /** A later one takes precedence. */
  readonly values: readonly ValuesSource[];
  readonly parameters: readonly { readonly name: string; readonly value: string; readonly forceString: boolean }[];
  readonly fileParameters: readonly {
    readonly name: string;
    /** `chart`: relative to the folder of a fetched chart. */
    readonly in: "repository" | "chart";
    readonly path: string;
  }[];
  readonly skipCrds: boolean;
  readonly skipTests: boolean;
  readonly skipSchemaValidation: boolean;
  readonly kubeVersion?: string;
  readonly apiVersions: readonly string[];
  /** `spec.postRenderers` of a HelmRelease. */
  readonly postRenderers: readonly Json[];
  /** The values of `$ARGOCD_APP_NAME` and others in the parameters of an Application. */
  readonly environment?: ArgoEnvironment;
  /**
   * Set for a HelmRelease: its values are merged as Flux does. `namespace` is that of the HelmRelease, which contains
   * the objects of `valuesFrom`.
   */
  readonly flux?: {
    readonly name: string;
    readonly namespace: string;
    /** Its `valuesFiles` replace the chart's own values.yaml. */
    readonly replacesDefaults: boolean;
    readonly commonLabels: Readonly<Record<string, string>>;
    readonly commonAnnotations: Readonly<Record<string, string>>;
  };
}

export type ChartSource =
  | { readonly in: "repository"; readonly folder: string }
  /** A packed chart in the repository. */
  | { readonly in: "packed"; readonly file: string }
  /** A chart repository, or a registry (`oci://`). */
  | { readonly in: "helm"; readonly repository: string; readonly name: string; readonly version: string }
  | { readonly in: "git"; readonly repository: string; readonly path: string; readonly revision: string };

export type ValuesSource =
  | { readonly from: "file"; readonly path: string; readonly optional: boolean }
  /** From the chart's own folder, if that is not in the repository. */
  | { readonly from: "chart"; readonly path: string; readonly optional: boolean }
  | { readonly from: "values"; readonly values: Json }
  | { readonly from: "text"; readonly text: string }
  | { readonly from: "address"; readonly address: string; readonly optional: boolean }
  /** A key of an object, as in Flux: merged, or one value at `targetPath`. */
  | {
      readonly from: "object";
      readonly kind: string;
      readonly name: string;
      readonly key: string;
      readonly targetPath?: string;
      readonly literal: boolean;
      readonly optional: boolean;
    };

/** A package with a Kptfile, as committed: none of its functions run. */
export interface KptRender {
  readonly by: "kpt";
  readonly folder: string;
  readonly files: readonly string[];
}

/** Manifests as committed. */
export interface FilesRender {
  readonly by: "files";
  readonly folder: string;
  readonly files: readonly string[];
}

/** A command of the repository. It runs only with --allow-commands, and as the base revision defines it. */
export interface CommandRender {
  readonly by: "command";
  readonly folder: string;
  readonly command: string;
}

export interface PluginRender {
  readonly by: "plugin";
  readonly folder: string;
  /** "" if Argo CD discovers the plugin. */
  readonly name: string;
  readonly parameters: readonly Json[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly environment: ArgoEnvironment;
}

/** A source that is not in this repository, next to others that are. */
export interface OutsideRender {
  readonly by: "outside";
  readonly part: OutsidePart;
  readonly source: Mapping;
}

/** Several sources: an object of a later one replaces the same object of an earlier one. */
export interface SourcesRender {
  readonly by: "sources";
  readonly sources: readonly Render[];
}

/** Equal for applications of one cluster: its name, or the folder that is applied to it. Undefined if neither is known. */
export function clusterKey({ cluster, appliedWith }: Application): string | undefined {
  return cluster ?? appliedWith;
}

/** The kind of the object that defines an application of Argo CD or Flux. */
export function objectKindOf(foundBy: FoundBy): string {
  if (foundBy === "ApplicationSet") return "Application";
  return foundBy === "FluxKustomization" ? "Kustomization" : foundBy;
}

/** What renders the sources of an application. */
export function rendersOf(render: Render): readonly Render[] {
  return render.by === "sources" ? render.sources.flatMap(rendersOf) : [render];
}
