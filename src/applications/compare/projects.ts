import { globOf } from "../../base/glob.ts";
import { groupedBy, once, onceFor } from "../../base/grouped.ts";
import { kindKey } from "../../base/identity.ts";
import { comparing } from "../../base/limits.ts";
import { isBuiltIn, isOfCluster } from "../../yaml/read/placed.ts";
import type { Item } from "../../yaml/read/items.ts";
import { fieldsOf, listOf, textOrEmpty } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import type { Application } from "../discover/application.ts";
import { mayBePatched } from "../discover/kustomizations.ts";
import type { DefiningObject, GitOpsObject } from "../discover/objects.ts";
import { repositoryKey, shownAddress } from "../discover/remotes.ts";
import type { Repository } from "../discover/repository.ts";

// What the AppProjects of Argo CD permit (argo-cd v3.1, app_project_types.go). Argo CD applies nothing of an Application if its
// project does not permit a source, the destination, or the kind or namespace of one of its objects (controller/sync.go).

/** An AppProject, and what it permits. */
export interface Project {
  readonly object: GitOpsObject;
  readonly permissions: () => Permissions;
}

/** The AppProject that an Application is in. Several Argo CDs may have projects of one name: one that permits it is enough. */
export type ProjectsOf = (application: Pick<Application, "objects">) => readonly Project[];

// Each is compared with each Application.
const MOST_PROJECTS = 20;

/** Finds the projects of Applications among the objects of a revision; none if what they permit is unknown. */
export function projectsIn(objects: readonly GitOpsObject[], repository: Repository): ProjectsOf {
  const spend = spendIn(repository.tree);
  const projects = groupedBy(
    objects
      .filter(({ kind }) => kind === "AppProject")
      .map((object): Project => ({ object, permissions: once(() => permissionsOf(object, spend)) })),
    ({ object: { name } }) => name,
  );
  return ({ objects: [object] = [] }) => {
    const named = object?.kind === "Application" ? (projects.get(textOrEmpty(object.spec["project"])) ?? []) : [];
    return named.length > MOST_PROJECTS || named.some((one) => mayBePatched(one.object, repository)) ? [] : named;
  };
}

/** Counts the steps of all patterns of a revision: braces make hundreds of one. */
const spendIn = onceFor(({ limits }: Repository["tree"]): Spend => {
  const compared = comparing("patterns of AppProjects with what Applications need");
  return (steps) => compared(steps, limits);
});

type Spend = (steps: number) => void;

/** What a project refuses, by the fields that would permit it. */
export interface Refusal {
  readonly what: "namespace" | "repository" | "kind";
  readonly name: string;
}

/** What no project of an Application permits of its own fields. */
export function refusedFields({ spec }: DefiningObject, projects: readonly Project[]): readonly Refusal[] {
  const namespace = textOrEmpty(fieldsOf(spec["destination"])["namespace"]);
  const sources = [spec["source"], ...listOf(spec["sources"])].map((one) => textOrEmpty(fieldsOf(one)["repoURL"]));
  return [
    ...refused(projects, "namespace", [namespace], permitsNamespace),
    ...refused(projects, "repository", sources, permitsRepository).map((one) => ({
      ...one,
      name: shownAddress(one.name),
    })),
  ];
}

/** What no project of an Application permits of the objects that it renders, besides its own namespace. */
export function refusedObjects(items: readonly Item[], projects: readonly Project[], own: string): readonly Refusal[] {
  if (projects.length === 0) return [];
  const kinds = new Map(items.map((item) => [kindKey(item), item]));
  const namespaces = new Set(items.flatMap((item) => (isOfCluster(item) ? [] : item.namespace)));
  namespaces.delete(own);
  const refusedKinds = [...kinds.values()].filter((item) => !projects.some((one) => permitsKind(one, item)));
  return [
    ...refusedKinds.map(({ kind }): Refusal => ({ what: "kind", name: kind })),
    ...refused(projects, "namespace", [...namespaces], permitsNamespace),
  ];
}

