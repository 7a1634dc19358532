import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Known } from "../../applications/tools/masked-words.ts";
import type { GivenParameters } from "../ports/applications.ts";
import { CHART_FILE, TEMPLATES_FOLDER } from "../../base/hosts/helm.ts";
import { DEFAULT_LIMITS } from "../../base/limits.ts";
import { toJson, type Json } from "../../yaml/read/node.ts";
import { readTree } from "../../yaml/read/tree.ts";
import { readInside } from "./repository-files.ts";

// Only looked at when a program has failed: which of its words are values, and which its reader may see.

// A message is short; what is larger than that is no file that a person writes values into.
const LARGEST = 1 << 20;

/** What is known of the words of a program that ran over a stage. */
export function knownWords(folder: string, given: GivenParameters): Known {
  const open: string[] = [];
  const values: string[] = [...given.values()].flatMap(({ string = "", array = [], map = {} }) => [
    ...leavesOf(string),
    ...array,
    ...Object.values(map),
  ]);
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const charts = new Set(paths.filter((path) => basename(path) === CHART_FILE).map(dirname));
  for (const path of paths) {
    const at = join(folder, path);
    if (!statSync(at).isFile() || statSync(at).size > LARGEST) continue;
    const read = readInside(at, { root: folder, shown: path, most: LARGEST });
    if (read.is === "refused") continue;
    open.push(path);
    if (isTemplate(path, charts)) open.push(read.text);
    // The files of parameters, and of each chart that a kustomization inflates.
    else if (/(?:^|\/)(?:values[^/]*\.ya?ml$|values-files\/|file-parameters\/)/u.test(path))
      addAll(values, leavesOf(read.text));
    else if (/\.env$|(?:^|\/)[^/.]+$/u.test(path) && !path.endsWith("/Kustomization"))
      addAll(values, assigned(read.text));
    else addAll(values, secretsOf(read.text));
  }
  return { open, values: values.flatMap((value) => [value, ...value.split("\n")]) };
}

/** True for a file in the folder `templates` of a chart; other folders of that name hold anything. */
function isTemplate(path: string, charts: ReadonlySet<string>): boolean {
  const parts = path.split("/");
  return parts.some((part, i) => part === TEMPLATES_FOLDER && charts.has(parts.slice(0, i).join("/") || "."));
}

/** The texts of a YAML document that are no keys; the lines of what is none. */
function leavesOf(text: string): readonly string[] {
  return documentsOf(text)?.flatMap(textsIn) ?? text.split("\n").map((line) => line.trim());
}

/** Data of Secrets, and what a kustomization makes Secrets of. */
function secretsOf(text: string): readonly string[] {
  const found: string[] = [];
  for (const document of documentsOf(text) ?? []) {
    if (typeof document !== "object" || document === null || Array.isArray(document)) continue;
    if (document["kind"] === "Secret") {
      addAll(found, textsIn(document["stringData"] ?? null));
      for (const value of textsIn(document["data"] ?? null)) {
        found.push(value, Buffer.from(value, "base64").toString("utf8"));
      }
      addAll(found, linesOf(text, found));
    }
    for (const generator of ["secretGenerator", "configMapGenerator"]) {
      for (const literal of textsIn(document[generator] ?? null)) found.push(...assigned(literal), literal);
    }
  }
  return found;
}

/** The lines of a text over which values are folded: a program may show one as it stands. */
function linesOf(text: string, values: readonly string[]): readonly string[] {
  const several = values.filter((value) => /\s/u.test(value)).join("\n");
  if (several === "") return [];
  const lines = text.split("\n").flatMap((line) => [line, line.slice(line.indexOf(": ") + 1)]);
  const bare = new Set(lines.map((line) => line.trim().replace(/^["']|["'\\]$/gu, "")));
  return [...bare].filter((line) => line !== "" && several.includes(line));
}

function assigned(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => {
    const end = line.indexOf("=");
    return [line.trim(), line.slice(end + 1).trim()];
  });
}

function documentsOf(text: string): readonly Json[] | undefined {
  try {
    const tree = readTree(text, "", DEFAULT_LIMITS);
    return tree.documents.map((node) => toJson(tree, node));
  } catch {
    return undefined;
  }
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** Adds texts one by one: hundreds of thousands are more than a call takes as arguments. */
function addAll(to: string[], texts: readonly string[]): void {
  for (const text of texts) to.push(text);
}
