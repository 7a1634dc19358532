import { isInFolder, foldersAround, fluxPath, pathFrom } from "../discover/paths.ts";
import type { Repository } from "../discover/repository.ts";
import { decodeBase64 } from "../../base/digest/hash-v1.ts";
import type { Item } from "../../yaml/read/items.ts";
import { isManifestName, readFoundText } from "../../yaml/read/manifest-text.ts";
import { entriesOf, get, getPath, stringOf } from "../../yaml/read/node.ts";
import { scalarText } from "../../yaml/read/tree.ts";
import { jsonText } from "../../findings/results/json-text.ts";
import { declaredObject } from "../../kubernetes/sources/content.ts";
import { DECLARED_KINDS } from "../../kubernetes/sources/declared-kinds.ts";
import type { DeclaredKind } from "../../kubernetes/sources/types.ts";
import type { DataLookup, DataObject, DataReference, DataValue } from "./data-objects.ts";
import { kustomizationOf, type Generator } from "../kustomize/kustomization.ts";
import { isEncrypted, unknownValue } from "./unknown-values.ts";
import { type GitOpsObject, givenText, isFluxKustomization } from "../discover/objects.ts";
import { includedIn } from "../discover/kustomizations.ts";
import { addTo, once, onceFor, onceForText } from "../../base/grouped.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";

// ConfigMaps and Secrets in the files of a repository. Files are read only when an application references an object.

/** Something that creates an object. */
interface Candidate {
  readonly file: string;
  /** The namespace in the file; "" if it sets none. */
  readonly namespace: string;
  readonly make: () => DataObject | undefined;
}

export function dataIn(repository: Repository): DataLookup {
  const candidates = candidatesIn(repository);
  const roots = once(() => clusterRoots(repository));
  const rootsOf = onceForText((path) => [path, ...foldersAround(path)].filter((folder) => roots().has(folder)));
  // What only another cluster reads is not in this one.
  const isOfAnother = ({ file }: Candidate, near: string): boolean =>
    rootsOf(near).length > 0 && rootsOf(file).some((root) => !isInFolder(root, near));
  let namespacesOf: ((path: string) => ReadonlySet<string>) | undefined;
  /** 0 for an object of the namespace, 1 if its namespace is unknown, undefined for another namespace. */
  const rank = ({ file, namespace: written }: Candidate, { namespace }: DataReference): number | undefined => {
    namespacesOf ??= namespacesAround(repository);
    const around = namespacesOf(file);
    if (namespace === "" || written === namespace || around.has(namespace)) return 0;
    return written === "" && around.size === 0 ? 1 : undefined;
  };
  return (reference, near) => {
    const folders = near === "." ? ["."] : foldersAround(near);
    const found = candidates(reference).flatMap((candidate) => {
      const ranked = rank(candidate, reference);
      if (ranked === undefined || isOfAnother(candidate, near)) return [];
      return [{ candidate, ranked, away: folders.findIndex((folder) => isInFolder(folder, candidate.file)) }];
    });
    const [nearest] = found.sort((a, b) => a.ranked - b.ranked || a.away - b.away);
    return nearest?.candidate.make();
  };
}

/** The folders that clusters read: a Kustomization of Flux is in its own path. */
function clusterRoots({ objects }: Repository): ReadonlySet<string> {
  return new Set(fluxPaths(objects).flatMap(({ path, file }) => (isInFolder(path, file) ? [path] : [])));
}

/** The paths that Kustomizations of Flux apply. */
function fluxPaths(objects: Repository["objects"]): readonly (GitOpsObject & { readonly path: string })[] {
  return objects.filter(isFluxKustomization).flatMap((object) => {
    const path = fluxPath(givenText(object.spec["path"]) ?? ".");
    return path === undefined ? [] : [{ ...object, path }];
  });
}

/** The files that contain such an object, or what creates it. */
export function dataFilesIn(repository: Repository): (reference: DataReference) => readonly string[] {
  const candidates = candidatesIn(repository);
  return (reference) => candidates(reference).map(({ file }) => file);
}

/** The kinds that are, or create, such objects. */
const KINDS = new Set(["ConfigMap", "Secret", ...DECLARED_KINDS.map(({ kind }) => kind)]);
const NAMES_KIND = new RegExp(String.raw`["']?kind["']?\s*:\s*["']?(?:${[...KINDS].join("|")})\b`, "u");

