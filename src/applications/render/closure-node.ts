import { createHash } from "node:crypto";
import { posix } from "node:path";
import { localDependencies, type LocalDependency } from "../tools/chart-dependencies.ts";
import type { InflatedChart } from "../kustomize/inflated-charts.ts";
import { quietly } from "../../base/errors.ts";
import { DEPENDENCY_FILES } from "../../base/hosts/helm.ts";
import { foldersAround } from "../discover/paths.ts";
import { inflatedFolder, KUSTOMIZATION_FILES } from "../../base/hosts/kustomize.ts";
import type { Limits } from "../../base/limits.ts";
import { onceFor } from "../../base/grouped.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import { readsOfKustomization, readsOfPlugins, type Reads } from "./kustomization-reads.ts";
import { follow, kustomizationsOf, linksOf, pathBelow, pathsBelow, pathsOf, type Resolved } from "./snapshot-paths.ts";

/** What one folder or file is rendered from, without the files of what it names in turn. Many applications share it. */
export interface Node {
  readonly digest: string;
  /** The same, but of folders whose manifests Flux takes without files that it does not read by default. */
  readonly read: string;
  readonly needed: readonly string[];
  /** The same, but of those folders only the files that Flux reads by default. */
  readonly neededByDefault: readonly string[];
  /** The whole folders among `needed`. */
  readonly wholes: readonly WholeFolder[];
  readonly next: readonly Next[];
  readonly isRemote: boolean;
}

/** A whole folder that a rendering needs. */
export interface WholeFolder {
  readonly folder: string;
  /** `chart`: helm loads it. `manifests`: Flux takes its manifests. `any`: which files are read there is unknown. */
  readonly as: "chart" | "manifests" | "any";
  /** The folders in it whose kustomizations name what is read there. */
  readonly except: readonly string[];
}

export interface Next {
  readonly is: "kustomization" | "generated" | "below" | "chart" | "folder";
  readonly path: string;
  /** By default Flux does not read it: it is in the folder of another kustomization, which does not name it. */
  readonly isUnread?: boolean;
}

/** A node with the paths that were looked up, each followed by its id, and their snapshot. */
export interface LookedAt {
  readonly node: Node;
  readonly snapshot: Snapshot;
  readonly ids: readonly string[];
}

/** Whether all paths that were looked up are the same in a snapshot. If so, the node is the same. */
export function holdsIn(snapshot: Snapshot, { snapshot: other, ids }: LookedAt): boolean {
  if (snapshot === other) return true;
  for (let i = 0; i < ids.length; i += 2) if (idIn(snapshot, ids[i] ?? "") !== ids[i + 1]) return false;
  return true;
}

/**
 * The recorded id of a path; undefined if another path would be looked up. The folders above an existing path are not
 * links: nothing is below a link.
 */
function idIn({ entries, commit }: Snapshot, path: string): string | undefined {
  if (path === ".") return commit;
  if (path.endsWith("/"))
    return path === "./" || entries.get(path.slice(0, -1))?.is === "folder" ? A_FOLDER : undefined;
  const entry = entries.get(path);
  if (entry !== undefined) return entry.id;
  // For a path that ends early, the first missing folder is recorded.
  const above = posix.dirname(path);
  return above === "." || entries.get(above)?.is === "folder" ? "" : undefined;
}

/** Recorded instead of an id: the path is a folder, with any content. */
const A_FOLDER = "folder";

/** What kustomizations name, by the ids of their texts. Most are the same in both revisions. */
const readsById: (contents: object) => Map<string, Reads> = onceFor(() => new Map<string, Reads>());

/** Reads one folder or file. */
export class Looking {
  readonly #ids = new Map<string, string>();
  readonly #needed = new Set<string>();
  readonly #wholes: WholeFolder[] = [];
  /** The paths in whole folders that Flux reads, with their ids; those of folders end with a slash. */
  readonly #manifests = new Map<string, readonly (readonly [path: string, id: string])[]>();
  readonly #next: Next[] = [];
  #isRemote = false;
  #isWhole = true;
  readonly #snapshot: Snapshot;
  readonly #wanted: Set<string>;

