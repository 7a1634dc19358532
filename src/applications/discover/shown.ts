import { IN_CLUSTER, type Application } from "./application.ts";
import { clustersAt } from "./given-values.ts";
import type { GitOpsObject } from "./objects.ts";
import { takenIn } from "./flux.ts";
import { closureOf } from "./kustomizations.ts";
import { folderOf, pathFrom } from "./paths.ts";
import { indexed, type Repository } from "./repository.ts";
import { posix } from "node:path";
import { addTo, groupedBy, lastFor, once, onceFor } from "../../base/grouped.ts";

/** An application whose rendering contains objects of Argo CD or Flux. */
export interface Showing {
  readonly application: Application;
  /** As in the rendering. */
  readonly objects: readonly GitOpsObject[];
  /** Whether the rendering reads a file. */
  readonly reads: (file: string) => boolean;
}

/**
 * A repository with the objects of some renderings. They replace the objects of the same kind and name in the files
 * that were rendered. If several renderings for one cluster contain the same object, it counts once.
 */
export function withShown(repository: Repository, showings: readonly Showing[]): Repository {
  if (showings.length === 0) return repository;
  const byKey = keyed(repository);
  const superseded = new Set<GitOpsObject>();
  const shown: Made[] = [];
  const madeByKey = new Map<string, Made[]>();
  for (const { application, objects, reads } of showings) {
    const { name, cluster, namespace = "", definedIn, path } = application;
    const ownFile =
      repository.kustomizations.get(path)?.file ?? repository.charts.get(path)?.file ?? definedIn[0] ?? path;
    const folder = repository.folders.has(path) ? path : folderOf(path);
    // Whatever a kustomization includes is in its rendering, with the names that it gives.
    const included = includedObjects(application, repository);
    for (const object of included) superseded.add(object);
    for (const object of objects) {
      const from = (byKey.get(keyOf(object)) ?? []).filter(
        (other) =>
          (other.namespace === "" || object.namespace === "" || other.namespace === object.namespace) &&
          reads(other.file),
      );
      for (const replaced of from) superseded.add(replaced);
      const written = from[0] ?? included.find((other) => isRenamed(other, object));
      const file = written?.file ?? ownFile;
      const place = posix.join(folder, posix.basename(file));
      const also: string[] = [];
      const made: GitOpsObject = {
        ...object,
        file,
        line: written?.line ?? 1,
        namespace: object.namespace || namespace,
        shown: { by: name, also, place, ...(cluster === undefined ? {} : { cluster }) },
      };
      // Equal ApplicationSets generate different Applications if their Argo CDs have different clusters.
      const clusters =
        object.kind === "ApplicationSet" ? clustersAt(repository.given, place)?.map((item) => item.name) : [];
      // The bootstrap of an app of apps and the app of apps itself contain the same object, in the same cluster.
      const there = cluster === undefined || cluster === IN_CLUSTER ? "" : cluster;
      const entry: Made = { from: object, made, also, same: once(() => JSON.stringify([there, clusters, made.spec])) };
      const key = `${keyOf(made)} ${made.namespace}`;
      const known = madeByKey.get(key)?.find((other) => other.same() === entry.same());
      if (known === undefined) {
        shown.push(entry);
        addTo(madeByKey, key, entry);
      } else known.also.push(name);
    }
  }
  const written = repository.objects.filter((object) => object.isSync !== true && !superseded.has(object));
  const { objects, index } = indexed([...written, ...shown.map(rememberedObject)], repository.kustomizations);
  return { ...repository, objects, objectIndex: index };
}

/** An object of a rendering, and the other applications that show it. */
interface Made {
  readonly from: GitOpsObject;
  readonly made: GitOpsObject;
  readonly also: string[];
  /** Equal for objects of one name that are the same. */
  readonly same: () => string;
}

/** The object that was made last from the same one, if it is equal: what was found for it is remembered. */
function rememberedObject({ from, made }: Made): GitOpsObject {
  const { file, line, namespace, shown } = made;
  const { by, place, cluster, also = [] } = shown ?? {};
  return madeBefore(from, [file, line, namespace, by, place, cluster, ...also], () => made);
}

const madeBefore = lastFor<GitOpsObject, GitOpsObject>();

/** Objects are searched for the same renderings again and again, until nothing more is shown. */
const keyed: (repository: Repository) => ReadonlyMap<string, readonly GitOpsObject[]> = onceFor(
  ({ objects }: Repository) => groupedBy(objects, keyOf),
);

const includedBefore: (repository: Repository) => Map<string, readonly GitOpsObject[]> = onceFor(
  () => new Map<string, readonly GitOpsObject[]>(),
);

/** The objects in the files that the kustomization of an application includes. */
function includedObjects({ render, path }: Application, repository: Repository): readonly GitOpsObject[] {
  if (render.by !== "kustomize") return [];
  const { argo, flux } = render;
  const components = [...(argo?.components ?? []), ...(flux?.components ?? [])];
  const folders = [path, ...components.flatMap((component) => pathFrom(path, component) ?? [])];
  const known = includedBefore(repository);
  const key = JSON.stringify([folders, flux === undefined]);
  const before = known.get(key);
  if (before !== undefined) return before;
  const files = closureOf([...folders, ...(flux === undefined ? [] : takenIn(path, repository))], repository);
  const included = repository.objects.filter(({ file, isSync }) => isSync !== true && files.has(file));
  known.set(key, included);
  return included;
}

/** Whether a kustomization may have made the name of an object from that of another one. */
function isRenamed(written: GitOpsObject, rendered: GitOpsObject): boolean {
  return written.group === rendered.group && written.kind === rendered.kind && rendered.name.includes(written.name);
}

function keyOf({ group, kind, name }: GitOpsObject): string {
  return `${group}/${kind}/${name}`;
}
