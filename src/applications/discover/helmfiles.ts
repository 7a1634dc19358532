import { globOf, type Glob } from "../../base/glob.ts";
import { onceFor } from "../../base/grouped.ts";
import { isHelmfile, looksLikeHelmfile } from "../../base/hosts/helmfile.ts";
import { comparing } from "../../base/limits.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import { notExaminedRow } from "../../findings/not-examined/not-examined-kinds.ts";
import type { Finder } from "./finder.ts";
import type { NotFound } from "./not-found.ts";
import { folderOf, pathFrom } from "./paths.ts";

// Nothing here runs Helmfile, so what its files change is unknown.

/** The helmfiles of a snapshot, by name or by content: many repositories have one for each cluster. */
export const helmfilesIn: (tree: Snapshot) => ReadonlySet<string> = onceFor(
  (tree) =>
    new Set(
      tree.files.filter((path) => isHelmfile(path) || (/\.ya?ml$/u.test(path) && tree.says(path, looksLikeHelmfile))),
    ),
);

/** Helmfiles, which are reported: rollstamp.yaml may have a command that renders their folder. */
export const HELMFILES: Finder = ({ tree }, isTaken) => ({
  applications: [],
  taken: [],
  notFound: [...helmfilesIn(tree)]
    .filter((path) => !isTaken(path) && !isTaken(folderOf(path)))
    .map((path): NotFound => ({
      path,
      kind: "Helmfile",
      reason: notExaminedRow("Helmfile").reason,
      isFailure: false,
    })),
});

/** Tests whether a file is a helmfile, or whether one names it. `{{ … }}` in a name stands for any text without a slash. */
export const isOfHelmfiles: (tree: Snapshot) => (path: string) => boolean = onceFor((tree) => {
  const spend = comparing("files with the names in helmfiles");
  const names = new Set<string>();
  const patterns: Glob[] = [];
  const files = helmfilesIn(tree);
  for (const file of files) {
    for (const name of namesIn(tree, file)) {
      const pattern = name.includes("*") ? globOf(name, "goPath") : undefined;
      if (pattern === undefined) names.add(name);
      else patterns.push(pattern);
    }
  }
  return (path) =>
    files.has(path) ||
    names.has(path) ||
    patterns.some((matches) => matches(path, (steps) => spend(steps, tree.limits)));
});

/** A chart, by its folder and its own name. */
interface NamedChart {
  readonly path: string;
  readonly name: string;
}

/**
 * The helmfiles that name a chart: its folder, or its name in a repository of charts. `{{ … }}` stands for any text without a
 * slash.
 */
export const helmfilesNaming: (tree: Snapshot) => (chart: NamedChart) => readonly string[] = onceFor((tree) => {
  const spend = comparing("charts with the names in helmfiles");
  const named = [...helmfilesIn(tree)].flatMap((file) =>
    chartsIn(tree, file).map((written) => ({
      file,
      isFolder: testOf(pathFrom(folderOf(file), written)),
      isName: testOf(written.startsWith(".") ? undefined : written.slice(written.lastIndexOf("/") + 1)),
    })),
  );
  const steps = (count: number): void => spend(count, tree.limits);
  return ({ path, name }) => [
    ...new Set(
      named.flatMap(({ file, isFolder, isName }) => (isFolder(path, steps) || isName(name, steps) ? [file] : [])),
    ),
  ];
});

function testOf(pattern: string | undefined): Glob {
  return (pattern === undefined ? undefined : globOf(pattern, "goPath")) ?? (() => false);
}

/** A chart of a release, or one that is added to its chart. */
const CHART = /(?:^|[\s{,])["']?chart["']?[ \t]*:[ \t]*["']?([^\s"'#,}\]]+)/gmu;

const COMMENT = /^[ \t]*#.*$/gmu;

function chartsIn(tree: Snapshot, file: string): readonly string[] {
  const read = tree.read(file);
  if (read.is !== "text") return [];
  return [
    ...new Set(
      [...read.text.replaceAll(COMMENT, "").replaceAll(TEMPLATE, "*").matchAll(CHART)].map(([, chart = ""]) => chart),
    ),
  ];
}

/** A template; in backquotes, one that Helmfile fills in for each release: {{`{{ .Release.Name }}`}}. */
const TEMPLATE = /\{\{`.{0,1000}?`\}\}|\{\{.{0,1000}?\}\}/gu;

/** All words of a helmfile that can be the names of files. */
function namesIn(tree: Snapshot, file: string): readonly string[] {
  const read = tree.read(file);
  if (read.is !== "text") return [];
  const words = read.text.replaceAll(TEMPLATE, "*").split(/[\s"',[\]{}]+/u);
  return words.flatMap((word) => (word.includes(".") ? (pathFrom(folderOf(file), word) ?? []) : []));
}
