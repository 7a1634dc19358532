import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { bufferFromFileOrString, findHomeDir, makeAbsolutePath } from "@kubernetes/client-node/dist/config.js";
import { loadAll } from "js-yaml";

export type Fields = Readonly<Record<string, unknown>>;

/** A context, a cluster or a user, and the file that defines it. */
export interface Entry {
  readonly fields: Fields;
  readonly file: string;
}

export interface Kubeconfigs {
  readonly current: string;
  readonly contexts: ReadonlyMap<string, Entry>;
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
}

/** Reads the file of --kubeconfig, else those of KUBECONFIG, else ~/.kube/config. Undefined if there is none. */
export function readKubeconfigs(file: string | undefined, variable: string | undefined): Kubeconfigs | undefined {
  // kubectl skips missing files of KUBECONFIG, but not a missing --kubeconfig.
  if (file !== undefined) return merged([file]);
  const listed = (variable ?? "").split(delimiter).filter((name) => name !== "");
  const usual = join(findHomeDir() ?? homedir(), ".kube", "config");
  const files = (listed.length === 0 ? [usual] : listed).filter((name) => existsSync(name));
  return files.length === 0 ? undefined : merged(files);
}

const LISTS = { contexts: "context", clusters: "cluster", users: "user" } as const;

/** As kubectl merges: the first file with a name, or with a current context, counts. A file has each name once. */
function merged(files: readonly string[]): Kubeconfigs {
  let current = "";
  const found = {
    contexts: new Map<string, Entry>(),
    clusters: new Map<string, Entry>(),
    users: new Map<string, Entry>(),
  };
  for (const file of files) {
    const [document] = loadAll(contentOf(file));
    const config = fieldsOf(document);
    current ||= textOf(config, "current-context");
    for (const list of ["contexts", "clusters", "users"] as const) {
      const names = new Set<string>();
      for (const item of listOf(config[list])) {
        const name = textOf(fieldsOf(item), "name");
        if (names.has(name)) throw new Error("duplicate name");
        names.add(name);
        if (!found[list].has(name)) found[list].set(name, { fields: fieldsOf(fieldsOf(item)[LISTS[list]]), file });
      }
    }
  }
  return { current, ...found };
}

/** The text of a file. */
export function contentOf(file: string): string {
  return bufferFromFileOrString(file)?.toString("utf8") ?? "";
}

/** The fields of a mapping; none of a missing value. Throws a TypeError for any other value. */
export function fieldsOf(value: unknown): Fields {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw new TypeError("not a mapping");
  return Object.fromEntries(Object.entries(value));
}

/** The items of a list; none of a missing value. Throws a TypeError for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new TypeError("not a list");
  return value;
}

/** A string; "" if it is missing. Throws a TypeError for any other value. */
export function textOf(fields: Fields, key: string): string {
  const value = fields[key] ?? "";
  if (typeof value !== "string") throw new TypeError("not a string");
  return value;
}

/** The strings of a list; none if it is missing. Throws a TypeError for any other value. */
export function textsOf(fields: Fields, key: string): string[] {
  return listOf(fields[key]).map((value) => textOf({ value }, "value"));
}

/** A path, which starts at the folder of the kubeconfig; "" if it is missing. */
export function pathOf({ fields, file }: Entry, key: string): string {
  const path = textOf(fields, key);
  return path === "" ? "" : makeAbsolutePath(dirname(file), path);
}
