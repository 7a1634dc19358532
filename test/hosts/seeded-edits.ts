// Seeded edits of shared bases, in all places where a person could edit the files of a repository.
import { lstatSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { isScalar, isSeq, parseAllDocuments } from "yaml";
import type { Files } from "../support/folders.ts";

/** One edit: what of, where, and the file's text behind it. */
export interface SeededEdit {
  readonly what: string;
  readonly path: string;
  readonly files: Files;
  /** How many kustomizations have the file in what they name, directly or through others. */
  readonly shared: number;
}

interface EditKind {
  readonly what: string;
  readonly path: RegExp;
  /** What the text has to hold. */
  readonly holds: RegExp;
  /** The line that is edited: what is put behind it makes the edit. */
  readonly line: RegExp;
}

const KINDS: readonly EditKind[] = [
  {
    what: "default",
    path: /\/charts\/common\/values\.yaml$/u,
    holds: /^defaultPodOptions:/mu,
    line: /^ {2}dnsPolicy: "/mu,
  },
  {
    what: "image",
    path: /\.ya?ml$/u,
    holds: /^kind: (?:Deployment|StatefulSet|DaemonSet|CronJob)\s*$/mu,
    line: /^ *(?:- )?image: ["']?[\w./-]+:[\w.-]+(?=["']?\s*$)/mu,
  },
  {
    what: "env",
    path: /\.ya?ml$/u,
    holds: /^kind: (?:Deployment|StatefulSet|DaemonSet|CronJob)\s*$/mu,
    line: /^ *- name: \w+\n\s*value: ["']?[a-z][\w./-]*(?=["']?\s*$)/mu,
  },
  {
    what: "ConfigMap",
    path: /\.ya?ml$/u,
    holds: /^kind: ConfigMap\s*$/mu,
    line: /^data:\n {2}[\w.-]+: (?:["']?[a-z][\w./-]*(?=["']?\s*$)|\|-?\n {4}[^\n]*)/mu,
  },
  {
    what: "generator",
    path: /(?:^|\/)kustomization\.ya?ml$/u,
    holds: /^configMapGenerator:/mu,
    line: /^ *- ["']?[A-Za-z_]+=[a-z][\w./-]*(?=["']?\s*$)/mu,
  },
  { what: "env file", path: /\.env$/u, holds: /=/u, line: /^[A-Za-z_-]+=[a-z][\w./-]*$/mu },
  {
    what: "tag",
    path: /(?:^|\/)kustomization\.ya?ml$/u,
    holds: /^images:/mu,
    line: /^ *(?:- )?newTag: ["']?[\w.-]+(?=["']?\s*$)/mu,
  },
  {
    what: "variable",
    path: /\.ya?ml$/u,
    holds: /^apiVersion: kustomize\.toolkit\.fluxcd\.io/mu,
    line: /^ *substitute:\n\s*[\w]+: ["']?[A-Za-z][\w./-]*(?=["']?\s*$)/mu,
  },
  {
    what: "release",
    path: /\.ya?ml$/u,
    holds: /^kind: HelmRelease\s*$/mu,
    line: /^ {4,}tag: ["']?[\w.-]+(?=[@"'\s])/mu,
  },
  {
    what: "field",
    path: /(?:^|\/)(?:components?|templates)\/.*\.ya?ml$/u,
    holds: /^kind: /mu,
    line: /^ {2,}(?:mode|compressor|copyMethod|storageClassName|schedule|kind|replacePolicy): ["']?[A-Za-z][\w-]*(?=["']?\s*$)/mu,
  },
  {
    what: "value of a release",
    path: /\.ya?ml$/u,
    holds: /^kind: HelmRelease\s*$/mu,
    line: /^ {2}values:\n(?: {4}[^\n]*\n)*? {4,}[\w.-]+: ["']?\w[\w./-]*(?=["']?\s*$)/mu,
  },
  {
    what: "values",
    path: /(?:^|\/)values[^/]*\.ya?ml$/u,
    holds: /:/u,
    line: /^ *(?:tag|logLevel|host|message|name): ["']?[A-Za-z\d][\w./-]*(?=["']?\s*$)/mu,
  },
];

/** A small generator of numbers (mulberry32): the same for the same seed, wherever it runs. */
export function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** At most so many edits, of as many kinds as there are; of each kind first files that several kustomizations share. */
export function seededEdits(root: string, paths: readonly string[], seed: number, count: number): SeededEdit[] {
  const next = numbers(seed);
  const shares = sharesOf(root, paths);
  const found = KINDS.map((kind) => {
    const edits = paths.flatMap((path) => {
      if (!kind.path.test(path) || /(?:^|\/)(?:tests?|testdata|\.[^/]+)\//u.test(path)) return [];
      const text = textOf(join(root, path));
      if (text?.includes("{{") === true && /(?:^|\/)templates\//u.test(path)) return [];
      const match = text === undefined || !kind.holds.test(text) ? null : kind.line.exec(text);
      if (text === undefined || match === null) return [];
      const end = match.index + match[0].length;
      const edited = `${text.slice(0, end)}${kind.what === "generator" ? "edited" : "-edited"}${text.slice(end)}`;
      return [{ what: kind.what, path, files: { [path]: edited }, shared: shares(path) }];
    });
    return [edits.filter(({ shared }) => shared > 1), edits.filter(({ shared }) => shared <= 1)];
  });
  const chosen: SeededEdit[] = [];
  while (chosen.length < count && found.flat(2).length > 0) {
    for (const [most = [], others = []] of found) {
      const edits = most.length > 0 ? most : others;
      const [edit] = edits.splice(next(Math.max(edits.length, 1)), 1);
      if (edit === undefined || chosen.length >= count || chosen.some(({ path }) => path === edit.path)) continue;
      chosen.push(edit);
    }
  }
  return chosen;
}

/** How many kustomizations come to a file: by their names for folders and files, as a plain reading has them. */
function sharesOf(root: string, paths: readonly string[]): (path: string) => number {
  const namedBy = new Map<string, string[]>();
  const name = (named: string, by: string): void => {
    namedBy.set(named, [...(namedBy.get(named) ?? []), by]);
  };
  for (const file of paths) {
    for (const [path, component] of componentsIn(file.endsWith(".yaml") ? (textOf(join(root, file)) ?? "") : ""))
      name(normalize(join(path, component)), `${file} ${path}`);
    if (!/(?:^|\/)(?:kustomization\.ya?ml|Kustomization)$/u.test(file)) continue;
    const [document] = parseAllDocuments(textOf(join(root, file)) ?? "");
    const content: unknown = document === undefined || document.errors.length > 0 ? {} : document.toJS();
    for (const way of textsIn(content)) {
      name(normalize(join(dirname(file), way.split("=").pop() ?? "")).replace(/\/$/u, ""), dirname(file));
    }
  }
  return (path) => {
    const seen = new Set<string>();
    const left = [path, dirname(path)];
    if (/(?:^|\/)kustomization\.ya?ml$/u.test(path)) left.shift();
    for (let current = left.pop(); current !== undefined; current = left.pop()) {
      for (const by of namedBy.get(current) ?? []) {
        if (seen.has(by)) continue;
        seen.add(by);
        left.push(by);
      }
    }
    return seen.size;
  };
}

/** The components of Flux's Kustomizations, each with the path from which it is named. */
function componentsIn(text: string): readonly (readonly [path: string, component: string])[] {
  if (!/^apiVersion: kustomize\.toolkit\.fluxcd\.io/mu.test(text)) return [];
  return parseAllDocuments(text).flatMap((document) => {
    const components: unknown = document.errors.length > 0 ? undefined : document.getIn(["spec", "components"]);
    if (!isSeq(components)) return [];
    const path = String(document.getIn(["spec", "path"]));
    return components.items.map((one) => [path, isScalar(one) ? String(one.value) : ""] as const);
  });
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return value.includes("\n") ? [] : [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function textOf(file: string): string | undefined {
  return lstatSync(file).isFile() ? readFileSync(file, "utf8") : undefined;
}
