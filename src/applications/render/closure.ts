import { onceFor } from "../../base/once-for.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import { digestOf, holdsIn, Looking, type LookedAt, type Next, type Node } from "./closure-node.ts";

// The files that a rendering reads, and those that it would read if they were there: as the renderers stage them
// (src/applications/render/stage/stage-kustomization.ts, staged-chart.ts). Where all of them have the same ids in two revisions, both
// render to the same.

/** What a rendering reads of a revision. */
export interface Closure {
  /** One digest of git's ids of all that: it is the same where they are. */
  readonly digest: string;
  /** What has to be there for the rendering: files, links, whole folders; with a slash behind it just the folder. */
  readonly needed: () => ReadonlySet<string>;
  /** Something is named that is fetched from elsewhere. */
  readonly isRemote: boolean;
}

/** What an application is rendered from. */
export type Root =
  | { readonly is: "kustomization"; readonly folder: string }
  | { readonly is: "chart"; readonly folder: string }
  /** As Flux takes it: of a folder without a kustomization it makes one, of all manifests below. */
  | { readonly is: "generated"; readonly folder: string }
  /** Any of the kustomizations below a folder, and that in it. */
  | { readonly is: "below"; readonly folder: string }
  /** All that is in a folder. */
  | { readonly is: "folder"; readonly folder: string }
  | { readonly is: "files"; readonly paths: readonly string[] }
  /** Which commit it is: a rendering that tells of that differs in each. */
  | { readonly is: "commit" };

/** Closures of one revision: what several applications read is looked at once. */
export interface Closures {
  /** The closure; undefined where contents have to be got first, which are then among the wanted. */
  readonly of: (roots: readonly Root[]) => Closure | undefined;
  /** Ids of the contents that were wanted and not there; taken away by this. */
  readonly takeWanted: () => readonly string[];
}

export function closuresOf(snapshot: Snapshot): Closures {
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
  return {
    of: (roots) => {
      // By reference: of a base that a thousand overlays have nothing is copied a thousand times.
      const nodes: Node[] = [];
      let isWhole = true;
      const left: Next[] = [];
      for (const root of roots) {
        if (root.is === "commit") nodes.push(commitOf(snapshot));
        else if (root.is === "files") nodes.push(new Looking(snapshot, wanted).files(root.paths));
        else left.push({ is: root.is, path: root.folder });
      }
      const seen = new Set<string>();
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        const key = `${next.is} ${next.path}`;
        if (seen.has(key)) continue;
        seen.add(key);
        const node = nodeOf(next);
        if (node === undefined) isWhole = false;
        else {
          nodes.push(node);
          for (const one of node.next) left.push(one);
        }
      }
      if (!isWhole) return undefined;
      return {
        digest: digestOf(nodes.map(({ digest }) => digest)),
        needed: () => new Set(nodes.flatMap(({ needed }) => needed)),
        isRemote: nodes.some((node) => node.isRemote),
      };
    },
    takeWanted: () => {
      const taken = [...wanted];
      wanted.clear();
      return taken;
    },
  };
}

// Most of what two revisions have is the same, and who looks for applications looks at a revision several times.
const lookedBefore: (contents: object) => Map<string, LookedAt> = onceFor(() => new Map<string, LookedAt>());

function commitOf({ commit }: Snapshot): Node {
  return { digest: digestOf([commit]), needed: [], next: [], isRemote: false };
}
