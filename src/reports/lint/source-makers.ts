import { isSourceKind } from "../../base/referenced-kinds.ts";
import { onceForText } from "../../base/grouped.ts";
import { HELM_HOOK } from "../../base/hosts/helm.ts";
import { annotationOf, type Item } from "../../yaml/read/items.ts";
import { getString } from "../../yaml/read/node.ts";
import type { Sighting } from "../../stamping/stamps/sightings.ts";
import type { LintContext, LintedWorkload } from "./context.ts";
import { indexMentions, type Mentions } from "./mentions.ts";
import { createdBy, writingRoles, type GrantedKind } from "./permissions.ts";

// Objects that may create a source that is not in the input. None of this is proof, so it leads to a note that names
// the maker, never to silence.

/** The object that may create a source for its user; undefined if there is none. */
export type FindMaker = (sighting: Sighting, user: Item) => Item | undefined;

/** Whether a workload needs a source to start. If so, it cannot create it. */
export type NeedsSource = (item: Item, sighting: Sighting) => boolean;

/** Finds the makers of missing sources. */
export function findMakers(context: LintContext, names: ReadonlySet<string>, needs: NeedsSource): FindMaker {
  const { items, workloads, sources } = context;
  const naming = mentionsBy(context, names);
  const writes = writingRoles();
  const creatorsOf = onceForText((kind: GrantedKind): ReadonlySet<Item> => {
    const mayCreate = createdBy(items, kind);
    const found = workloads.filter(({ workload }) => mayCreate(workload, serviceAccounts(workload)));
    return new Set(found.map(({ workload }) => workload.item));
  });
  const jobsOf = onceForText((kind: GrantedKind) => bySpace([...creatorsOf(kind)].filter(isJob)));
  return (sighting, user) => {
    const { kind, namespace, name } = sighting;
    const made = sources.makerNamed(kind, name, user);
    const declared = user.namespace === "" ? made?.any : made?.unwritten;
    if (declared !== undefined) return declared;
    if (!isSourceKind(kind)) return undefined;
    const named = naming(name).find((item) => {
      if (item.namespace !== "" && user.namespace !== "" && item.namespace !== namespace) return false;
      if (item.kind === "Role") return writes(item, kind, name);
      // A Job that names it probably creates it. Other workloads create it only if they are allowed to.
      return !needs(item, sighting) && !runsAtTheEnd(item) && (isJob(item) || creatorsOf(kind).has(item));
    });
    return named ?? jobsOf(kind)(user.namespace).find((job) => !needs(job, sighting));
  };
}

/**
 * The first Jobs of a namespace, including those that set none; for a user that sets no namespace, the first Jobs of
 * any.
 */
type JobsBySpace = (namespace: string) => readonly Item[];

function bySpace(jobs: readonly Item[]): JobsBySpace {
  const spaces = new Map<string, Item[]>();
  for (const job of jobs) {
    for (const namespace of new Set([job.namespace, ANY])) {
      const known = spaces.get(namespace);
      if (known === undefined) spaces.set(namespace, [job]);
      else if (known.length < MOST_MAKERS) known.push(job);
    }
  }
  const jobsIn = (namespace: string): readonly Item[] => spaces.get(namespace) ?? [];
  return (namespace) => (namespace === "" ? jobsIn(ANY) : [...jobsIn(namespace), ...jobsIn("")]);
}

const ANY = "*";

/** Helm runs such a hook when a release is deleted or tested: nothing waits for it to start. */
function runsAtTheEnd(item: Item): boolean {
  const hook = annotationOf(item, HELM_HOOK);
  return hook !== undefined && !/install|upgrade|rollback/u.test(hook);
}

function isJob({ group, kind }: Item): boolean {
  return group === "batch" && kind === "Job";
}

// The fields that say what a workload does, and what a Role is about. References that pods need to start are excluded.
const MAKING = {
  only: new Set(["command", "args", "env", "resourceNames"]),
  without: /(?:^|\.)valueFrom$/u,
  skipsJoined: true,
} as const;
// Each of them may be the maker, or none. The first few are enough.
const MOST_MAKERS = 4;
// The fields of a ConfigMap that may contain a script.
const SCRIPT = { only: new Set(["data"]), skipsJoined: true } as const;

/** Roles and workloads that name a source in what they run: in their commands, or in a ConfigMap that they see. */
function mentionsBy({ items, workloads }: LintContext, names: ReadonlySet<string>): Mentions {
  const roles = items.filter(({ kind }) => kind === "Role");
  const byItself = indexMentions([...roles, ...workloads.map(({ workload }) => workload.item)], names, MAKING);
  const users = new Map<Item, Item[]>();
  for (const { workload, templates } of workloads) {
    for (const { source } of templates.flatMap(({ seen }) => seen)) {
      if (source?.item.kind !== "ConfigMap") continue;
      const known = users.get(source.item);
      if (known === undefined) users.set(source.item, [workload.item]);
      else if (known.length < MOST_MAKERS) known.push(workload.item);
    }
  }
  const byScript = indexMentions([...users.keys()], names, SCRIPT);
  return (name) => [...byItself(name), ...byScript(name).flatMap((script) => users.get(script) ?? [])];
}

function serviceAccounts({ templates }: LintedWorkload["workload"]): readonly string[] {
  return templates.flatMap(({ item: { tree }, podSpecs }) =>
    podSpecs.map((spec) => getString(tree, spec.node, "serviceAccountName") || "default"),
  );
}
