import { basename } from "node:path";
import { marksFolder } from "../../applications/discover/repository.ts";
import { isManifestName } from "../../yaml/read/manifest-text.ts";

/**
 * Whether a link to a file of the repository counts beside that file: it makes its folder an application, or it has the
 * name of a manifest and the file has not. Any other would
 * show the same twice.
 */
export function countsBesideItsTarget(link: string, target: string): boolean {
  return marksFolder(basename(link)) || (isManifestName(link) && !isManifestName(target));
}