function namesKind(text: string): boolean {
  return NAMES_KIND.test(text);
}

/** Finds what creates an object, in path order. */
const candidatesIn: (repository: Repository) => (reference: DataReference) => readonly Candidate[] = onceFor(
  (repository: Repository) => {
    const { tree, kustomizations, isChartInput } = repository;
    let texts: ReadonlyMap<string, string> | undefined;
    const items = new Map<string, readonly Item[]>();
    const itemsOf = (file: string, text: string): readonly Item[] => {
      let known = items.get(file);
      if (known === undefined) {
        const found = readFoundText(text, file, tree.limits);
        items.set(file, (known = found.is === "manifests" ? found.manifests.items : []));
      }
      return known;
    };
    const known = new Map<string, readonly Candidate[]>();
    return (reference) => {
      const { kind, name } = reference;
      const key = `${kind}/${name}`;
      let found = known.get(key);
      if (found !== undefined) return found;
      texts ??= new Map(
        tree.files.flatMap((file): [string, string][] => {
          if (!isManifestName(file) || isChartInput(file)) return [];
          const read = tree.says(file, namesKind) ? tree.read(file) : undefined;
          return read?.is === "text" ? [[file, read.text]] : [];
        }),
      );
      const written = [...texts].flatMap(([file, text]) =>
        text.includes(name) ? itemsOf(file, text).flatMap((item) => candidatesOf(item, reference, file)) : [],
      );
      const generated = [...kustomizations.values()].flatMap(({ folder, file, content }) =>
        (content === undefined ? [] : kustomizationOf(content).generators).flatMap((generator): Candidate[] =>
          generator.kind === kind && generator.name === name
            ? [{ file, namespace: generator.namespace, make: once(() => generatedData(generator, folder, file, tree)) }]
            : [],
        ),
      );
      known.set(key, (found = [...written, ...generated]));
      return found;
    };
  },
);

function candidatesOf(item: Item, { kind, name }: DataReference, file: string): Candidate[] {
  const { namespace } = item;
  if (item.group === "" && item.kind === kind && item.name === name)
    return [{ file, namespace, make: once(() => writtenData(item, [file])) }];
  const row = DECLARED_KINDS.find((one) => one.group === item.group && one.kind === item.kind);
  if (row === undefined) return [];
  return row
    .provides(declaredObject(item))
    .flatMap((one): Candidate[] =>
      one.kind === kind && one.name === name
        ? [{ file, namespace: one.namespace ?? namespace, make: once(() => declaredData(item, row, file)) }]
        : [],
    );
}

/** The data of an object. `stringData` takes precedence over `data`, as in the API server. */
export function writtenData(item: Item, files: readonly string[]): DataObject {
  const data = new Map<string, DataValue>();
  const take = (field: string, valueOf: (text: string, key: string) => DataValue): void => {
    for (const { key, valueNode } of entriesOf(item.tree, get(item.tree, item.node, field)))
      data.set(key, valueOf(stringOf(item.tree, valueNode) ?? scalarText(item.tree, valueNode), key));
  };
  const encrypted = (text: string): DataValue | undefined =>
    isEncrypted(text) ? unknownValue("it is encrypted with SOPS", text) : undefined;
  const plain = (text: string): DataValue => encrypted(text) ?? { is: "text", text };
  if (item.kind === "ConfigMap") take("data", plain);
  else {
    take("data", (text) => {
      const bytes = decodeBase64(text);
      const value = bytes === undefined ? unknownValue("it is not base64", text) : undefined;
      return encrypted(text) ?? value ?? { is: "text", text: bytes?.toString("utf8") ?? "" };
    });
    take("stringData", plain);
  }
  return { data, files };
}

/** The data that a controller creates: the values are only in the cluster, and maybe the keys too. */
function declaredData(item: Item, row: DeclaredKind, file: string): DataObject {
  const object = declaredObject(item);
  const maker = `${row.kind} ${item.name}`;
  const because = row.coverage === "ciphertext" ? `it is sealed in ${maker}` : `it is made in the cluster, by ${maker}`;
  const whole = row.fields.map((field) => jsonText(object.get(field) ?? null, 0)).join("\n");
  const sealed = row.keys === undefined ? [] : entriesOf(item.tree, getPath(item.tree, item.node, row.keys.split(".")));
  const data = new Map(
    sealed.map(({ key, valueNode }) => [key, unknownValue(because, scalarText(item.tree, valueNode))] as const),
  );
  const keys = row.madeKeys?.(object);
  const value = (key: string): DataValue => unknownValue(because, key, whole);
  for (const key of keys ?? []) if (!data.has(key)) data.set(key, value(key));
  return keys === undefined ? { data, other: value, files: [file] } : { data, files: [file] };
}

