// Helpers for rendering applications without rollstamp.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { isMapping, type Mapping } from "../../src/yaml/read/json.ts";
import type { Json } from "../../src/yaml/read/node.ts";

/** An application, as `apps -o json` has it. */
export interface Listed {
  readonly name: string;
  readonly path: string;
  readonly kind: string;
  readonly foundBy: string;
  readonly namespace?: string;
  readonly definedIn?: readonly string[];
  readonly shownBy?: string;
}

/** Why nothing is compared. */
export type NotRendered =
  | { readonly is: "failed"; readonly words: string }
  /** What can't be rendered here as it is applied. */
  | { readonly is: "left out"; readonly because: string };

/** What an application renders to. */
export type Rendered = { readonly is: "text"; readonly text: string } | NotRendered;

export const failed = (words: string): NotRendered => ({ is: "failed", words: words.trim() });
export const leftOut = (because: string): NotRendered => ({ is: "left out", because });

// Nothing is fetched: whoever asks a host is sent to a port at which nobody listens.
const OFFLINE = { HTTPS_PROXY: "http://127.0.0.1:9", HTTP_PROXY: "http://127.0.0.1:9", NO_PROXY: "" };

/** Runs a program that a rendering takes. */
export function run(
  program: string,
  args: readonly string[],
  { env, cwd, input }: { readonly env: NodeJS.ProcessEnv; readonly cwd?: string; readonly input?: string },
): Rendered {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    env: { ...env, ...OFFLINE },
    encoding: "utf8",
    maxBuffer: 1 << 28,
    ...(cwd === undefined ? {} : { cwd }),
    ...(input === undefined ? {} : { input }),
  });
  return status === 0 ? { is: "text", text: stdout } : failed(error?.message ?? stderr);
}

/** What git has of a checkout, as far as it is there. */
export function filesOf(folder: string): readonly string[] {
  const { stdout } = spawnSync("git", ["-C", folder, "ls-files", "-z"], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.split("\0").filter((path) => path !== "" && existsSync(join(folder, path)));
}

/** Takes back what a program has written into a checkout. */
export function restore(checkout: string, env: NodeJS.ProcessEnv): void {
  for (const args of [
    ["checkout", "--quiet", "--", "."],
    ["clean", "-fdq"],
  ])
    spawnSync("git", ["-C", checkout, ...args], { env });
}

export const mapping = (value: Json | undefined): Mapping => (isMapping(value) ? value : {});
export const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

/** The value at a path as a string; "" if there is none. */
export function textAt(value: Json | undefined, ...path: readonly string[]): string {
  let found: Json | undefined = value;
  for (const key of path) found = isMapping(found) ? found[key] : undefined;
  return typeof found === "string" ? found : found === undefined || found === null ? "" : JSON.stringify(found);
}

/** The mappings among the documents of YAML text; none if it is invalid. */
export function objectsIn(text: string): readonly Mapping[] {
  return parseAllDocuments(text, { logLevel: "silent", merge: true }).flatMap((document) => {
    if (document.errors.length > 0) return [];
    const value: Json = document.toJS({ maxAliasCount: -1 });
    return isMapping(value) ? [value] : [];
  });
}

/** Objects as manifests. */
export function asText(objects: readonly Json[]): Rendered {
  return { is: "text", text: objects.map((one) => `${JSON.stringify(one)}\n`).join("---\n") };
}

/** Kinds of no namespace, as charts and kustomizations have them. */
const OF_THE_CLUSTER =
  /^(?:Namespace|PersistentVolume|StorageClass|IngressClass|PriorityClass|RuntimeClass|APIService|CustomResourceDefinition|Cluster\w+|\w+WebhookConfiguration)$/u;

/** A rendering as it is applied: to a namespace, where an object names none. */
export function inNamespace(made: Rendered, namespace: string): Rendered {
  if (made.is !== "text" || namespace === "") return made;
  const objects = objectsIn(made.text).map((object): Json => {
    const metadata = mapping(object["metadata"]);
    const isPlaced = metadata["namespace"] !== undefined || OF_THE_CLUSTER.test(textAt(object, "kind"));
    return isPlaced ? object : { ...object, metadata: { ...metadata, namespace } };
  });
  return asText(objects);
}

/** An object, and the file in which it stands. */
export interface Written {
  readonly file: string;
  readonly object: Mapping;
}

/** The files of a checkout, and what its programs are run with. */
export interface HandIn {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** The objects in the files of YAML. */
  readonly documents: () => readonly Written[];
}

/** The objects in the files of YAML of a checkout, read once. */
export function documentsIn(folder: string): () => readonly Written[] {
  let all: readonly Written[] | undefined;
  return () =>
    (all ??= filesOf(folder)
      .filter((file) => /\.ya?ml$/u.test(file))
      .flatMap((file) => {
        const text = readFileSync(join(folder, file), "utf8");
        return /^kind: /mu.test(text) ? objectsIn(text).map((object) => ({ file, object })) : [];
      }));
}
