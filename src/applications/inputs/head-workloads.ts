import { posix } from "node:path";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { quietly } from "../../base/errors.ts";
import { addTo } from "../../base/grouped.ts";
import type { Io } from "../../platform/ports/io.ts";
import { readManifests } from "../../yaml/read/items.ts";
import { isManifestName, type ManifestFile } from "../../yaml/read/manifest-text.ts";
import { readTree, type YamlTree } from "../../yaml/read/tree.ts";
import { byRepository, textsAt, type FileInRepository, type GitReader } from "./at-head.ts";
import type { AtHead } from "../../stamping/waves/wave.ts";
import { findWorkloads } from "../../kubernetes/workloads/find-workloads.ts";
import { workloadKey } from "../../base/identity.ts";
import type { Workload } from "../../kubernetes/workloads/types.ts";
import { workloadKinds } from "../../kubernetes/workloads/workload-kinds.ts";

// Waves count what the next commit changes: each workload is compared with its state at HEAD. Outside of a repository, only the
// file is known.

/** Returns what each workload is at HEAD. */
export async function headWorkloads(
  io: Io,
  files: readonly ManifestFile[],
  spec: ConfigHashSpec,
): Promise<(workload: Workload) => AtHead> {
  const heads = new Map<YamlTree, Head>();
  for (const [root, inRoot] of byRepository(io, files)) {
    const options = { cwd: root, environment: io.environment, limits: io.context.limits };
    const head = await headOf({ git: await io.git.history(), options, spec }, inRoot);
    for (const { tree, path } of inRoot) heads.set(tree, { path, ...head });
  }
  return (workload) => atHead(workload, heads.get(workload.item.tree));
}

/** HEAD for one file. */
interface Head extends Workloads {
  readonly path: string;
}

interface Workloads {
  /** The files without changes since HEAD. */
  readonly same: ReadonlySet<string>;
  /** By the path of the file, then by identity. */
  readonly inFile: ReadonlyMap<string, ReadonlyMap<string, Workload>>;
  /** Workloads that are no longer in their file, by identity. */
  readonly moved: ReadonlyMap<string, readonly Moved[]>;
}

interface Moved {
  readonly path: string;
  readonly workload: Workload;
}

function atHead(workload: Workload, head: Head | undefined): AtHead {
  if (head === undefined || head.same.has(head.path)) return "same";
  const id = workloadKey(workload.item, workload.namespace);
  return head.inFile.get(head.path)?.get(id) ?? nearest(head.moved.get(id) ?? [], head.path)?.workload ?? "new";
}

function nearest(moved: readonly Moved[], path: string): Moved | undefined {
  const parts = path.split("/");
  const score = (other: string): number => {
    const there = other.split("/");
    let same = 0;
    while (same < parts.length && parts[same] === there[same]) same += 1;
    // A renamed folder has files with the same names.
    return same + (posix.basename(path) === posix.basename(other) ? parts.length : 0);
  };
  let best: { readonly moved: Moved; readonly score: number } | undefined;
  for (const candidate of moved) {
    const points = score(candidate.path);
    if (best === undefined || points > best.score) best = { moved: candidate, score: points };
  }
  return best?.moved;
}

interface Reader extends GitReader {
  readonly spec: ConfigHashSpec;
}

async function headOf(reader: Reader, files: readonly FileInRepository[]): Promise<Workloads> {
  const known = new Map(files.map(({ path, tree }) => [path, tree]));
  const texts = await textsAt(reader, "HEAD", [...known.keys()]);
  const same = new Set([...known].filter(([path, { text }]) => texts.get(path) === text).map(([path]) => path));
  // A workload that is new in its file may come from another file, which may be deleted.
  const others = (await reader.git.changedSinceHead(reader.options)).filter(
    (path) => isManifestName(path) && !known.has(path),
  );
  const more = same.size === known.size ? new Map<string, string>() : await textsAt(reader, "HEAD", others);
  const inFile = new Map<string, ReadonlyMap<string, Workload>>();
  const moved = new Map<string, Moved[]>();
  for (const [path, text] of [...texts, ...more]) {
    if (same.has(path)) continue;
    const before = workloadsIn(text, path, reader);
    if (before === undefined) {
      // Unknown is not new: new workloads would all roll out at once.
      same.add(path);
      continue;
    }
    inFile.set(path, before);
    const tree = known.get(path);
    const now = tree === undefined ? undefined : workloadsIn(tree.text, path, reader);
    for (const [id, workload] of before) {
      if (now?.has(id) === true) continue;
      addTo(moved, id, { path, workload });
    }
  }
  return { same, inFile, moved };
}

/** The workloads of text at HEAD; undefined if it can't be read. */
function workloadsIn(text: string, path: string, { options, spec }: Reader): ReadonlyMap<string, Workload> | undefined {
  return quietly(() => {
    const { items } = readManifests(readTree(text, path, options.limits));
    const workloads = findWorkloads(items, { ...spec, kinds: workloadKinds(spec) });
    return new Map(workloads.map((workload) => [workloadKey(workload.item, workload.namespace), workload]));
  });
}
