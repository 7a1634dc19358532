import type { Application } from "./application.ts";
import type { NotFound } from "./not-found.ts";
import { groupedBy } from "../../base/grouped.ts";

type Part = (application: Application) => string | undefined;

/** What may be appended to a name that several applications have, in this order. */
const APART: readonly Part[] = [
  ({ cluster }) => cluster,
  ({ path }) => path,
  ({ cluster, path }) => (cluster === undefined ? undefined : `${cluster}/${path}`),
  ({ shownBy }) => shownBy,
  // They may be of different clusters.
  ({ cluster, definedIn: [file] }) => (cluster === undefined ? file : undefined),
  ({ cluster, namespace }) => (namespace === undefined ? undefined : inCluster(cluster, namespace)),
  ({ cluster, namespace, path }) => (namespace === undefined ? undefined : inCluster(cluster, `${namespace}/${path}`)),
];

/**
 * Makes names unique by appending the cluster, the path or more. Applications that cannot be distinguished are one
 * application that is defined twice: the first one counts, the others are reported.
 */
export function uniquelyNamed(all: readonly Application[]): {
  readonly applications: Application[];
  readonly notFound: NotFound[];
} {
  const byName = groupedBy(all, ({ name }) => name);
  // The new name may already be the name of another application.
  const given = new Set(byName.keys());
  const renamed = new Map<Application, string>();
  const notFound: NotFound[] = [];
  for (const [name, same] of byName) {
    if (same.length === 1) continue;
    const apart = APART.find(
      (part) => new Set(same.map(part)).size === same.length && !same.map(part).includes(undefined),
    );
    for (const application of same) {
      const wanted = behind(application, apart);
      if (given.has(wanted)) notFound.push(twice(name, application));
      else {
        given.add(wanted);
        renamed.set(application, wanted);
      }
    }
  }
  return {
    applications: all.flatMap((application) => {
      if ((byName.get(application.name)?.length ?? 0) === 1) return [application];
      const name = renamed.get(application);
      return name === undefined ? [] : [{ ...application, name, givenName: application.name }];
    }),
    notFound,
  };
}

/** A name for an application of another revision that no application of this one has. */
export function freeName(application: Application, isTaken: (name: string) => boolean): string {
  const { name, givenName = name } = application;
  const names = [name, ...APART.flatMap((part) => part(application) ?? []).map((part) => `${givenName}@${part}`)];
  for (let nth = 2; ; nth += 1) {
    const free = names.find((one) => !isTaken(one));
    if (free !== undefined) return free;
    names.push(`${name}@${nth}`);
  }
}

function inCluster(cluster: string | undefined, path: string): string {
  return cluster === undefined ? path : `${cluster}/${path}`;
}

function behind(application: Application, apart: Part | undefined): string {
  const { name, cluster, path } = application;
  const part = apart?.(application) ?? (cluster === undefined ? path : `${cluster}/${path}`);
  return `${name}@${part}`;
}

function twice(name: string, { path, foundBy, definedIn }: Application): NotFound {
  return {
    path: definedIn[0] ?? path,
    kind: KINDS[foundBy],
    name,
    reason: "duplicate application: another one has the same name, path and cluster, and only the first counts",
    isFailure: foundBy === "Applications",
    isShown: true,
    isDuplicate: true,
  };
}

const KINDS: Readonly<Record<Application["foundBy"], NotFound["kind"]>> = {
  Applications: "Application",
  Application: "Application",
  ApplicationSet: "ApplicationSet",
  FluxKustomization: "FluxKustomization",
  HelmRelease: "HelmRelease",
  Kustomization: "Kustomization",
  Chart: "Chart",
  Kptfile: "Manifest",
  Manifests: "Manifest",
};
