import { isIn, foldersAround } from "../discover/paths.ts";
import type { Repository } from "../discover/repository.ts";
import { decodeBase64 } from "../../base/digest/base64.ts";
import { onceFor } from "../../base/once-for.ts";
import type { Item } from "../../yaml/read/items.ts";
import { isManifestName, readFoundText } from "../../yaml/read/manifest-text.ts";
import { entriesOf, get, getPath, stringOf } from "../../yaml/read/node.ts";
import { scalarText } from "../../yaml/read/tree.ts";
import { jsonText } from "../../findings/results/json-text.ts";
import { declaredObject } from "../../kubernetes/sources/content.ts";
import { DECLARED_KINDS } from "../../kubernetes/sources/declared-kinds.ts";
import type { DeclaredKind } from "../../kubernetes/sources/types.ts";
import type { DataLookup, DataObject, DataReference, DataValue } from "./data-objects.ts";
import { namespacesAround } from "./data-namespaces.ts";
import { kustomizationOf } from "../kustomize/kustomization.ts";
import { generatedData } from "./generated-data.ts";
import { isEncrypted, unknownValue } from "./unknown-values.ts";

// ConfigMaps and Secrets in the files of a repository. Nothing is read before an application names one.

/** Something that makes an object of a kind and name. */
interface Candidate {
  readonly file: string;
  /** As written; "" where it names none. */
  readonly namespace: string;
  readonly make: () => DataObject | undefined;
}

/** Finds ConfigMaps and Secrets in the files of a repository. */
export function dataIn(repository: Repository): DataLookup {
  const candidates = candidatesIn(repository);
  let namespacesOf: ((path: string) => ReadonlySet<string>) | undefined;
  /** 0 for an object of the namespace, 1 for one of which none is known, undefined for another's. */
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
      const away = folders.findIndex((folder) => isIn(folder, candidate.file));
      return ranked === undefined ? [] : [{ candidate, ranked, away }];
    });
    const [nearest] = found.sort((a, b) => a.ranked - b.ranked || a.away - b.away);
    return nearest?.candidate.make();
  };
}

/** The files in which such an object stands, or what makes it. */
export function dataFilesIn(repository: Repository): (reference: DataReference) => readonly string[] {
  const candidates = candidatesIn(repository);
  return (reference) => candidates(reference).map(({ file }) => file);
}

/** The kinds that are, or make, such objects. */
const KINDS = new Set(["ConfigMap", "Secret", ...DECLARED_KINDS.map(({ kind }) => kind)]);
const NAMES_KIND = new RegExp(String.raw`["']?kind["']?\s*:\s*["']?(?:${[...KINDS].join("|")})\b`, "u");

function namesKind(text: string): boolean {
  return NAMES_KIND.test(text);
}

/** Finds what makes an object, in the order of paths. */
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
            ? [{ file, namespace: generator.namespace, make: () => generatedData(generator, folder, file, tree) }]
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
    return [{ file, namespace, make: () => writtenData(item, [file]) }];
  const row = DECLARED_KINDS.find((one) => one.group === item.group && one.kind === item.kind);
  if (row === undefined) return [];
  return row
    .provides(declaredObject(item))
    .flatMap((one): Candidate[] =>
      one.kind === kind && one.name === name
        ? [{ file, namespace: one.namespace ?? namespace, make: () => declaredData(item, row, file) }]
        : [],
    );
}

/** What an object holds itself; `stringData` goes over `data`, as the API server has it. */
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

/** What a controller makes: its values are in the cluster, its keys perhaps too. */
function declaredData(item: Item, row: DeclaredKind, file: string): DataObject {
  const object = declaredObject(item);
  const of = `${row.kind} ${item.name}`;
  const because = row.coverage === "ciphertext" ? `it is sealed in ${of}` : `it is made in the cluster, by ${of}`;
  const whole = row.fields.map((field) => jsonText(object.at(field) ?? null, 0)).join("\n");
  const sealed = row.keys === undefined ? [] : entriesOf(item.tree, getPath(item.tree, item.node, row.keys.split(".")));
  const data = new Map(
    sealed.map(({ key, valueNode }) => [key, unknownValue(because, scalarText(item.tree, valueNode))] as const),
  );
  const keys = row.madeKeys?.(object);
  const value = (key: string): DataValue => unknownValue(because, key, whole);
  for (const key of keys ?? []) if (!data.has(key)) data.set(key, value(key));
  return keys === undefined ? { data, other: value, files: [file] } : { data, files: [file] };
}
