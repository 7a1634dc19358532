import { createHash } from "node:crypto";
import { posix } from "node:path";
import { DEPENDENCY_FILES } from "../ground/hosts/helm.ts";
import { inflatedFolder, KUSTOMIZATION_FILES } from "../ground/hosts/kustomize.ts";
import type { Limits } from "../ground/limits.ts";
import { onceFor } from "../ground/once-for.ts";
import type { Revision, Revisions } from "../io/revisions.ts";
import { localDependencies, type LocalDependency } from "../cmp/chart-dependencies.ts";
import type { InflatedChart } from "../cmp/kustomize-charts.ts";
import { quietly } from "../ground/errors.ts";
import { readsOfKustomization, readsOfPlugins, type Reads } from "./kustomization-reads.ts";
import { follow, kustomizationsOf, linksOf, pathBelow, pathsBelow } from "./revision-paths.ts";

// The files that a rendering reads, and those that it would read if they were there: as the renderers stage them
// (src/adapters/staged-kustomization.ts, staged-chart.ts). Where all of them have the same ids in two revisions, both
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

/** What one folder or file is rendered with, without what it names in turn. Many applications share it. */
interface Node {
  readonly digest: string;
  readonly needed: readonly string[];
  readonly next: readonly Next[];
  readonly isRemote: boolean;
}

interface Next {
  readonly is: "kustomization" | "generated" | "below" | "chart" | "folder";
  readonly path: string;
}

