import { groupedBy } from "../../base/grouped.ts";
import { objectKey } from "../../base/identity.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import type { Item } from "../../yaml/read/items.ts";
import type { Application } from "../discover/application.ts";
import { refusedFields, refusedObjects, type Project, type ProjectsOf, type Refusal } from "./projects.ts";

interface Side {
  readonly projectsOf: ProjectsOf;
  readonly applications: readonly Application[];
}

/**
 * RS024 for each AppProject of the head that does not permit a source or the namespace of its Applications, unless it was so in
 * the base: Argo CD applies nothing of these. The cluster of a destination does not count here: its name and its server are the
 * same only in Argo CD.
 */
export function notPermitted(base: Side, head: Side): readonly Finding<"RS024">[] {
  const inBase = new Set(refusedIn(base).map(keyOf));
  const refused = refusedIn(head).filter((one) => !inBase.has(keyOf(one)));
  return [
    ...groupedBy(refused, ({ project, what, name }) =>
      JSON.stringify([objectKey(project.object), what, name]),
    ).values(),
  ].map(([first, ...more]) =>
    finding(
      [first],
      [first, ...more].map(({ application }) => application),
    ),
  );
}

interface Refused extends Refusal {
  readonly application: string;
  readonly project: Project;
}

function keyOf({ application, project, what, name }: Refused): string {
  return JSON.stringify([application, project.object.name, what, name]);
}

function refusedIn({ projectsOf, applications }: Side): Refused[] {
  return applications.flatMap((application): Refused[] => {
    const projects = projectsOf(application);
    const [project] = projects;
    const [object] = application.objects ?? [];
    if (project === undefined || object === undefined) return [];
    return refusedFields(object, projects).map((one) => ({ ...one, application: application.name, project }));
  });
}

/** What an application renders in a revision, and the projects that it is in there. */
export interface RenderedInProject {
  readonly items: readonly Item[];
  readonly projects: readonly Project[];
  /** Its own, which `notPermitted` compares. */
  readonly namespace: string;
}

/** The same for the objects of an application, if its projects permitted all of them in the base. */
export function notPermittedObjects(
  application: string,
  base: RenderedInProject,
  head: RenderedInProject,
): readonly Finding<"RS024">[] {
  const [project] = head.projects;
  if (project === undefined || refusedObjects(base.items, base.projects, base.namespace).length > 0) return [];
  const refused = refusedObjects(head.items, head.projects, head.namespace).map((one) => ({ ...one, project }));
  return [...groupedBy(refused, ({ what }) => what).values()].map((all) => finding(all, [application]));
}

type Grouped = readonly [Pick<Refused, "project" | "what" | "name">, ...Pick<Refused, "name">[]];

/** A finding about what one project refuses by one field. */
function finding([first, ...more]: Grouped, applications: readonly string[]): Finding<"RS024"> {
  const { project, what, name } = first;
  const { kind, namespace, name: named } = project.object;
  const params = {
    project: { kind, namespace, name: named },
    what,
    names: [name, ...more.map((one) => one.name)],
    applications,
  };
  return { id: "RS024", cause: "notPermitted", params };
}
