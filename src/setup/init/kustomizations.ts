import { posix } from "node:path";
import { isMap, isScalar, isSeq, parseAllDocuments } from "yaml";
import { groupOf } from "../../base/api-versions.ts";
import { DOMAIN } from "../../base/keys.ts";
import { KUSTOMIZATION_FILES, RESOURCE_FIELDS } from "../../base/hosts/kustomize.ts";
import type { InitFolder } from "../../platform/ports/files.ts";

/** How kustomize is to run a transformer of ours: as a program, in a container, as the legacy plugin. */
export type Wiring = "exec" | "container" | "plugin";

/** A kustomization that no other one of the repository builds from. */
export interface Outermost {
  /** From the root of the repository. */
  readonly folder: string;
  /** Undefined where no transformer of ours is listed. */
  readonly wiring: Wiring | undefined;
  /** The transformer's file, from the root of the repository; undefined for one written in the kustomization. */
  readonly config?: string;
  /** Whether something that it is built from inflates charts. */
  readonly isHelm: boolean;
}

/** The texts of all kustomizations of a repository, by their folders from its root. */
export function kustomizationsIn(folder: InitFolder): ReadonlyMap<string, string> {
  return new Map(
    KUSTOMIZATION_FILES.flatMap((name) => folder.findInRepository(`**/${name}`)).flatMap((path) => {
      const text = folder.read(path);
      return text === undefined ? [] : [[posix.join(folder.path, posix.dirname(path)), text] as const];
    }),
  );
}

/** The outermost among them. Components are built by what lists them. */
export function outermostKustomizations(folder: InitFolder, all: ReadonlyMap<string, string>): Outermost[] {
  const inner = new Set([...all].flatMap(([at, text]) => partsOf(text).map((part) => folderAt(at, part))));
  return [...all]
    .filter(([at, text]) => !inner.has(at) && objectsOf(text).every((object) => textAt(object, "kind") !== "Component"))
    .map(([at, text]): Outermost => {
      const wired = wiringOf(folder, at, text) ?? componentWiring(folder, at, text, all);
      return {
        folder: at,
        wiring: wired?.wiring,
        isHelm: inflates(at, all),
        ...(wired?.config === undefined ? {} : { config: wired.config }),
      };
    })
    .sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

type Wired = Required<Pick<Outermost, "wiring">> & Pick<Outermost, "config">;

function wiringOf(folder: InitFolder, at: string, text: string): Wired | undefined {
  for (const entry of listsOf(text, ["transformers"])) {
    const isInline = entry.includes("\n");
    const config = posix.join(at, entry);
    const transformer = isInline ? entry : folder.read(fromFolder(folder, config));
    const ours = objectsOf(transformer ?? "").find(isConfigHash);
    if (ours !== undefined) return { wiring: howRun(ours), ...(isInline ? {} : { config }) };
  }
  return undefined;
}

function componentWiring(
  folder: InitFolder,
  at: string,
  text: string,
  all: ReadonlyMap<string, string>,
): Wired | undefined {
  for (const part of listsOf(text, ["components"])) {
    const there = folderAt(at, part);
    const found = all.get(there);
    const wired = found === undefined ? undefined : wiringOf(folder, there, found);
    if (wired !== undefined) return wired;
  }
  return undefined;
}

/** Whether a kustomization, or one that it is built from, has charts in it: kustomize wants a flag for them. */
function inflates(at: string, all: ReadonlyMap<string, string>): boolean {
  const closure = new Set([at]);
  for (const each of closure) {
    const text = all.get(each);
    if (text === undefined) continue;
    if (/^(?:helmCharts|helmChartInflationGenerator)\s*:/mu.test(text)) return true;
    for (const part of partsOf(text)) closure.add(folderAt(each, part));
  }
  return false;
}

function howRun(object: unknown): Wiring {
  const metadata = valueIn(object, "metadata");
  const annotations = JSON.stringify(valueIn(metadata, "annotations") ?? "");
  return annotations.includes("container:") ? "container" : annotations.includes("exec:") ? "exec" : "plugin";
}

/** True for the text of a file, or of an inline transformer, that configures ConfigHash. */
export function isOurs(text: string | undefined): boolean {
  return text !== undefined && objectsOf(text).some(isConfigHash);
}

function isConfigHash(object: unknown): boolean {
  return textAt(object, "kind") === "ConfigHash" && textAt(object, "apiVersion").startsWith(`${DOMAIN}/`);
}

/** The folders and files that a kustomization builds from. */
export function partsOf(text: string): string[] {
  return listsOf(text, RESOURCE_FIELDS);
}

function listsOf(text: string, keys: readonly string[]): string[] {
  const documents = parseAllDocuments(text);
  return (Array.isArray(documents) ? documents : []).flatMap(({ contents }) => {
    if (!isMap(contents)) return [];
    return keys.flatMap((key) => {
      const list = contents.get(key, true);
      return isSeq(list)
        ? list.items.flatMap((item) => (isScalar(item) && typeof item.value === "string" ? item.value : []))
        : [];
    });
  });
}

/** The kinds of the objects in a text, each as `apps/Deployment`. */
export function kindsIn(text: string): string[] {
  return objectsOf(text).flatMap((object) =>
    object === null || object === undefined ? [] : `${groupOf(textAt(object, "apiVersion"))}/${textAt(object, "kind")}`,
  );
}

function objectsOf(text: string): unknown[] {
  const documents = parseAllDocuments(text);
  return (Array.isArray(documents) ? documents : []).map(({ contents }): unknown => contents?.toJSON());
}

function valueIn(object: unknown, key: string): unknown {
  return object !== null && typeof object === "object"
    ? Object.getOwnPropertyDescriptor(object, key)?.value
    : undefined;
}

function textAt(object: unknown, key: string): string {
  const value = valueIn(object, key);
  return typeof value === "string" ? value : "";
}

/** A folder that a kustomization names, from the root of the repository. */
export function folderAt(at: string, part: string): string {
  return posix.join(at, part).replace(/\/$/u, "") || ".";
}

/** A path from the root of the repository as one from the folder. */
function fromFolder(folder: InitFolder, path: string): string {
  return posix.join(folder.repository, path);
}
