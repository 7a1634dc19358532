import { objectKey } from "../../base/identity.ts";
import { VERSION_OF } from "../../base/keys.ts";
import type { Io } from "../../platform/ports/io.ts";
import { withoutCopies, type WithoutCopies } from "../../stamping/merge/own-copies.ts";
import { copyAtHead, type CopiesAtHead } from "../../stamping/stamps/kept-copies.ts";
import type { Item } from "../../yaml/read/items.ts";
import type { ManifestFile } from "../../yaml/read/manifest-text.ts";
import type { YamlTree } from "../../yaml/read/tree.ts";
import { byRepository, textsAt, type GitReader } from "./at-head.ts";

/** During a merge, the other side's copies are in Git, too. */
const COMMITS = ["HEAD", "MERGE_HEAD"] as const;

/**
 * The copies of sources at HEAD (contract, section 10: `keep` counts those that are in Git). Undefined for a source whose file is
 * not in HEAD, or has no copies there.
 */
export async function copiesAtHead(
  io: Io,
  files: readonly ManifestFile[],
): Promise<(source: Item) => CopiesAtHead | undefined> {
  const byTree = new Map<YamlTree, readonly WithoutCopies[]>();
  const named = new Set<string>();
  for (const [root, inRoot] of byRepository(io, files)) {
    const options = { cwd: root, environment: io.environment, limits: io.context.limits };
    const reader: GitReader = { git: await io.git.history(), options };
    const paths = inRoot.map(({ path }) => path);
    for (const commit of COMMITS) {
      const texts = await textsAt(reader, commit, paths);
      for (const { tree, path } of inRoot) {
        const read = withoutCopies(texts.get(path) ?? "", io.context.limits, () => true);
        if (read === undefined) continue;
        for (const name of read.names.values()) named.add(name);
        if (texts.get(path)?.includes(VERSION_OF) === true) byTree.set(tree, [...(byTree.get(tree) ?? []), read]);
      }
    }
  }
  return (source) => {
    const copies = (byTree.get(source.tree) ?? []).flatMap(({ copies: of }) => of.get(objectKey(source)) ?? []);
    return copies.length === 0 ? undefined : { copies: copies.map(copyAtHead), named };
  };
}
