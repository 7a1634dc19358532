import { quietly, type Place } from "../../base/errors.ts";
import { hasHashSuffix, withoutHashSuffix } from "../../base/hosts/kustomize.ts";
import { onceFor } from "../../base/grouped.ts";
import type { ResourceRef } from "../../base/names.ts";
import { foldedGet, folded, textOrEmpty, type Mapping } from "../../yaml/read/json.ts";
import { placeOf } from "../../yaml/read/items.ts";
import { isManifestName, readFoundText } from "../../yaml/read/manifest-text.ts";
import { entriesOf, getString, itemsOf } from "../../yaml/read/node.ts";
import { readTree } from "../../yaml/read/tree.ts";
import type { KustomizeRender } from "../discover/application.ts";
import { folderOf, isInFolder, pathFrom, pathsIn, topmost } from "../discover/paths.ts";
import type { Repository } from "../discover/repository.ts";
import { kustomizationOf } from "../kustomize/kustomization.ts";

// Where the objects that a kustomization builds are written: in a file that it includes, or as an entry of a generator.
// Names are changed as kustomize changes them. What a patch or a plugin renames is not found.

/** An object that a kustomization builds, with the name that it has then. */
interface Declared {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  /** kustomize adds a hash to the name, unless that is off. */
  readonly isGenerated: boolean;
  readonly place: Place;
}

/** Finds the place that declares an object of a rendering; undefined if there is none, or more than one. */
export type FindDeclared = (object: Pick<ResourceRef, "kind" | "name" | "namespace">) => Place | undefined;

/** Finds the places that declare what a kustomization builds. */
export function declaredPlaces(repository: Repository, render: KustomizeRender): FindDeclared {
  const { namePrefix = "", nameSuffix = "", components = [] } = render.flux ?? render.argo ?? {};
  const namespace = render.flux?.targetNamespace ?? render.argo?.namespace ?? "";
  const all = declarationsIn(repository)(render.folder, components).map((declared) =>
    renamed(declared, { namePrefix, nameSuffix, namespace }),
  );
  return ({ kind, name, namespace: wanted = "" }) => {
    const isNamed = (declared: Declared): boolean =>
      declared.name === name ||
      (declared.isGenerated && hasHashSuffix(name) && declared.name === withoutHashSuffix(name));
    const named = all.filter((declared) => declared.kind === kind && isNamed(declared));
    const found = named.length > 1 ? named.filter((declared) => declared.namespace === wanted) : named;
    return found.length === 1 ? found[0]?.place : undefined;
  };
}

interface Renaming {
  readonly namePrefix: string;
  readonly nameSuffix: string;
  readonly namespace: string;
}

/** kustomize/api/internal/builtins/PrefixTransformer.go: the kinds that keep their names. */
const KEEP_NAMES: ReadonlySet<string> = new Set(["APIService", "CustomResourceDefinition", "Namespace"]);

function renamed(declared: Declared, { namePrefix, nameSuffix, namespace }: Renaming): Declared {
  return {
    ...declared,
    name: KEEP_NAMES.has(declared.kind) ? declared.name : `${namePrefix}${declared.name}${nameSuffix}`,
    namespace: namespace === "" ? declared.namespace : namespace,
  };
}

function renamingOf(content: Mapping): Renaming {
  const text = (field: string): string => textOrEmpty(foldedGet(content, field));
  return { namePrefix: text("nameprefix"), nameSuffix: text("namesuffix"), namespace: text("namespace") };
}

type DeclarationsIn = (folder: string, components: readonly string[]) => readonly Declared[];

/** Reads each file, and follows each kustomization, once for all applications. */
const declarationsIn: (repository: Repository) => DeclarationsIn = onceFor((repository: Repository): DeclarationsIn => {
  const { tree, kustomizations } = repository;
  const files = new Map<string, readonly Declared[]>();
  const folders = new Map<string, readonly Declared[]>();
  const open = new Set<string>();
  const textOf = (file: string): string | undefined => {
    const read = tree.read(file);
    return read.is === "text" ? read.text : undefined;
  };
  const inFile = (file: string): readonly Declared[] => {
    const known = files.get(file);
    if (known !== undefined) return known;
    const text = isManifestName(file) ? textOf(file) : undefined;
    const found = text === undefined ? undefined : readFoundText(text, file, tree.limits);
    const items = found?.is === "manifests" ? found.manifests.items : [];
    const declared = items.map((item): Declared => {
      const { kind, name, namespace, node } = item;
      return { kind, name, namespace, isGenerated: false, place: placeOf(item.tree, node) };
    });
    files.set(file, declared);
    return declared;
  };
  const inFolder = (folder: string): readonly Declared[] => {
    const known = folders.get(folder);
    if (known !== undefined || open.has(folder)) return known ?? [];
    open.add(folder);
    const found = kustomized(folder, [], []);
    open.delete(folder);
    folders.set(folder, found);
    return found;
  };
  /** A component also renames the objects that are there before it. */
  const kustomized = (folder: string, before: readonly Declared[], edited: readonly string[]): readonly Declared[] => {
    const marked = kustomizations.get(folder);
    if (marked?.content === undefined) return before;
    const { resources, components } = kustomizationOf(marked.content);
    let all = [...before];
    for (const path of resources.flatMap((resource) => pathFrom(folder, resource) ?? []))
      for (const declared of kustomizations.has(path) ? inFolder(path) : inFile(path)) all.push(declared);
    for (const path of [...components, ...edited].flatMap((component) => pathFrom(folder, component) ?? [])) {
      if (open.has(path)) continue;
      open.add(path);
      all = [...kustomized(path, all, [])];
      open.delete(path);
    }
    const renaming = renamingOf(marked.content);
    return [...all, ...generatedIn(marked.file, textOf(marked.file) ?? "", repository)].map((one) =>
      renamed(one, renaming),
    );
  };
  // Flux takes everything below a folder without a kustomization.
  const below = (folder: string): readonly Declared[] => {
    const inner = [...topmost([...kustomizations.keys()].filter((path) => isInFolder(folder, path)))];
    return [
      ...inner.flatMap(inFolder),
      ...pathsIn(folder, tree.files)
        .filter((file) => !inner.some((path) => isInFolder(path, folderOf(file))))
        .flatMap(inFile),
    ];
  };
  return (folder, components) =>
    !kustomizations.has(folder)
      ? below(folder)
      : components.length === 0
        ? inFolder(folder)
        : kustomized(folder, [], components);
});

const GENERATORS: ReadonlyMap<string, string> = new Map([
  ["configmapgenerator", "ConfigMap"],
  ["secretgenerator", "Secret"],
]);

/** The entries of generators that create an object, and do not change one. */
function generatedIn(file: string, text: string, { tree: { limits } }: Repository): readonly Declared[] {
  if (!/generator/iu.test(text)) return [];
  const tree = quietly(() => readTree(text, file, limits));
  const [root] = tree?.documents ?? [];
  if (tree === undefined || root === undefined) return [];
  return entriesOf(tree, root).flatMap(({ key, valueNode }) => {
    const kind = GENERATORS.get(folded(key));
    if (kind === undefined) return [];
    return itemsOf(tree, valueNode).flatMap((entry): Declared[] => {
      const [name = "", namespace = "", behavior = "create"] = ["name", "namespace", "behavior"].map((field) =>
        getString(tree, entry, field),
      );
      if (name === "" || behavior !== "create") return [];
      return [{ kind, name, namespace, isGenerated: true, place: placeOf(tree, entry) }];
    });
  });
}
