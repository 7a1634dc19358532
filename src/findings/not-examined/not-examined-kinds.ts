import { LARGEST_IGNORE_FILE } from "../../base/limits.ts";

/** A kind of thing that is not examined. */
export interface NotExaminedRow {
  readonly singular: string;
  readonly plural: string;
  readonly reason: string;
  /** The command that prints its manifests, given its path as a word of a shell. */
  readonly render?: (path: string) => string;
  /** What to do if there is no such command. */
  readonly remedy?: string;
  /** The tool that renders a missing application of this kind; kustomize by default. */
  readonly renderedBy?: "Helm";
  /** The objects of this kind. */
  readonly objects?: readonly { readonly group: string; readonly kind: string }[];
}

const RENDERED = "render as the controller does, and pass the rendering on standard input";

/** The kinds in JSON. */
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
  | "Helmfile"
  | "Template"
  | "Manifest"
  | "Unreadable"
  | "TooLarge"
  | "IgnoreFile"
  | "GitIndex"
  | "Encoding"
  | "Special"
  | "LinkOut";

/** An object that a controller renders or expands. */
function rendered(singular: string, reason: string, group: string, kind: string): NotExaminedRow {
  return { singular, plural: `${singular}s`, reason, remedy: RENDERED, objects: [{ group, kind }] };
}

const KINDS: Readonly<Record<NotExaminedKind, NotExaminedRow>> = {
  Kustomization: {
    singular: "kustomization",
    plural: "kustomizations",
    reason: "kustomize builds manifests from it",
    render: (path) => `kustomize build ${path}`,
  },
  Chart: {
    singular: "chart",
    plural: "charts",
    reason: "Helm renders manifests from its templates and values",
    renderedBy: "Helm",
    render: (path) => `helm template ${path}`,
  },
  FluxKustomization: rendered(
    "Flux Kustomization",
    "Flux builds and applies its path",
    "kustomize.toolkit.fluxcd.io",
    "Kustomization",
  ),
  HelmRelease: {
    ...rendered("HelmRelease", "Flux renders its chart with its values", "helm.toolkit.fluxcd.io", "HelmRelease"),
    renderedBy: "Helm",
  },
  Values: {
    singular: "object with unknown values",
    plural: "objects with unknown values",
    reason: "each of its values is replaced by a placeholder",
    remedy: "a change of such a value is visible only if its encrypted text in Git changes",
  },
  ResourceSet: rendered(
    "ResourceSet",
    "Flux's operator creates objects from it",
    "fluxcd.controlplane.io",
    "ResourceSet",
  ),
  Application: rendered("Argo CD Application", "Argo CD renders and applies its sources", "argoproj.io", "Application"),
  ApplicationSet: rendered(
    "Argo CD ApplicationSet",
    "Argo CD creates Applications from it",
    "argoproj.io",
    "ApplicationSet",
  ),
  HelmChart: rendered("k3s HelmChart", "its controller installs a chart", "helm.cattle.io", "HelmChart"),
  GitRepo: rendered("Fleet GitRepo", "Fleet renders and applies its paths", "fleet.cattle.io", "GitRepo"),
  App: rendered("kapp-controller App", "kapp-controller renders and applies its sources", "kappctrl.k14s.io", "App"),
  Helmfile: {
    singular: "helmfile",
    plural: "helmfiles",
    reason: "Helmfile renders its releases",
    renderedBy: "Helm",
    render: (path) => `helmfile -f ${path} template`,
  },
  Template: {
    singular: "template",
    plural: "templates",
    reason: "it contains {{ and cannot be read as manifests",
    remedy: "render, and pass the rendering on standard input",
  },
  Manifest: {
    singular: "unreadable manifest",
    plural: "unreadable manifests",
    reason: "it looks like a manifest but cannot be read",
    remedy: "fix, or list in .krmignore",
  },
  Unreadable: {
    singular: "unreadable file or folder",
    plural: "unreadable files and folders",
    reason: "it cannot be read",
    remedy: "make it readable, or list in .krmignore",
  },
  TooLarge: {
    singular: "file over the size limit",
    plural: "files over the size limit",
    reason: "it is larger than --max-input-size",
    remedy: "raise --max-input-size, or list in .krmignore",
  },
  IgnoreFile: {
    singular: "large ignore file",
    plural: "large ignore files",
    reason: `it has more than ${LARGEST_IGNORE_FILE} MiB, so its patterns do not apply`,
    remedy: "ignore folders instead of their files",
  },
  GitIndex: {
    singular: "folder in which git fails",
    plural: "folders in which git fails",
    reason: "git cannot list its files, so files in a .gitignore are left out even if Git tracks them",
    remedy: "run git ls-files there to see what is wrong",
  },
  Encoding: {
    singular: "file that is not UTF-8",
    plural: "files that are not UTF-8",
    reason: "it is not UTF-8",
    remedy: "save manifests as UTF-8, or unlock git-crypt",
  },
  Special: {
    singular: "pipe, socket or device",
    plural: "pipes, sockets and devices",
    reason: "it is not a regular file",
    remedy: "pass manifests on standard input",
  },
  LinkOut: {
    singular: "link to outside the folder",
    plural: "links to outside the folder",
    reason: "its target is outside the given folder",
    remedy: "name explicitly to read",
  },
};

export function notExaminedRow(kind: NotExaminedKind): NotExaminedRow {
  return KINDS[kind];
}

/** All kinds, in report order. */
export const NOT_EXAMINED_ORDER: readonly NotExaminedKind[] = Object.keys(KINDS).filter(isNotExaminedKind);

function isNotExaminedKind(kind: string): kind is NotExaminedKind {
  return Object.hasOwn(KINDS, kind);
}