  constructor(snapshot: Snapshot, wanted: Set<string>) {
    this.#snapshot = snapshot;
    this.#wanted = wanted;
  }

  /** Undefined if contents must be loaded first: their ids are then in `wanted`. */
  at({ is, path: given }: Next): LookedAt | undefined {
    // Its paths are relative to the folder behind the links.
    const target = this.#look(".", given);
    const path = target?.is === "folder" ? target.path : given;
    if (is === "kustomization") this.#kustomization(path);
    else if (is === "generated") this.#generated(path);
    else if (is === "below") this.#below(path);
    else if (is === "chart") this.#chart(path);
    else this.#whole(path, "any");
    return this.#isWhole ? { node: this.#node(), snapshot: this.#snapshot, ids: [...this.#ids].flat() } : undefined;
  }

  files(paths: readonly string[]): Node {
    for (const path of paths) this.#look(".", path);
    return this.#node();
  }

  #node(): Node {
    const named = ([path, id]: readonly [string, string]): string => `${path}\0${id}`;
    const digest = digestOf([...this.#ids].map(named));
    const needed = [...this.#needed];
    const isAllRead = this.#manifests.size === 0;
    const filesRead = (folder: string): readonly string[] | undefined =>
      this.#manifests.get(folder)?.flatMap(([path]) => (path.endsWith("/") ? [] : path));
    return {
      digest,
      read: isAllRead
        ? digest
        : digestOf([...this.#ids].flatMap((entry) => this.#manifests.get(entry[0]) ?? [entry]).map(named)),
      needed,
      neededByDefault: isAllRead ? needed : needed.flatMap((path) => filesRead(path) ?? path),
      wholes: this.#wholes,
      next: this.#next,
      isRemote: this.#isRemote,
    };
  }

  /** Looks up a path from a folder. The result counts, with each link on the way. */
  #look(folder: string, way: string): ReturnType<typeof follow>["to"] {
    const path = pathBelow(folder, way);
    if (path === undefined) return undefined;
    const { to, looked } = follow(this.#snapshot, path);
    for (const link of looked) {
      const id = this.#snapshot.entries.get(link)?.id ?? "";
      this.#ids.set(link, id);
      if (id !== "") this.#needed.add(link);
    }
    if (to === undefined) {
      // For a submodule, its commit counts.
      if (!looked.includes(path)) this.#ids.set(path, "");
    } else if (to.is === "file") {
      this.#ids.set(to.path, to.id);
      this.#needed.add(to.path);
    } else {
      // Records only that it is a folder: its content counts where it is read.
      this.#ids.set(`${to.path}/`, A_FOLDER);
      this.#needed.add(`${to.path}/`);
    }
    return to;
  }

  #text(id: string, path: string): { readonly text: string } | undefined {
    if (!this.#snapshot.contents.has(id)) {
      this.#wanted.add(id);
      this.#isWhole = false;
      return undefined;
    }
    const read = this.#snapshot.contents.text(id, path);
    return read.is === "text" ? read : undefined;
  }

  #kustomization(folder: string): void {
    for (const name of KUSTOMIZATION_FILES) {
      const to = this.#look(folder, name);
      const read = to?.is === "file" ? this.#text(to.id, to.path) : undefined;
      if (to !== undefined && read !== undefined) this.#take(this.#reads(to, read), folder);
    }
  }

  #reads({ id, path }: Resolved, read: { readonly text: string }): Reads {
    const known = readsById(this.#snapshot.contents);
    let reads = known.get(id);
    if (reads === undefined) known.set(id, (reads = readsOfKustomization(read, path, this.#snapshot.limits)));
    return reads;
  }

  #generated(folder: string): void {
    const has = KUSTOMIZATION_FILES.map((name) => this.#look(folder, name)).some((to) => to?.is === "file");
    this.#next.push({ is: "kustomization", path: folder });
    // Flux generates a kustomization that names those below.
    if (!has) this.#below(folder);
  }

  #below(folder: string): void {
    const kustomized = pathsBelow(kustomizationsOf(this.#snapshot), folder).map((path) => posix.dirname(path));
    this.#whole(folder, "manifests", kustomized);
    const { entries } = this.#snapshot;
    const isKustomized = (path: string): boolean =>
      KUSTOMIZATION_FILES.some((name) => entries.get(`${path}/${name}`)?.is === "file");
    // Of folders with a kustomization Flux reads what that names, which counts there. A link is no kustomization.
    const apart = new Set(kustomized.filter((path) => path !== folder && isKustomized(path)));
    const isApart = (path: string): boolean => foldersAround(path).some((around) => apart.has(around));
    const manifests = pathsBelow(pathsOf(this.#snapshot), folder).filter((path) => !isApart(path));
    this.#manifests.set(
      folder,
      manifests.map((path) => {
        const { is = "", id = "" } = entries.get(path) ?? {};
        return is === "folder" ? [`${path}/`, A_FOLDER] : [path, id];
      }),
    );
    for (const path of kustomized) this.#next.push({ is: "kustomization", path, isUnread: isApart(path) });
  }

  #take({ paths, plugins, charts, isRemote, possiblePaths }: Reads, folder: string): void {
    this.#isRemote ||= isRemote;
    // Something else than kustomize reads these files, or nothing renders them: everything that it may read counts.
    if (possiblePaths.length > 0) this.#whole(folder, "any");
    for (const text of possiblePaths) {
      const to = this.#look(folder, text);
      if (to?.is !== "folder") continue;
      this.#whole(to.path, "any");
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
        // Paths in its configurations are relative to the folder of this kustomization, and known only after the build.
        this.#whole(folder, "any");
        this.#whole(to.path, "any");
      }
      const read = to?.is === "file" ? this.#text(to.id, to.path) : undefined;
      // Paths in configurations are relative to the folder of the kustomization.
      if (read !== undefined) this.#take({ ...readsOfPlugins(read.text, this.#snapshot.limits), plugins: [] }, folder);
    }
    for (const chart of charts) this.#inflated(chart, folder);
  }

  #inflated(chart: InflatedChart, folder: string): void {
    const to = this.#look(folder, inflatedFolder(chart));
    if (to?.is === "folder") this.#whole(to.path, "chart");
    for (const file of [chart.valuesFile, ...chart.additionalValuesFiles]) if (file !== "") this.#look(folder, file);
  }

  #chart(folder: string): void {
    this.#whole(folder, "chart");
    for (const name of DEPENDENCY_FILES) {
      const to = this.#look(folder, name);
      const read = to?.is === "file" ? this.#text(to.id, to.path) : undefined;
      if (read === undefined) continue;
      for (const dependency of dependenciesIn(read.text, this.#snapshot.limits)) {
        const chart = this.#look(folder, dependency.folder);
        if (chart?.is === "folder") this.#whole(chart.path, "chart");
      }
    }
  }

  /** Everything in a folder, and the targets of its links. */
  #whole(folder: string, as: WholeFolder["as"], except: readonly string[] = []): void {
    if (this.#wholes.some((whole) => whole.folder === folder && whole.as === as)) return;
    this.#wholes.push({ folder, as, except });
    const id = folder === "." ? this.#snapshot.commit : (this.#snapshot.entries.get(folder)?.id ?? "");
    if (this.#ids.get(folder) === id) return;
    this.#ids.set(folder, id);
    this.#needed.add(folder);
    for (const path of pathsBelow(linksOf(this.#snapshot), folder)) {
      const to = this.#look(".", path);
      if (to?.is === "folder") this.#whole(to.path, as);
    }
  }
}

/** One digest of strings in any order. */
export function digestOf(parts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const part of parts.toSorted()) hash.update(`${part}\0\0`);
  return hash.digest("hex");
}

/** The local charts that a chart depends on; none if the file can't be read, because then nothing is rendered. */
function dependenciesIn(text: string, limits: Limits): readonly LocalDependency[] {
  return quietly(() => localDependencies(text, "", limits)) ?? [];
}
