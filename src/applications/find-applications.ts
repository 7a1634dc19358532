import type { Application } from "./application.ts";
import { ARGO } from "./argo.ts";
import { CHARTS, KUSTOMIZATIONS, MANIFESTS } from "./committed.ts";
import type { Finder, Found } from "./finder.ts";
import type { NotFound } from "./not-found.ts";
import { inPathOrder } from "./paths.ts";
import type { Repository } from "./repository.ts";
import { FLUX } from "./flux.ts";
import { uniquelyNamed } from "./unique-names.ts";
import { writtenApplications, writtenFinder } from "./written.ts";

/** Who finds applications, in the order in which they are asked: what one has found, the next ones leave. Before them comes what rollstamp.yaml lists. */
const FINDERS: readonly Finder[] = [ARGO, FLUX, KUSTOMIZATIONS, CHARTS, MANIFESTS];

/** Applications, each with a name of its own, and what none can be made of: both in the order of paths. */
export type Applications = Pick<Found, "applications" | "notFound">;

/** The applications of a repository. */
export function findApplications(repository: Repository): Applications {
  const applications: Application[] = [];
  const notFound: NotFound[] = [...repository.unread];
  const taken = new Set<string>();
  const written = writtenApplications(repository);
  for (const { find } of [writtenFinder(written), ...FINDERS]) {
    const found = find(repository, (path) => taken.has(path) || written.isIgnored(path));
    for (const application of found.applications) applications.push(application);
    for (const row of found.notFound) notFound.push(row);
    for (const path of found.taken) taken.add(path);
  }
  const named = uniquelyNamed(inPathOrder(applications, ({ path }) => path));
  return {
    applications: named.applications,
    notFound: inPathOrder(
      once([...notFound.filter(({ path }) => !written.isIgnored(path)), ...named.notFound]),
      ({ path }) => path,
    ),
  };
}

/** What several finders tell of one file, once. */
function once(all: readonly NotFound[]): NotFound[] {
  return [...new Map(all.map((row) => [JSON.stringify([row.path, row.kind, row.name, row.reason]), row])).values()];
}
