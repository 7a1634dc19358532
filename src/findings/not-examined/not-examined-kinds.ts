/** What is known of a kind of thing that is not looked at. */
export interface NotExaminedRow {
  readonly one: string;
  readonly many: string;
  readonly reason: string;
  /** The command that prints its manifests, from its path as a word of a shell. */
  readonly render?: (path: string) => string;
  /** What to do where there is no such command. */
  readonly remedy?: string;
  /** What renders an application that is one of these and isn't found; kustomize where undefined. */
  readonly renderedBy?: "Helm";
  /** The objects that are of this kind, by group. */
  readonly objects?: readonly { readonly group: string; readonly kind: string }[];
}

const RENDERED = "render it as its controller does, and give the rendering on standard input";
const NO_MANIFESTS = "give the file itself by its name if it holds manifests";

/** What is not looked at, in JSON and in words. */
export type NotExaminedKind =
  | "Kustomization"
  | "Chart"
  | "FluxKustomization"
  | "HelmRelease"
  | "Values"
  | "ResourceSet"
  | "Application"
  | "ApplicationSet"
  | "HelmChart"
  | "GitRepo"
  | "App"
  | "Template"
  | "Manifest"
  | "Unreadable"
  | "TooLarge"
  | "Encoding"
  | "Special"
  | "LinkOut";

/** The kinds, in the order in which they are told. */
export const NOT_EXAMINED_KINDS: Readonly<Record<NotExaminedKind, NotExaminedRow>> = {
  Kustomization: {
    one: "kustomization",
    many: "kustomizations",
    reason: "kustomize builds manifests from it",
    render: (path) => `kustomize build ${path}`,
  },
  Chart: {
    one: "chart",
    many: "charts",
    reason: "Helm makes manifests from its templates and values",
    renderedBy: "Helm",
    render: (path) => `helm template ${path}`,
  },
  FluxKustomization: {
    one: "Flux Kustomization",
    many: "Flux Kustomizations",
    reason: "Flux builds and applies what it points to",
    remedy: RENDERED,
    objects: [{ group: "kustomize.toolkit.fluxcd.io", kind: "Kustomization" }],
  },
  HelmRelease: {
    one: "HelmRelease",
    many: "HelmReleases",
    reason: "Flux renders its chart with its values",
    renderedBy: "Helm",
    remedy: RENDERED,
    objects: [{ group: "helm.toolkit.fluxcd.io", kind: "HelmRelease" }],
  },
  Values: {
    one: "object whose values are not known",
    many: "objects whose values are not known",
    reason: "a placeholder stands for each of its values",
    remedy: "a change of such a value shows only where its text in Git changes",
  },
  ResourceSet: {
    one: "ResourceSet",
    many: "ResourceSets",
    reason: "Flux's operator makes objects from it",
    remedy: RENDERED,
    objects: [{ group: "fluxcd.controlplane.io", kind: "ResourceSet" }],
  },
  Application: {
    one: "Argo CD Application",
    many: "Argo CD Applications",
    reason: "Argo CD renders and applies what it points to",
    remedy: RENDERED,
    objects: [{ group: "argoproj.io", kind: "Application" }],
  },
  ApplicationSet: {
    one: "Argo CD ApplicationSet",
    many: "Argo CD ApplicationSets",
    reason: "Argo CD makes Applications from it",
    remedy: RENDERED,
    objects: [{ group: "argoproj.io", kind: "ApplicationSet" }],
  },
  HelmChart: {
    one: "HelmChart of k3s",
    many: "HelmCharts of k3s",
    reason: "its controller installs the chart that it names",
    remedy: RENDERED,
    objects: [{ group: "helm.cattle.io", kind: "HelmChart" }],
  },
  GitRepo: {
    one: "GitRepo of Fleet",
    many: "GitRepos of Fleet",
    reason: "Fleet renders and applies what it points to",
    remedy: RENDERED,
    objects: [{ group: "fleet.cattle.io", kind: "GitRepo" }],
  },
  App: {
    one: "App of kapp-controller",
    many: "Apps of kapp-controller",
    reason: "kapp-controller renders and applies what it points to",
    remedy: RENDERED,
    objects: [{ group: "kappctrl.k14s.io", kind: "App" }],
  },
  Template: {
    one: "template",
    many: "templates",
    reason: "it has {{ and does not read as manifests",
    remedy: "render it, and give the rendering on standard input",
  },
  Manifest: {
    one: "manifest that can't be read",
    many: "manifests that can't be read",
    reason: "it looks like a manifest and can't be read",
    remedy: "mend it, or name it in .krmignore",
  },
  Unreadable: {
    one: "file or folder that can't be read",
    many: "files and folders that can't be read",
    reason: "it can't be read",
    remedy: "check its permissions, or name it in .krmignore",
  },
  TooLarge: {
    one: "file over the size limit",
    many: "files over the size limit",
    reason: "it is larger than --max-input-size",
    remedy: "give a larger --max-input-size, or name it in .krmignore",
  },
  Encoding: {
    one: "file that is not UTF-8",
    many: "files that are not UTF-8",
    reason: "it is not UTF-8",
    remedy: "write it in UTF-8 if it holds manifests; what git-crypt has encrypted is read when it is unlocked",
  },
  Special: {
    one: "pipe, socket or device",
    many: "pipes, sockets and devices",
    reason: "it is no regular file",
    remedy: NO_MANIFESTS,
  },
  LinkOut: {
    one: "link that leads out",
    many: "links that lead out",
    reason: "it leads out of the folder that was given",
    remedy: NO_MANIFESTS,
  },
};

/** The row of a kind. */
export function notExaminedRow(kind: NotExaminedKind): NotExaminedRow {
  return NOT_EXAMINED_KINDS[kind];
}

/** All kinds, in the order in which they are told. */
export const NOT_EXAMINED_ORDER: readonly NotExaminedKind[] = Object.keys(NOT_EXAMINED_KINDS).filter(isNotExaminedKind);

/** True for the name of a kind. */
function isNotExaminedKind(kind: string): kind is NotExaminedKind {
  return Object.hasOwn(NOT_EXAMINED_KINDS, kind);
}
