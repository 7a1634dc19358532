import { RollstampError } from "../../base/errors.ts";
import type { Files } from "../../platform/ports/files.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";

interface Wanted {
  readonly paths: ReadonlySet<string>;
  /** The name of a path in messages and reports. */
  readonly shown: (path: string) => string;
  /** The real path; any unique name if the files are not on disk. */
  readonly real: (path: string) => string;
}

/** Some files of a snapshot, to be read like files that a command finds at its paths. */
export function snapshotFiles(
  { files, left, read }: Snapshot,
  { paths, shown, real }: Wanted,
): Pick<Files, "find" | "read"> {
  const found = new Map(files.filter((path) => paths.has(path)).map((path) => [shown(path), path]));
  return {
    find: () => ({
      files: [...found].map(([name, path]) => ({ path: name, real: real(path), named: false })),
      left: left.flatMap(({ path, ...row }) => (paths.has(path) ? { path: shown(path), ...row } : [])),
      kustomizeInput: [],
      charts: [],
      errors: [],
    }),
    read: ({ path: name }) => {
      const result = read(found.get(name) ?? name);
      if (result.is === "text") return result;
      const { code, message, remedy } = result.error;
      return { ...result, error: new RollstampError(code, message, { place: { file: name }, remedy }) };
    },
  };
}
