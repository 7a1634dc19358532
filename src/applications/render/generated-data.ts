import { posix } from "node:path";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import { listOf, foldedGet, type Mapping, fieldsOf, textOrEmpty } from "../../yaml/read/json.ts";
import { pathFrom } from "../discover/paths.ts";
import type { DataObject, DataValue } from "./data-objects.ts";
import { isEncrypted } from "./sops-values.ts";
import { unknownValue } from "./unknown-values.ts";

// What kustomize's generators make (kustomize/api/kv/kv.go), where a file tells it by itself.

/** The data of a generator; undefined where a file of it can't be read here, or its values are not in Git. */
export function generatedData(
  generator: Mapping,
  folder: string,
  file: string,
  tree: Pick<Snapshot, "read">,
): DataObject | undefined {
  const data = new Map<string, DataValue>();
  const files = [file];
  const read = (way: string): string | undefined => {
    const path = pathFrom(folder, way);
    const found = path === undefined ? undefined : tree.read(path);
    if (path === undefined || found?.is !== "text") return undefined;
    files.push(path);
    return found.text;
  };
  const put = (key: string, text: string): void => {
    data.set(key, isEncrypted(text) ? unknownValue("it is encrypted with SOPS", text) : { is: "text", text });
  };
  for (const way of envsOf(generator)) {
    const text = read(way);
    if (text === undefined) return undefined;
    for (const line of text.replace(/^\uFEFF/u, "").split(/\r?\n/u)) {
      const [, key, value] = /^\s*([^#\s=][^=]*)=(.*)$/u.exec(line) ?? [];
      if (key !== undefined && value !== undefined) put(key, value);
      // A key alone takes its value from where kustomize runs.
      else if (!/^\s*(?:#|$)/u.test(line)) return undefined;
    }
  }
  for (const given of texts(generator, "files")) {
    const at = given.indexOf("=");
    const way = given.slice(at + 1);
    const text = read(way);
    if (text === undefined) return undefined;
    put(at < 0 ? posix.basename(way) : given.slice(0, at), text);
  }
  for (const literal of texts(generator, "literals")) {
    const at = literal.indexOf("=");
    if (at > 0) put(literal.slice(0, at), unquoted(literal.slice(at + 1)));
  }
  return { data, files };
}

function envsOf(generator: Mapping): readonly string[] {
  const env = textOrEmpty(foldedGet(generator, "env"));
  return [...(env === "" ? [] : [env]), ...texts(generator, "envs")];
}

/** The files that the generators of a kustomization read, from the root of the repository. */
export function generatorFiles(content: Mapping, folder: string): readonly string[] {
  return generatorsOf(content).flatMap(({ generator }) => {
    const files = texts(generator, "files").map((given) => given.slice(given.indexOf("=") + 1));
    return [...envsOf(generator), ...files].flatMap((way) => pathFrom(folder, way) ?? []);
  });
}

function texts(generator: Mapping, field: string): readonly string[] {
  return listOf(foldedGet(generator, field)).map(textOrEmpty);
}

/** Quotes around the whole of a literal go. */
function unquoted(text: string): string {
  return /^(?:"[^]*"|'[^]*')$/u.test(text) && text.length > 1 ? text.slice(1, -1) : text;
}

/** The generators of a kustomization, each with the kind of object that it makes. */
export function generatorsOf(
  content: Mapping,
): { readonly kind: "ConfigMap" | "Secret"; readonly generator: Mapping }[] {
  const of = (field: string, kind: "ConfigMap" | "Secret"): { kind: "ConfigMap" | "Secret"; generator: Mapping }[] =>
    listOf(foldedGet(content, field)).map((generator) => ({ kind, generator: fieldsOf(generator) }));
  return [...of("configmapgenerator", "ConfigMap"), ...of("secretgenerator", "Secret")];
}
