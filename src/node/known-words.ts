import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Known } from "../applications/tools/masked-words.ts";
import type { GivenParameters } from "../platform/ports/applications.ts";
import { CHART_FILE, TEMPLATES_FOLDER } from "../base/hosts/helm.ts";
import { DEFAULT_LIMITS } from "../base/limits.ts";
import type { Json } from "../yaml/read/node.ts";
import { readInside } from "./repository-files.ts";
import { fieldOf, isMapping, listOf, textOrEmpty } from "../yaml/read/json.ts";
import { readDocuments } from "../yaml/read/manifest-text.ts";

// Used only after a program has failed: which words in its messages are values, and which may be shown.

// Messages are short, and larger files are not written by people.
const LARGEST = 1 << 20;

/** Collects the words in the stage of a program. */
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
    const file = join(folder, path);
    if (!statSync(file).isFile() || statSync(file).size > LARGEST) continue;
    const read = readInside(file, { root: folder, shown: path, most: LARGEST });
    if (read.is === "refused") continue;
    open.push(path);
    if (isTemplate(path, charts)) open.push(read.text);
    // Values files of parameters, and of inflated charts.
    else if (/(?:^|\/)(?:values[^/]*\.ya?ml$|values-files\/|file-parameters\/)/u.test(path))
      addAll(values, leavesOf(read.text));
    else if (/\.env$|(?:^|\/)[^/.]+$/u.test(path) && !path.endsWith("/Kustomization"))
      addAll(values, assigned(read.text));
    else addAll(values, secretsOf(read.text));
  }
  return { open, values: values.flatMap((value) => [value, ...value.split("\n")]) };
}

/** Whether a file is in the folder `templates` of a chart. Other folders of that name may contain anything. */
function isTemplate(path: string, charts: ReadonlySet<string>): boolean {
  const parts = path.split("/");
  return parts.some((part, i) => part === TEMPLATES_FOLDER && charts.has(parts.slice(0, i).join("/") || "."));
}

/** The values of a YAML document; the lines of another text. */
function leavesOf(text: string): readonly string[] {
  return documentsOf(text)?.flatMap(textsIn) ?? text.split("\n").map((line) => line.trim());
}

/** The data of Secrets and of patches of them, and the values that a kustomization makes Secrets from. */
function secretsOf(text: string): readonly string[] {
  const found: string[] = [];
  for (const document of documentsOf(text) ?? []) {
    const data = dataOf(document);
    addAll(found, data);
    if (data.length > 0) addAll(found, linesOf(text, data));
    if (!isMapping(document)) continue;
    for (const generator of ["secretGenerator", "configMapGenerator"]) {
      for (const literal of listOf(document[generator]).flatMap(givenTexts))
        addAll(found, [...assigned(literal), literal]);
    }
    if (document["kind"] === "SecretGenerator")
      addAll(found, listOf(document["literals"]).flatMap(givenTexts).flatMap(assigned));
    const patches = [
      ...["patches", "patchesJson6902"].flatMap((field) =>
        listOf(document[field]).map((entry) => fieldOf(entry, "patch")),
      ),
      ...["patchesStrategicMerge", "generators", "transformers"].flatMap((field) => listOf(document[field])),
      // Of a transformer.
      document["patch"],
      document["jsonOp"],
    ];
    for (const patch of patches) if (typeof patch === "string") addAll(found, secretsOf(patch));
  }
  return found;
}

/** The data of a Secret, of those in a list, and of a patch, which need not have a kind. */
function dataOf(document: Json): readonly string[] {
  // A JSON patch.
  if (Array.isArray(document))
    return document.flatMap((entry) =>
      /^\/(?:stringD|d)ata(?:\/|$)/u.test(textOrEmpty(fieldOf(entry, "path")))
        ? withDecoded(textsIn(fieldOf(entry, "value") ?? null))
        : [],
    );
  if (!isMapping(document)) return [];
  const { kind = "Secret", stringData = null, data = null, items } = document;
  if (kind === "Secret") return [...textsIn(stringData), ...withDecoded(textsIn(data))];
  return listOf(items).flatMap(dataOf);
}

function withDecoded(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => [text, Buffer.from(text, "base64").toString("utf8")]);
}

/** What describes the source of a generator, in the words of kustomize's own messages: it is no value. */
const DESCRIBING: ReadonlySet<string> = new Set(["name", "namespace", "behavior", "type", "options"]);

function givenTexts(entry: Json): readonly string[] {
  if (!isMapping(entry)) return textsIn(entry);
  return Object.entries(entry).flatMap(([key, value]) => (DESCRIBING.has(key) ? [] : textsIn(value)));
}

/** The lines of folded values: a program may show one of them. */
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
    return readDocuments(text, "", DEFAULT_LIMITS);
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

/** One by one: a call cannot have hundreds of thousands of arguments. */
function addAll(to: string[], texts: readonly string[]): void {
  for (const text of texts) to.push(text);
}
