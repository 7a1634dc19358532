import { posix } from "node:path";
import { kustomizationOf } from "../../applications/kustomize/kustomization.ts";
import { isInflator } from "../../applications/kustomize/inflated-charts.ts";
import { isBuiltIn, ownFunction } from "../../applications/kustomize/own-functions.ts";
import { isInline, looksRemote, replacePaths } from "../../applications/kustomize/paths.ts";
import { quietly } from "../../base/errors.ts";
import { isInside } from "../../base/inside.ts";
import { KUSTOMIZATION_FILES } from "../../base/hosts/kustomize.ts";
import { DOMAIN } from "../../base/keys.ts";
import type { InitFolder } from "../../platform/ports/files.ts";
import type { IsPart } from "./init-target.ts";
import { fieldsOf, isMapping, textOrEmpty, textsOf, type Mapping } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { readDocuments } from "../../yaml/read/manifest-text.ts";

/** How kustomize runs our transformer: as a program, in a container, as the legacy plugin. */
export type Wiring = "exec" | "container" | "plugin";

export interface KustomizationFile {
  /** From the folder that the command was given. */
  readonly path: string;
  readonly content: Mapping;
}

/** The kustomizations of a repository, by their folders from its root. */
export type Kustomizations = ReadonlyMap<string, KustomizationFile>;

/** A kustomization that no other one of the repository includes. */
export interface Outermost {
  /** From the root of the repository. */
  readonly folder: string;
  /** Undefined if it does not list our transformer. */
  readonly wiring: Wiring | undefined;
  /** The transformer's file, from the root of the repository; undefined if the kustomization contains the transformer. */
  readonly config?: string;
  /** Whether kustomize needs its flag for charts. */
  readonly isHelm: boolean;
}

export function kustomizationsIn(folder: InitFolder): Kustomizations {
  return new Map(
    KUSTOMIZATION_FILES.flatMap((name) => folder.findInRepository(`**/${name}`)).flatMap((path) => {
      const text = folder.read(path);
      if (text === undefined) return [];
      const [content = null] = objectsOf(text, folder) ?? [];
      return [[posix.join(folder.path, posix.dirname(path)), { path, content: fieldsOf(content) }] as const];
    }),
  );
}

