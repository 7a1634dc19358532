import { mkdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { RollstampError } from "../../base/errors.ts";
import type { Files, NewFile } from "../ports/files.ts";
import { findFiles, findUpwards } from "./find-files.ts";
import { readFound, readInPlace, repositoryOf } from "./repository-files.ts";
import { errorCode } from "./system-errors.ts";

/** The files of this machine. */
export const FILES: Files = {
  here: () => realpathSync(process.cwd()),
  kindOf: (path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    return stats.isDirectory() ? "folder" : stats.isFile() ? "file" : "special";
  },
  realPath: (path) => {
    try {
      return realpathSync(path);
    } catch {
      return undefined;
    }
  },
  repositoryOf,
  findUpwards,
  find: findFiles,
  read: ({ real, path }, { inputSize }) => readInPlace(real, path, inputSize),
  readFound,
  chartTemplates: async (...given) => (await import("./chart-templates.ts")).readChartTemplates(...given),
  valuesFiles: async (...given) => (await import("./chart-templates.ts")).readValuesFiles(...given),
  tree: async (...given) => (await import("./repository-tree.ts")).repositoryTree(...given),
  initFolder: async (...given) => (await import("./init-folder.ts")).initFolder(...given),
  replace: async (...given) => (await import("./replace-files.ts")).replaceFiles(...given),
  create,
};

function create({ path, text, executable }: NewFile): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    // Never over a file that came meanwhile.
    writeFileSync(path, text, { flag: "wx", mode: executable ? 0o777 : 0o666 });
  } catch (cause) {
    throw new RollstampError("system", `the file can't be written (${errorCode(cause)})`, {
      place: { file: path },
      remedy: "Check its folder's permissions.",
    });
  }
}
