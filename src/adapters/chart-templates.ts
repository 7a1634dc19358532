import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import fg from "fast-glob";
import type { NamedText } from "../krm/run-function.ts";
import { CHART_FILE, TEMPLATES_FOLDER } from "../ground/hosts/helm.ts";
import { readTextFile } from "./files.ts";

/** The templates of the charts in some folders, as text. */
export function readChartTemplates(paths: readonly string[]): NamedText[] {
  const folders = paths.filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
  const charts = folders.flatMap((folder) => below(folder, `**/${CHART_FILE}`).map(dirname));
  const files = new Set(charts.flatMap((chart) => below(join(chart, TEMPLATES_FOLDER), "**/*.{yaml,yml,tpl}")));
  return [...files].sort().map((file) => ({ file, text: readTextFile(file) }));
}

function below(folder: string, glob: string): string[] {
  const found = fg.sync(glob, {
    cwd: folder,
    dot: true,
    followSymbolicLinks: false,
    ignore: ["**/node_modules/**", "**/.git/**"],
  });
  return found.map((path) => join(folder, path));
}