/** The outermost kustomizations. Components are built by the kustomizations that list them. */
export function outermostKustomizations(folder: InitFolder, all: Kustomizations): Outermost[] {
  const included = new Set([...all].flatMap(([at, { content }]) => includedBy(at, content)));
  return [...all]
    .filter(([at, { content }]) => !included.has(at) && !kustomizationOf(content).isComponent)
    .map(([at, { content }]): Outermost => {
      const components = kustomizationOf(content).components.map((part) => folderAt(at, part));
      const [wired] = [at, ...components].flatMap((each) => wiringOf(folder, each, all.get(each)?.content) ?? []);
      return { folder: at, wiring: undefined, isHelm: usesCharts(folder, at, all), ...wired };
    })
    .sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

/** Whether kustomize needs its flag for charts. */
export function usesCharts(folder: InitFolder, at: string, all: Kustomizations): boolean {
  return (
    [...builtFrom(at, all)].some((path) => hasField(all.get(path), CHART_FIELDS)) ||
    pluginsOf(folder, at, all).some(isInflator)
  );
}

/** The command that builds a folder with each kind of transformer. */
export function buildCommand(wiring: Wiring, isHelm: boolean, folder: string): string {
  const exec = wiring === "exec" ? " --enable-exec" : "";
  return `kustomize build --enable-alpha-plugins${exec}${isHelm ? " --enable-helm" : ""} ${folder}`;
}

function wiringOf(
  folder: InitFolder,
  at: string,
  content: Mapping | undefined,
): Pick<Outermost, "wiring" | "config"> | undefined {
  for (const entry of textsOf(content?.["transformers"])) {
    const transformer = configHashIn(configText(folder, at, entry), folder);
    if (transformer === undefined) continue;
    const annotations = JSON.stringify(fieldsOf(fieldsOf(transformer)["metadata"])["annotations"] ?? "");
    const wiring = annotations.includes("container:") ? "container" : annotations.includes("exec:") ? "exec" : "plugin";
    return { wiring, ...(isText(entry) ? {} : { config: posix.join(at, entry) }) };
  }
  return undefined;
}

/** Our transformer in the text of a file, or in a kustomization. */
export function configHashIn(text: string | undefined, folder: InitFolder): Json | undefined {
  return objectsOf(text ?? "", folder)?.find((object) => {
    const { kind, apiVersion } = fieldsOf(object);
    return kind === "ConfigHash" && textOrEmpty(apiVersion).startsWith(`${DOMAIN}/`);
  });
}

/** Whether a kustomization may build a workload. It may not if all of its files are in the repository and none is a workload. */
export function mayBuildWorkloads(
  folder: InitFolder,
  at: string,
  all: Kustomizations,
  workloadKinds: ReadonlySet<string>,
): boolean {
  return [...builtFrom(at, all)].some((path) => {
    if (all.has(path)) return hasField(all.get(path), [...CHART_FIELDS, "generators", "transformers"]);
    const isFile = /\.(?:ya?ml|json)$/u.test(path) && !path.startsWith("../");
    const text = isFile ? folder.read(posix.join(folder.repository, path)) : undefined;
    return text === undefined || mayHoldWorkload(text, workloadKinds);
  });
}

const KIND = /(?<![\w-])kind["']?[ \t]*:[ \t]*([^\n]*)/gu;

/** Whether a manifest or a template may create a workload: it names a kind with pods, or a kind that is not a plain word. */
export function mayHoldWorkload(text: string, workloadKinds: ReadonlySet<string>): boolean {
  return [...text.matchAll(KIND)].some(([, written = ""]) => {
    const kind = /^["']?([A-Za-z][A-Za-z0-9]*)["']?(?=[\s,}]|$)/u.exec(written)?.[1];
    return kind === undefined || kind.endsWith("List") || workloadKinds.has(kind);
  });
}

/** The kustomizations in a folder, which starts at the root of the repository. */
export function kustomizationsBelow(folder: string, all: Kustomizations): Kustomizations {
  return new Map([...all].filter(([at]) => isInside(folder, at)));
}

/** Whether a file is in a folder, or the kustomizations in the folder include it. */
export function partOf(folder: string, all: Kustomizations): IsPart {
  const included = new Set([...kustomizationsBelow(folder, all).keys()].flatMap((at) => [...builtFrom(at, all)]));
  return (path) => isInside(folder, path) || included.has(path);
}

/** A kustomization with all folders and files that it is built from, from the root of the repository. */
function builtFrom(at: string, all: Kustomizations): ReadonlySet<string> {
  const closure = new Set([at]);
  for (const path of closure) for (const part of includedBy(path, all.get(path)?.content ?? {})) closure.add(part);
  return closure;
}

/** Whether kustomize fetches something for a kustomization, or for one that it is built from. */
export function needsFetching(at: string, all: Kustomizations): boolean {
  return [...builtFrom(at, all)].some((path) => namesRemote(all.get(path)?.content ?? {}));
}

/** Whether a kustomization names an address: kustomize fetches each file that it names, not only resources. */
function namesRemote(content: Mapping): boolean {
  let isRemote = false;
  const seen = (name: string): string => {
    isRemote ||= !isText(name) && looksRemote(name);
    return name;
  };
  const visitor = { file: seen, resource: seen, plugin: seen, generator: seen, patch: seen, chart: () => undefined };
  // kustomize refuses what is invalid.
  quietly(() => replacePaths(content, visitor, ""));
  return isRemote;
}

/** Whether a kustomization, or one that it is built from, lists functions of others. */
export function usesFunctions(folder: InitFolder, at: string, all: Kustomizations): boolean {
  return pluginsOf(folder, at, all).some((config) => !isBuiltIn(config) && ownFunction(config) === undefined);
}

/** The configurations of plugins and functions that a kustomization, or one that it is built from, lists. */
function pluginsOf(folder: InitFolder, at: string, all: Kustomizations): readonly Mapping[] {
  return [...builtFrom(at, all)].flatMap((path) =>
    kustomizationOf(all.get(path)?.content ?? {}).plugins.flatMap(
      (entry) => objectsOf(configText(folder, path, entry) ?? "", folder)?.filter(isMapping) ?? [],
    ),
  );
}

// A path may have a carriage return, which the caller refuses.
const isText = (entry: string): boolean => entry.includes("\n") || (!entry.includes("\r") && isInline(entry));

/** The text of a configuration that a kustomization lists; undefined if it cannot be read as a file here, such as a folder. */
function configText(folder: InitFolder, at: string, entry: string): string | undefined {
  return isText(entry) ? entry : quietly(() => folder.read(posix.join(folder.repository, at, entry)));
}

/** The folders and files that a kustomization includes, from the root of the repository. */
export function includedBy(at: string, content: Mapping): string[] {
  const { resources, components } = kustomizationOf(content);
  return [...resources, ...components].map((part) => folderAt(at, part));
}

/** The path of a part of a folder, without a slash at its end. */
export function folderAt(at: string, part: string): string {
  return posix.join(at, part).replace(/\/$/u, "") || ".";
}

const CHART_FIELDS = ["helmcharts", "helmchartinflationgenerator"];

function hasField(file: KustomizationFile | undefined, fields: readonly string[]): boolean {
  return file !== undefined && fields.some((field) => kustomizationOf(file.content).fields.has(field));
}

/** The objects in the text; undefined if it is not YAML. */
function objectsOf(text: string, { limits }: InitFolder): readonly Json[] | undefined {
  return quietly(() => readDocuments(text, "", limits));
}
