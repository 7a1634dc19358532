import { groupedBy, onceFor } from "../../base/grouped.ts";
import { globOf } from "../../base/glob.ts";
import { WILDCARD } from "../../base/glob-tokens.ts";
import { formatName, type SourceName } from "../../base/names.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { fieldsOf, listOf, textOrEmpty } from "../../yaml/read/json.ts";
import type { Application } from "../discover/application.ts";
import { mayBePatched } from "../discover/kustomizations.ts";
import type { GitOpsObject } from "../discover/objects.ts";
import type { Repository } from "../discover/repository.ts";

interface Side {
  readonly repository: Repository;
  readonly applications: readonly Application[];
}

/**
 * RS024 for each AppProject of the head that permits no destination with the namespace of its Applications, unless it was so in
 * the base: Argo CD applies nothing of these (argo-cd v3.1, IsDestinationPermitted in app_project_types.go). The cluster of a
 * destination does not count here: its name and its server are the same only in Argo CD.
 */
export function notPermitted(base: Side, head: Side): readonly Finding<"RS024">[] {
  const inBase = new Set(refusedIn(base).map(keyOf));
  const refused = refusedIn(head).filter((one) => !inBase.has(keyOf(one)));
  return [...groupedBy(refused, ({ project, namespace }) => `${project.name} ${namespace}`).values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const { project, namespace } = first;
    const params = { project: nameOf(project), namespace, applications: all.map(({ name }) => name) };
    return [{ id: "RS024", cause: "notPermitted", params }];
  });
}

interface Refused {
  readonly name: string;
  readonly project: GitOpsObject;
  readonly namespace: string;
}

function keyOf({ name, project, namespace }: Refused): string {
  return [name, project.name, namespace].map(formatName).join(" ");
}

function refusedIn({ repository, applications }: Side): Refused[] {
  const projects = groupedBy(
    repository.objects.filter(({ kind }) => kind === "AppProject"),
    ({ name }) => name,
  );
  if (projects.size === 0) return [];
  return applications.flatMap(({ name, objects: [object] = [] }): Refused[] => {
    if (object?.kind !== "Application") return [];
    const namespace = textOrEmpty(fieldsOf(object.spec["destination"])["namespace"]);
    const named = projects.get(textOrEmpty(object.spec["project"])) ?? [];
    const [project] = named;
    // Several Argo CDs may have projects of one name, and overlays may add destinations.
    const isPermitted = named.some((one) => mayBePatched(one, repository) || permits(one, namespace));
    return namespace === "" || project === undefined || isPermitted ? [] : [{ name, project, namespace }];
  });
}

/** Whether a destination has this namespace. A pattern that begins with `!` only takes from what others permit. */
function permits(project: GitOpsObject, namespace: string): boolean {
  const { names, patterns } = destinationsOf(project);
  return names.has(namespace) || patterns.length > MOST_PATTERNS || patterns.some((matches) => matches(namespace));
}

// Each is compared with the namespace of each Application.
const MOST_PATTERNS = 100;

const destinationsOf = onceFor(({ spec }: GitOpsObject) => {
  const all = listOf(spec["destinations"]).map((one) => textOrEmpty(fieldsOf(one)["namespace"]));
  const patterns = all.filter((one) => !one.startsWith("!") && WILDCARD.test(one));
  return { names: new Set(all), patterns: patterns.map((one) => globOf(one, "argoDirectory") ?? (() => true)) };
});

function nameOf({ kind, namespace, name }: GitOpsObject): SourceName {
  return { kind, namespace, name };
}