function refused(
  projects: readonly Project[],
  what: Refusal["what"],
  names: readonly string[],
  permits: (project: Project, name: string) => boolean,
): readonly Refusal[] {
  if (projects.length === 0) return [];
  return names
    .filter((name) => name !== "" && !projects.some((project) => permits(project, name)))
    .map((name) => ({ what, name }));
}

function permitsNamespace(project: Project, namespace: string): boolean {
  return project.permissions().destinations(namespace);
}

function permitsRepository(project: Project, address: string): boolean {
  return project.permissions().repositories(address) || project.permissions().repositories(repositoryKey(address));
}

/** A custom kind may be in namespaces or not: both ways must be refused. */
function permitsKind(project: Project, item: Item): boolean {
  const { cluster, namespaced } = project.permissions();
  const scopes = isBuiltIn(item) ? [isOfCluster(item) ? cluster : namespaced] : [cluster, namespaced];
  return scopes.some(({ permitted, denied }) => permitted(item) && !denied(item));
}

const ANY = (): boolean => true;

interface Permissions {
  readonly destinations: (namespace: string) => boolean;
  readonly repositories: (address: string) => boolean;
  readonly cluster: Scope;
  readonly namespaced: Scope;
}

function permissionsOf({ name, spec }: GitOpsObject, spend: Spend): Permissions {
  // Argo CD creates the project `default`, which permits everything: a manifest changes only the fields that it sets.
  const isUnset = (field: string): boolean => name === "default" && spec[field] === undefined;
  const textsIn = (field: string): readonly string[] => listOf(spec[field]).map(textOrEmpty);
  const namespaces = listOf(spec["destinations"]).map((one) => textOrEmpty(fieldsOf(one)["namespace"]));
  const scope = (permitted: string, denied: string, isOptional: boolean): Scope => ({
    permitted:
      isUnset(permitted) || (isOptional && spec[permitted] === undefined) ? ANY : hasKind(spec[permitted], true, spend),
    denied: hasKind(spec[denied], false, spend),
  });
  return {
    destinations: isUnset("destinations") ? ANY : matchesAny(namespaces, spend),
    repositories: isUnset("sourceRepos")
      ? ANY
      : matchesAny(
          textsIn("sourceRepos").flatMap((one) => [one, repositoryKey(one)]),
          spend,
        ),
    cluster: scope("clusterResourceWhitelist", "clusterResourceBlacklist", false),
    namespaced: scope("namespaceResourceWhitelist", "namespaceResourceBlacklist", true),
  };
}

interface Scope {
  readonly permitted: HasKind;
  readonly denied: HasKind;
}

type HasKind = (item: Pick<Item, "group" | "kind">) => boolean;

/** Whether a list of `group` and `kind` has a kind; `otherwise` if it has too many patterns. */
function hasKind(list: Json | undefined, otherwise: boolean, spend: Spend): HasKind {
  const all = listOf(list).map((one) => {
    const { group, kind } = fieldsOf(one);
    return { group: textOrEmpty(group), kind: textOrEmpty(kind) };
  });
  const exact = new Set(all.map(kindKey));
  const patterns = all.filter((one) => SPECIAL.test(kindKey(one)));
  if (patterns.length > MOST_PATTERNS) return () => otherwise;
  const matchers = patterns.map(({ group, kind }) => ({
    group: globOf(group, "goPath"),
    kind: globOf(kind, "goPath"),
  }));
  return (item) =>
    exact.has(kindKey(item)) ||
    matchers.some(({ group, kind }) => group?.(item.group, spend) === true && kind?.(item.kind, spend) === true);
}

// Each is compared with each Application, or each kind.
const MOST_PATTERNS = 100;

const SPECIAL = /[*?[\\{]/u;

/** Whether a name is among these, or matches one. A pattern that begins with `!` only takes from what others permit. */
function matchesAny(all: readonly string[], spend: Spend): (name: string) => boolean {
  const names = new Set(all);
  const patterns = all.filter((one) => !one.startsWith("!") && SPECIAL.test(one));
  if (patterns.length > MOST_PATTERNS) return ANY;
  const matchers = patterns.map((one) => globOf(one, "argoDirectory") ?? ANY);
  return (name) => names.has(name) || matchers.some((matches) => matches(name, spend));
}
