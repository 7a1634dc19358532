import type { Application } from "./application.ts";
import { ARGO } from "./argo.ts";
import { CHARTS, KUSTOMIZATIONS, MANIFESTS } from "./committed.ts";
import type { Finder, Found } from "./finder.ts";
import { HELMFILES } from "./helmfiles.ts";
import { closureOf } from "./kustomizations.ts";
import type { NotFound } from "./not-found.ts";
import { inPathOrder } from "./paths.ts";
import type { Repository } from "./repository.ts";
import { FLUX } from "./flux.ts";
import { withStampedBy } from "./stamped-by.ts";
import { uniquelyNamed } from "./unique-names.ts";
import { isDescription, writtenApplications, writtenFinder } from "./written.ts";

/** The same folder may be applied to one cluster by Argo CD and to another by Flux. */
const BY_ENGINES: readonly Finder[] = [ARGO, FLUX];

/** In this order: each skips what an earlier one has found. */
const BY_PLACE: readonly Finder[] = [KUSTOMIZATIONS, CHARTS, MANIFESTS, HELMFILES];

/** Applications with unique names, and what is not one; both in path order. */
export type Applications = Pick<Found, "applications" | "notFound">;

export function findApplications(repository: Repository): Applications & Required<Pick<Found, "mayLeadTo">> {
  const applications: Application[] = [];
  const notFound: NotFound[] = [...repository.unread];
  const mayLeadTo: string[] = [];
  const taken = new Set<string>();
  const written = writtenApplications(repository);
  const order = [
    [writtenFinder(written, (entry) => !isDescription(entry))],
    BY_ENGINES,
    // It leaves what Argo CD and Flux apply as it is.
    [writtenFinder(written, isDescription)],
    ...BY_PLACE.map((finder) => [finder]),
  ];
  // All skip what rollstamp.yaml lists. Argo CD and Flux do not skip what the other one has found.
  for (const finders of order) {
    const paths = new Set(applications.map(({ path }) => path));
    const isTaken = (path: string): boolean => taken.has(path) || written.isIgnored(path);
    const all = finders.map((find) => find(repository, isTaken, (path) => paths.has(path)));
    for (const found of all) {
      for (const application of found.applications) applications.push(application);
      for (const row of found.notFound) notFound.push(row);
      for (const path of found.taken) taken.add(path);
      mayLeadTo.push(...(found.mayLeadTo ?? []));
    }
  }
  const isOfFlux = builtByFlux(repository);
  const named = uniquelyNamed(inPathOrder(applications, ({ path }) => path));
  return {
    mayLeadTo,
    applications: named.applications.map((application) =>
      withStampedBy(isOfFlux(application) ? withoutRestriction(application) : application, repository),
    ),
    notFound: inPathOrder(
      once([...notFound.filter(({ path }) => !written.isIgnored(path)), ...named.notFound]),
      ({ path }) => path,
    ),
  };
}

/**
 * Tests whether Flux builds a kustomization. This includes kustomizations that no object names, because often only an object in
 * its rendering names the folder of a cluster. If the repository has Argo CD too, only kustomizations with Flux objects count.
 */
function builtByFlux(repository: Repository): (application: Application) => boolean {
  const { objects } = repository;
  if (!objects.some(({ kind }) => kind === "Kustomization")) return () => false;
  const argo = objects.filter(({ group }) => group === "argoproj.io");
  if (argo.length === 0) return () => true;
  const flux = objects.filter(({ group }) => group.endsWith(".toolkit.fluxcd.io"));
  return ({ foundBy, path }) => {
    if (foundBy !== "Kustomization") return false;
    const closure = closureOf([path], repository);
    return flux.some(({ file }) => closure.has(file)) && !argo.some(({ file }) => closure.has(file));
  };
}

/** Flux builds without load restrictions (kustomize-controller, "Kustomization": `spec.path`). */
function withoutRestriction(application: Application): Application {
  const { render } = application;
  return render.by === "kustomize" && render.flux === undefined
    ? { ...application, render: { ...render, isUnrestricted: true } }
    : application;
}

/** Removes duplicates: several finders may report one file. */
function once(all: readonly NotFound[]): NotFound[] {
  const known = new Map<string, NotFound>();
  for (const row of all) {
    const key = JSON.stringify([row.path, row.kind, row.name, row.reason]);
    const before = known.get(key);
    // An object that is shown in several namespaces is the same for all of them.
    known.set(key, before === undefined || before.namespace === row.namespace ? row : { ...row, namespace: "" });
  }
  return [...known.values()];
}
