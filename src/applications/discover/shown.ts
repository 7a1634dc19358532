import { IN_CLUSTER, type Application } from "./application.ts";
import { clustersAt } from "./given-values.ts";
import type { GitOpsObject } from "./objects.ts";
import { folderOf } from "./paths.ts";
import { indexed, type Repository } from "./repository.ts";
import { posix } from "node:path";
import { groupedBy } from "../../base/grouped.ts";

/** An application whose rendering shows objects of Argo CD or Flux. */
export interface Showing {
  readonly application: Application;
  /** As they stand in the rendering. */
  readonly objects: readonly GitOpsObject[];
  /** Whether a file goes into the rendering. */
  readonly reads: (file: string) => boolean;
}

/**
 * A repository with what renderings of it show: these objects stand in the place of those of the same kind and name in the
 * files from which they are rendered. What several renderings show alike, for one cluster, is one object.
 */
export function withShown(repository: Repository, showings: readonly Showing[]): Repository {
  if (showings.length === 0) return repository;
  const byKey = groupedBy(repository.objects, keyOf);
  const superseded = new Set<GitOpsObject>();
  const shown = new Map<string, GitOpsObject>();
  for (const { application, objects, reads } of showings) {
    const { name, cluster, namespace = "", definedIn, path } = application;
    const own = repository.kustomizations.get(path)?.file ?? repository.charts.get(path)?.file ?? definedIn[0] ?? path;
    const folder = repository.folders.has(path) ? path : folderOf(path);
    for (const object of objects) {
      const from = (byKey.get(keyOf(object)) ?? []).filter(
        (other) =>
          (other.namespace === "" || object.namespace === "" || other.namespace === object.namespace) &&
          reads(other.file),
      );
      for (const one of from) superseded.add(one);
      const file = from[0]?.file ?? own;
      const at = posix.join(folder, posix.basename(file));
      const made: GitOpsObject = {
        ...object,
        file,
        line: from[0]?.line ?? 1,
        namespace: object.namespace || namespace,
        shown: { by: name, at, ...(cluster === undefined ? {} : { cluster }) },
      };
      // ApplicationSets that are alike make others where their Argo CDs have other clusters.
      const clusters = object.kind === "ApplicationSet" ? clustersAt(repository.given, at)?.map((one) => one.name) : [];
      // What bootstraps an app of apps and the app of apps itself show one object, in the cluster in which both stand.
      const there = cluster === undefined || cluster === IN_CLUSTER ? "" : cluster;
      const same = JSON.stringify([keyOf(made), made.namespace, there, clusters, made.spec]);
      if (!shown.has(same)) shown.set(same, made);
    }
  }
  const written = repository.objects.filter((object) => object.isSync !== true && !superseded.has(object));
  const { objects, index } = indexed([...written, ...shown.values()], repository.kustomizations);
  return { ...repository, objects, objectIndex: index };
}

function keyOf({ group, kind, name }: GitOpsObject): string {
  return `${group}/${kind}/${name}`;
}
