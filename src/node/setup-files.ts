import { realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import fg from "fast-glob";
import { CHART_FILE, TEMPLATES_FOLDER } from "../base/hosts/helm.ts";
import type { Limits } from "../base/limits.ts";
import { readInside, repositoryOf } from "./repository-files.ts";
import { type InitFolder, textOf } from "../platform/ports/files.ts";
import type { NamedText } from "../stamping/function/config.ts";

/** The files that `init` reads, below a folder and in its repository. */
export function initFolder(folder: string, limits: Limits): InitFolder {
  const here = resolve(folder);
  const root = repositoryOf(here) ?? here;
  const find = (folderOf: string, glob: string): string[] =>
    below(folderOf, glob)
      .map((path) => slashed(relative(here, path)))
      .sort();
  return {
    read: (path, within = realpathSync(root)) => {
      const read = readInside(join(here, path), { root: within, shown: path, most: limits.inputSize });
      return read.is === "refused" && read.because === "missing" ? undefined : textOf(read);
    },
    find: (glob) => find(here, glob),
    findInRepository: (glob) => find(root, glob),
    repository: slashed(relative(here, root)) || ".",
    path: slashed(relative(root, here)) || ".",
    typed: slashed(folder),
    limits,
  };
}

function slashed(path: string): string {
  return path.split(sep).join("/");
}

/** The texts of the templates of charts in folders. Links that lead outside and special files are skipped. */
export function readChartTemplates(paths: readonly string[], { inputSize }: Limits): NamedText[] {
  return textsBelow(paths, inputSize, (folder) => {
    const charts = below(folder, `**/${CHART_FILE}`).map(dirname);
    return charts.flatMap((chart) => below(join(chart, TEMPLATES_FOLDER), "**/*.{yaml,yml,tpl}"));
  });
}

/** Files with values, by their names: `values.yaml`, `values-prod.yml`, `helm-values.yaml`, and files in a folder `values`. */
export function readValuesFiles(paths: readonly string[], { inputSize }: Limits): NamedText[] {
  return textsBelow(paths, inputSize, (folder) => [
    ...below(folder, "**/*values*.{yaml,yml}"),
    ...below(folder, "**/values/*.{yaml,yml}"),
  ]);
}

function textsBelow(
  paths: readonly string[],
  most: number,
  filesOf: (folder: string) => readonly string[],
): NamedText[] {
  const folders = paths.filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
  const texts = new Map<string, string>();
  for (const folder of folders) {
    const real = realpathSync(folder);
    const root = realpathSync(repositoryOf(real) ?? real);
    for (const file of filesOf(folder)) {
      const read = readInside(file, { root, shown: file, most });
      if (read.is === "text") texts.set(file, read.text);
      else if (read.because === "tooLarge" || read.because === "unreadable") throw read.error;
    }
  }
  return [...texts].map(([file, text]) => ({ file, text })).sort((a, b) => (a.file < b.file ? -1 : 1));
}

function below(folder: string, glob: string): string[] {
  const ignore = ["**/node_modules/**", "**/.git/**"];
  return fg
    .sync(glob, { cwd: folder, dot: true, followSymbolicLinks: false, ignore })
    .map((path) => join(folder, path));
}