/** The namespaces that kustomizations and Flux set for the objects of a file. */
export function namespacesAround(
  repository: Pick<Repository, "kustomizations" | "objects">,
): (path: string) => ReadonlySet<string> {
  const includers = new Map<string, string[]>();
  const namespaces = new Map<string, string>();
  for (const { folder, content } of repository.kustomizations.values()) {
    if (content === undefined) continue;
    const { namespace } = kustomizationOf(content);
    if (namespace !== "") namespaces.set(folder, namespace);
    for (const path of includedIn(folder, repository)) addTo(includers, path, folder);
  }
  const targets = fluxTargets(repository);
  const known = new Map<string, ReadonlySet<string>>();
  return (path) => {
    const done = known.get(path);
    if (done !== undefined) return done;
    const found = new Set<string>();
    const seen = new Set([path]);
    for (const current of seen) {
      const ownNamespace = namespaces.get(current);
      if (ownNamespace !== undefined) found.add(ownNamespace);
      for (const folder of includers.get(current) ?? []) seen.add(folder);
      // Without a kustomization, Flux takes everything below a folder.
      for (const folder of [current, ...foldersAround(current)])
        if (folder === current || !repository.kustomizations.has(folder))
          for (const namespace of targets.get(folder) ?? []) found.add(namespace);
    }
    known.set(path, found);
    return found;
  };
}

/** `targetNamespace` of Flux's Kustomizations, by path. */
function fluxTargets({ objects }: Pick<Repository, "objects">): ReadonlyMap<string, readonly string[]> {
  const targets = new Map<string, string[]>();
  for (const { path, spec } of fluxPaths(objects)) {
    const namespace = givenText(spec["targetNamespace"]);
    if (namespace !== undefined) addTo(targets, path, namespace);
  }
  return targets;
}

/**
 * The data that a generator of kustomize creates (kustomize/api/kv/kv.go); undefined if a file cannot be read here, or if
 * the values are not in Git.
 */
export function generatedData(
  generator: Generator,
  folder: string,
  file: string,
  tree: Pick<Snapshot, "read">,
): DataObject | undefined {
  const data = new Map<string, DataValue>();
  const files = [file];
  const read = (named: string): string | undefined => {
    const path = pathFrom(folder, named);
    const found = path === undefined ? undefined : tree.read(path);
    if (path === undefined || found?.is !== "text") return undefined;
    files.push(path);
    return found.text;
  };
  const put = (key: string, text: string): void => {
    data.set(key, isEncrypted(text) ? unknownValue("it is encrypted with SOPS", text) : { is: "text", text });
  };
  for (const env of generator.envs) {
    const text = read(env);
    if (text === undefined) return undefined;
    for (const line of text.replace(/^\uFEFF/u, "").split(/\r?\n/u)) {
      const [, key, value] = /^\s*([^#\s=][^=]*)=(.*)$/u.exec(line) ?? [];
      if (key !== undefined && value !== undefined) put(key, value);
      // A key without a value takes it from the environment of kustomize.
      else if (!/^\s*(?:#|$)/u.test(line)) return undefined;
    }
  }
  for (const { key, path } of generator.files) {
    const text = read(path);
    if (text === undefined) return undefined;
    put(key, text);
  }
  for (const literal of generator.literals) {
    const end = literal.indexOf("=");
    if (end > 0) put(literal.slice(0, end), withoutQuotes(literal.slice(end + 1)));
  }
  return { data, files };
}

/** The files that a generator in a folder reads, from the root of the repository. */
export function generatorFiles({ envs, files }: Generator, folder: string): readonly string[] {
  return [...envs, ...files.map(({ path }) => path)].flatMap((path) => pathFrom(folder, path) ?? []);
}

/** A literal without quotes around all of it. */
function withoutQuotes(text: string): string {
  return /^(?:"[^]*"|'[^]*')$/u.test(text) && text.length > 1 ? text.slice(1, -1) : text;
}
