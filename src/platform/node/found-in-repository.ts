import { statSync } from "node:fs";
import { RollstampError } from "../../base/errors.ts";
import { isGits, isInside, leadsToGits } from "../../base/inside.ts";
import { realPath } from "./real-path.ts";
import { linkOut } from "./staged-files.ts";

/** What stands at a path of a repository, behind links. */
export interface Found {
  readonly is: "file" | "folder";
  readonly real: string;
}

/**
 * Finds what stands at a path; undefined where nothing does. Throws a RollstampError for a path outside of the root,
 * for a link out, and for what is neither a file nor a folder; nothing outside is looked at.
 */
export function find(path: string, root: string, shown: string): Found | undefined {
  if (!isInside(root, path)) throw outsideOf(shown);
  let real: string;
  try {
    real = realPath(path);
  } catch {
    return undefined;
  }
  if (!isInside(root, real)) throw linkOut(shown);
  if (isGits(root, real)) throw leadsToGits(shown);
  const stats = statSync(real);
  if (stats.isDirectory()) return { is: "folder", real };
  if (stats.isFile()) return { is: "file", real };
  throw new RollstampError("input", "this is a pipe, a socket or a device, and a file is wanted", {
    place: { file: shown },
  });
}

/** The error for a path outside of the repository. */
export function outsideOf(path: string): RollstampError {
  const shown = path.length > 60 ? `${path.slice(0, 60)}…` : path;
  return new RollstampError(
    "input",
    `the kustomization names '${shown.replaceAll("\0", "?")}', which is outside the repository`,
    { remedy: "It takes files and folders of the application's repository." },
  );
}
