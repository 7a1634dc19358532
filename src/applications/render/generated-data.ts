import type { Snapshot } from "../../platform/ports/snapshot.ts";
import { pathFrom } from "../discover/paths.ts";
import { kustomizationOf, type Generator } from "../kustomize/kustomization.ts";
import type { Mapping } from "../../yaml/read/json.ts";
import type { DataObject, DataValue } from "./data-objects.ts";
import { isEncrypted, unknownValue } from "./unknown-values.ts";

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

/** The files that the generators of a kustomization read, from the root of the repository. */
export function generatorFiles(content: Mapping, folder: string): readonly string[] {
  return kustomizationOf(content).generators.flatMap(({ envs, files }) =>
    [...envs, ...files.map(({ path }) => path)].flatMap((path) => pathFrom(folder, path) ?? []),
  );
}

/** A literal without quotes around all of it. */
function withoutQuotes(text: string): string {
  return /^(?:"[^]*"|'[^]*')$/u.test(text) && text.length > 1 ? text.slice(1, -1) : text;
}
