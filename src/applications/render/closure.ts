import { onceFor } from "../../base/grouped.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import { digestOf, holdsIn, Looking, type LookedAt, type Next, type Node } from "./closure-node.ts";

// The files that a rendering reads, and those that it would read if they existed, as the staging copies them
// (stage/stage-kustomization.ts, stage/stage-chart.ts). If all of them have the same ids in two revisions, the
// renderings are the same.

export interface Closure {
  /** A digest of the git ids of all files: equal if the files are equal. */
  readonly digest: string;
  /** The same without what Flux does not read by default. */
  readonly read: string;
  /** What the rendering needs on disk: files, links, whole folders; with a slash at the end only the folder itself. */
  readonly needed: () => ReadonlySet<string>;
  /** The same without what Flux does not read by default. */
  readonly neededByDefault: () => ReadonlySet<string>;
  /** Something is named that must be fetched. */
  readonly isRemote: boolean;
  /** The folders and files that it consists of. Closures of one snapshot share them. */
  readonly nodes: readonly Node[];
}

export type Root =
  | { readonly is: "kustomization"; readonly folder: string }
  | { readonly is: "chart"; readonly folder: string }
  /** As in Flux: a folder without a kustomization gets a generated one, with all manifests below. */
  | { readonly is: "generated"; readonly folder: string }
  /** Any of the kustomizations in a folder and below it. */
  | { readonly is: "below"; readonly folder: string }
  | { readonly is: "folder"; readonly folder: string }
  | { readonly is: "files"; readonly paths: readonly string[] }
  /** The commit: a rendering that contains it differs between revisions. */
  | { readonly is: "commit" };

/** The closures of one snapshot: what several applications read is read once. */
export interface Closures {
  /** The closure; undefined if contents must be loaded first. */
  readonly closureOf: (roots: readonly Root[]) => Closure | undefined;
  /** Returns the ids of the contents that must be loaded, and forgets them. */
  readonly takeWanted: () => readonly string[];
}

export const closuresOf: (snapshot: Snapshot) => Closures = onceFor((snapshot: Snapshot): Closures => {
  const looked = new Map<string, Node>();
  const before = lookedBefore(snapshot.contents);
  const wanted = new Set<string>();
  const nodeOf = ({ is, path }: Next): Node | undefined => {
    const key = `${is} ${path}`;
    const known = looked.get(key);
    if (known !== undefined) return known;
    let found = before.get(key);
    if (found === undefined || !holdsIn(snapshot, found)) {
      found = new Looking(snapshot, wanted).at({ is, path });
      if (found !== undefined) before.set(key, found);
    }
    if (found !== undefined) looked.set(key, found.node);
    return found?.node;
  };
  const known = new Map<string, Closure>();
  const closureOf = (roots: readonly Root[]): Closure | undefined => {
    // By reference: a base of a thousand overlays must not be copied a thousand times.
    const ownNodes: Node[] = [];
    const first: Next[] = [];
    for (const root of roots) {
      if (root.is === "commit") ownNodes.push(commitOf(snapshot));
      else if (root.is === "files") ownNodes.push(new Looking(snapshot, wanted).files(root.paths));
      else first.push({ is: root.is, path: root.folder });
    }
    const all = reachedFrom(first, nodeOf, () => true);
    if (!all.isWhole) return undefined;
    const nodes = [...ownNodes, ...all.nodes];
    const digest = digestOf(nodes.map((node) => node.digest));
    const isAllRead = nodes.every((node) => node.read === node.digest);
    const read = isAllRead
      ? nodes
      : [...ownNodes, ...reachedFrom(first, nodeOf, ({ isUnread }) => isUnread !== true).nodes];
    return {
      digest,
      read: isAllRead ? digest : digestOf(read.map((node) => node.read)),
      needed: () => new Set(nodes.flatMap(({ needed }) => needed)),
      neededByDefault: () => new Set(read.flatMap(({ neededByDefault }) => neededByDefault)),
      isRemote: nodes.some((node) => node.isRemote),
      nodes,
    };
  };
  return {
    closureOf: (roots) => {
      const key = JSON.stringify(roots);
      const found = known.get(key) ?? closureOf(roots);
      if (found !== undefined) known.set(key, found);
      return found;
    },
    takeWanted: () => {
      const taken = [...wanted];
      wanted.clear();
      return taken;
    },
  };
});

/** The nodes that some nodes lead to. Not whole if contents must be loaded first. */
function reachedFrom(
  first: readonly Next[],
  nodeOf: (next: Next) => Node | undefined,
  isFollowed: (next: Next) => boolean,
): { readonly nodes: readonly Node[]; readonly isWhole: boolean } {
  const nodes: Node[] = [];
  let isWhole = true;
  const seen = new Set<string>();
  const left = [...first];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const key = `${next.is} ${next.path}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const node = nodeOf(next);
    if (node === undefined) isWhole = false;
    else {
      nodes.push(node);
      for (const item of node.next) if (isFollowed(item)) left.push(item);
    }
  }
  return { nodes, isWhole };
}

// Most files of two revisions are the same, and each revision is read several times.
const lookedBefore: (contents: object) => Map<string, LookedAt> = onceFor(() => new Map<string, LookedAt>());

function commitOf({ commit }: Snapshot): Node {
  const digest = digestOf([commit]);
  return { digest, read: digest, needed: [], neededByDefault: [], wholes: [], next: [], isRemote: false };
}
