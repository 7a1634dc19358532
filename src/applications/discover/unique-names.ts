import { IN_CLUSTER, type Application } from "./application.ts";
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
  ({ definedIn: [file] }) => file,
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
  const renamed = new Map<Application, Application>();
  const notFound: NotFound[] = [];
  for (const [name, named] of byName) {
    if (named.length === 1) continue;
    // Without a known cluster, they may be for different ones, and so may those for the cluster of some Argo CD.
    const copies = groupedBy(named, ({ cluster, path, namespace, shownBy, render, definedIn }) =>
      JSON.stringify([cluster ?? definedIn, path, namespace, shownBy, cluster === IN_CLUSTER ? render : ""]),
    );
    const firsts = [...copies.values()].map(([first, ...others]) => {
      notFound.push(...others.map((other) => twice(name, other)));
      return [first, withCopies(first, others)] as const;
    });
    if (firsts.length === 1) {
      for (const [first, application] of firsts) renamed.set(first, application);
      continue;
    }
    const inTheirs = ofTheirClusters(firsts.map(([, application]) => application));
    const apart = APART.find((part) => {
      const parts = new Set(inTheirs.map(part));
      return parts.size === firsts.length && !parts.has(undefined);
    });
    for (const [i, [first]] of firsts.entries()) {
      const application = inTheirs[i] ?? first;
      const wanted = behind(application, apart);
      if (given.has(wanted)) notFound.push(twice(name, application));
      else {
        given.add(wanted);
        renamed.set(first, { ...application, name: wanted, givenName: name });
      }
    }
  }
  return {
    applications: all.flatMap((application) => {
      if ((byName.get(application.name)?.length ?? 0) === 1) return [application];
      return renamed.get(application) ?? [];
    }),
    notFound,
  };
}

function withCopies(application: Application, copies: readonly Application[]): Application {
  if (copies.length === 0) return application;
  return { ...application, alsoDefinedIn: copies.flatMap(({ definedIn }) => definedIn.slice(0, 1)) };
}

/**
 * Applications with the same name; those of different Argo CDs without a cluster. One Argo CD cannot have two Applications with
 * the same name, so what it would apply from the same folder in different ways is for different clusters.
 */
function ofTheirClusters(same: readonly Application[]): readonly Application[] {
  const places = groupedBy(same, ({ cluster, path, namespace, shownBy }) =>
    JSON.stringify([cluster, path, namespace, shownBy]),
  );
  const areSeveral = new Set([...places.values()].flatMap((there) => (there.length > 1 ? there : [])));
  return same.map((application) => {
    const { cluster, ...others } = application;
    return cluster === IN_CLUSTER && areSeveral.has(application) ? others : application;
  });
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
