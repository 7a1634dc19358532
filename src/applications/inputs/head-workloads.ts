import { dirname, posix, relative, sep } from "node:path";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { quietly } from "../../base/errors.ts";
import { addTo } from "../../base/grouped.ts";
import type { GitHistory, HistoryOptions, RevisionPath } from "../../platform/ports/git.ts";
import type { Io } from "../../platform/ports/io.ts";
import { readManifests } from "../../yaml/read/items.ts";
import { isManifestName, type ManifestFile } from "../../yaml/read/manifest-text.ts";
import { readTree, type YamlTree } from "../../yaml/read/tree.ts";
import type { AtHead } from "../../stamping/waves/wave.ts";
import { findWorkloads } from "../../kubernetes/workloads/find-workloads.ts";
import { workloadKey } from "../../base/identity.ts";
import type { Workload } from "../../kubernetes/workloads/types.ts";
import { workloadKinds } from "../../kubernetes/workloads/workload-kinds.ts";

// What counts for waves is what the commit that is being made changes: each workload is compared with what it is at
// git's HEAD. Outside of a repository nothing is known but the file.

/** Reads the workloads of files as they are at HEAD; gives what each was there. */
export async function headWorkloads(
  io: Io,
  files: readonly ManifestFile[],
  spec: ConfigHashSpec,
): Promise<(workload: Workload) => AtHead> {
  const roots = new Map<string, string | undefined>();
  const rootOf = (folder: string): string | undefined => {
    if (!roots.has(folder)) roots.set(folder, io.files.repositoryOf(folder));
    return roots.get(folder);
  };
  const byRoot = new Map<string, Here[]>();
  for (const file of files) {
    const root = file.real === undefined ? undefined : rootOf(dirname(file.real));
    if (file.real === undefined || root === undefined) continue;
    const here = { tree: file.manifests.tree, path: relative(root, file.real).split(sep).join("/") };
    addTo(byRoot, root, here);
  }
  const heads = new Map<YamlTree, Head>();
  for (const [root, own] of byRoot) {
    const options = { cwd: root, environment: io.environment, limits: io.context.limits };
    const head = await headOf({ git: await io.git.history(), options, spec }, own);
    for (const { tree, path } of own) heads.set(tree, { path, ...head });
  }
  return (workload) => atHead(workload, heads.get(workload.item.tree));
}

interface Here {
  readonly tree: YamlTree;
  /** From the root of the repository. */
  readonly path: string;
}

/** What is known of HEAD for a file. */
interface Head extends Workloads {
  readonly path: string;
}

interface Workloads {
  /** The files that are at HEAD what they are here. */
  readonly same: ReadonlySet<string>;
  /** By the path of their file and their identity. */
  readonly inFile: ReadonlyMap<string, ReadonlyMap<string, Workload>>;
  /** Where those of an identity were that are in that file no more. */
  readonly moved: ReadonlyMap<string, readonly Moved[]>;
}

interface Moved {
  readonly path: string;
  readonly workload: Workload;
}

function atHead(workload: Workload, head: Head | undefined): AtHead {
  if (head === undefined || head.same.has(head.path)) return "same";
  const id = workloadKey(workload.item, workload.namespace);
  const own = head.inFile.get(head.path)?.get(id);
  return own ?? nearest(head.moved.get(id) ?? [], head.path)?.workload ?? "new";
}

function nearest(moved: readonly Moved[], path: string): Moved | undefined {
  const parts = path.split("/");
  const score = (other: string): number => {
    const there = other.split("/");
    let same = 0;
    while (same < parts.length && parts[same] === there[same]) same += 1;
    // A folder that got another name has files of the same names.
    return same + (posix.basename(path) === posix.basename(other) ? parts.length : 0);
  };
  let best: { readonly moved: Moved; readonly score: number } | undefined;
  for (const one of moved) {
    const own = score(one.path);
    if (best === undefined || own > best.score) best = { moved: one, score: own };
  }
  return best?.moved;
}

interface Reader {
  readonly git: GitHistory;
  readonly options: HistoryOptions;
  readonly spec: ConfigHashSpec;
}

async function headOf(reader: Reader, own: readonly Here[]): Promise<Workloads> {
  const known = new Map(own.map(({ path, tree }) => [path, tree]));
  const texts = await textsAtHead(reader, [...known.keys()]);
  const same = new Set([...known].filter(([path, { text }]) => texts.get(path) === text).map(([path]) => path));
  // A workload that is new in its file may have come from another one, which may be gone.
  const others = (await reader.git.changedSinceHead(reader.options)).filter(
    (path) => isManifestName(path) && !known.has(path),
  );
  const more = same.size === known.size ? new Map<string, string>() : await textsAtHead(reader, others);
  const inFile = new Map<string, ReadonlyMap<string, Workload>>();
  const moved = new Map<string, Moved[]>();
  for (const [path, text] of [...texts, ...more]) {
    if (same.has(path)) continue;
    const before = workloadsIn(text, path, reader);
    if (before === undefined) {
      // What its workloads were isn't known: not that they are new, which would let all of them go at once.
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

// What git prints for them is held in memory.
const AT_ONCE = 200;

async function textsAtHead({ git, options }: Reader, paths: readonly string[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (let from = 0; from < paths.length; from += AT_ONCE) {
    const some = paths.slice(from, from + AT_ONCE).map((path): RevisionPath => ({ commit: "HEAD", path }));
    const found = await git.textsAt(some, options);
    for (const [i, { path }] of some.entries()) {
      const text = found[i];
      if (text !== undefined) texts.set(path, text);
    }
  }
  return texts;
}

/** What HEAD holds need not be right: undefined for what can't be read. */
function workloadsIn(text: string, path: string, { options, spec }: Reader): ReadonlyMap<string, Workload> | undefined {
  return quietly(() => {
    const { items } = readManifests(readTree(text, path, options.limits));
    const workloads = findWorkloads(items, { ...spec, kinds: workloadKinds(spec) });
    return new Map(workloads.map((workload) => [workloadKey(workload.item, workload.namespace), workload]));
  });
}