export function closuresOf(revision: Revision, contents: Pick<Revisions, "has" | "text">, limits: Limits): Closures {
  const looked = new Map<string, Node>();
  const wanted = new Set<string>();
  const nodeOf = ({ is, path }: Next): Node | undefined => {
    const key = `${is} ${path}`;
    const known = looked.get(key);
    if (known !== undefined) return known;
    const node = new Looking(revision, contents, limits, wanted).at({ is, path });
    if (node !== undefined) looked.set(key, node);
    return node;
  };
  return {
    of: (roots) => {
      // By reference: of a base that a thousand overlays have nothing is copied a thousand times.
      const nodes: Node[] = [];
      let isWhole = true;
      const left: Next[] = [];
      for (const root of roots) {
        if (root.is === "commit") nodes.push(commitOf(revision));
        else if (root.is === "files") nodes.push(new Looking(revision, contents, limits, wanted).files(root.paths));
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

function commitOf({ commit }: Revision): Node {
  return { digest: digestOf([commit]), needed: [], next: [], isRemote: false };
}

/** What kustomizations name, by the ids of their texts: most are the same in both revisions. */
const readsById: (contents: object) => Map<string, Reads> = onceFor(() => new Map<string, Reads>());

/** Looks at one folder or file. */
class Looking {
  readonly #ids = new Map<string, string>();
  readonly #needed = new Set<string>();
  readonly #next: Next[] = [];
  #isRemote = false;
  #isWhole = true;
  readonly #revision: Revision;
  readonly #contents: Pick<Revisions, "has" | "text">;
  readonly #limits: Limits;
  readonly #wanted: Set<string>;

  constructor(revision: Revision, contents: Pick<Revisions, "has" | "text">, limits: Limits, wanted: Set<string>) {
    this.#revision = revision;
    this.#contents = contents;
    this.#limits = limits;
    this.#wanted = wanted;
  }

  /** Undefined where contents have to be got first; another may have wanted them already. */
  at({ is, path: given }: Next): Node | undefined {
    // What it names is from where it stands, behind links.
    const own = this.#look(".", given);
    const path = own?.is === "folder" ? own.path : given;
    if (is === "kustomization") this.#kustomization(path);
    else if (is === "generated") this.#generated(path);
    else if (is === "below") this.#below(path);
    else if (is === "chart") this.#chart(path);
    else this.#whole(path);
    return this.#isWhole ? this.#node() : undefined;
  }

  files(paths: readonly string[]): Node {
    for (const path of paths) this.#look(".", path);
    return this.#node();
  }

  #node(): Node {
    const digest = digestOf([...this.#ids].map(([path, id]) => `${path}\0${id}`));
    return { digest, needed: [...this.#needed], next: this.#next, isRemote: this.#isRemote };
  }

  /** What stands at a path from a folder; it counts, with each link on the way. */
  #look(folder: string, way: string): ReturnType<typeof follow>["to"] {
    const path = pathBelow(folder, way);
    if (path === undefined) return undefined;
    const { to, looked } = follow(this.#revision, path, this.#contents);
    for (const link of looked) {
      const id = this.#revision.entries.get(link)?.id ?? "";
      this.#ids.set(link, id);
      if (id !== "") this.#needed.add(link);
    }
    if (to === undefined) {
      // Of a submodule the commit is known, and counts.
      if (!looked.includes(path)) this.#ids.set(path, "");
    } else if (to.is === "file") {
      this.#ids.set(to.path, to.id);
      this.#needed.add(to.path);
    } else {
      // That it is a folder; of what is in it those tell who read that.
      this.#ids.set(`${to.path}/`, "folder");
      this.#needed.add(`${to.path}/`);
    }
    return to;
  }

  #text(id: string, path: string): string | undefined {
    if (!this.#contents.has(id)) {
      this.#wanted.add(id);
      this.#isWhole = false;
      return undefined;
    }
    const read = this.#contents.text(id, path);
    return read.is === "text" ? read.text : undefined;
  }

  #kustomization(folder: string): void {
    for (const name of KUSTOMIZATION_FILES) {
      const to = this.#look(folder, name);
      const text = to?.is === "file" ? this.#text(to.id, to.path) : undefined;
      if (to !== undefined && text !== undefined) this.#take(this.#reads(to.id, text), folder);
    }
  }

  #reads(id: string, text: string): Reads {
    const known = readsById(this.#contents);
    let reads = known.get(id);
    if (reads === undefined) known.set(id, (reads = readsOfKustomization(text, this.#limits)));
    return reads;
  }

  #generated(folder: string): void {
    const has = KUSTOMIZATION_FILES.map((name) => this.#look(folder, name)).some((to) => to?.is === "file");
    this.#next.push({ is: "kustomization", path: folder });
    // Those below are named by what Flux makes.
    if (!has) this.#below(folder);
  }

  #below(folder: string): void {
    this.#whole(folder);
    for (const path of pathsBelow(kustomizationsOf(this.#revision), folder))
      this.#next.push({ is: "kustomization", path: posix.dirname(path) });
  }

  #take({ paths, plugins, charts, isRemote, unclear }: Reads, folder: string): void {
    this.#isRemote ||= isRemote;
    // What reads these is no part of kustomize, or is rendered by nobody here: all that it may read is taken for read.
    if (unclear.length > 0) this.#whole(folder);
    for (const text of unclear) {
      const to = this.#look(folder, text);
      if (to?.is !== "folder") continue;
      this.#whole(to.path);
      this.#next.push({ is: "kustomization", path: to.path });
    }
    for (const path of paths) {
      const to = this.#look(folder, path);
      if (to?.is === "folder") this.#next.push({ is: "kustomization", path: to.path });
    }
    for (const path of plugins) {
      const to = this.#look(folder, path);
      if (to?.is === "folder") {
        this.#next.push({ is: "kustomization", path: to.path });
        // What its plugins name is from the folder of this kustomization, and known when it has been built.
        this.#whole(folder);
        this.#whole(to.path);
      }
      const text = to?.is === "file" ? this.#text(to.id, to.path) : undefined;
      // What they name is from the folder of the kustomization, wherever they stand.
      if (text !== undefined) this.#take({ ...readsOfPlugins(text, this.#limits), plugins: [] }, folder);
    }
    for (const chart of charts) this.#inflated(chart, folder);
  }

  #inflated(chart: InflatedChart, folder: string): void {
    const to = this.#look(folder, inflatedFolder(chart));
    if (to?.is === "folder") this.#whole(to.path);
    for (const file of [chart.valuesFile, ...chart.additionalValuesFiles]) if (file !== "") this.#look(folder, file);
  }

  #chart(folder: string): void {
    this.#whole(folder);
    for (const name of DEPENDENCY_FILES) {
      const to = this.#look(folder, name);
      const text = to?.is === "file" ? this.#text(to.id, to.path) : undefined;
      if (text === undefined) continue;
      for (const dependency of dependenciesIn(text, this.#limits)) {
        const chart = this.#look(folder, dependency.folder);
        if (chart?.is === "folder") this.#whole(chart.path);
      }
    }
  }

  /** All that is in a folder, and what its links lead to. */
  #whole(folder: string): void {
    const id = folder === "." ? this.#revision.commit : (this.#revision.entries.get(folder)?.id ?? "");
    if (this.#ids.get(folder) === id) return;
    this.#ids.set(folder, id);
    this.#needed.add(folder);
    for (const path of pathsBelow(linksOf(this.#revision), folder)) {
      const to = this.#look(".", path);
      if (to?.is === "folder") this.#whole(to.path);
    }
  }
}

function digestOf(parts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const part of parts.toSorted()) hash.update(`${part}\0\0`);
  return hash.digest("hex");
}

/** The charts that a chart takes from beside it; of a file that can't be read none, as nothing is rendered then. */
function dependenciesIn(text: string, limits: Limits): readonly LocalDependency[] {
  return quietly(() => localDependencies(text, "", limits)) ?? [];
}
