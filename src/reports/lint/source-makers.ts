import { HELM_HOOK } from "../../base/hosts/helm.ts";
import { annotationOf, type Item } from "../../yaml/read/items.ts";
import { getString } from "../../yaml/read/node.ts";
import type { Sighting } from "../../stamping/stamps/sightings.ts";
import type { LintContext, LintedWorkload } from "./context.ts";
import { indexMentions, type Mentions } from "./mentions.ts";
import { createdBy, writingRoles, type GrantedKind } from "./permissions.ts";

// Who may make a source that is not in the input. None of it is proof: what is found this way is a note that names the
// maker, and never silent.

/** The object that may make a source for a user of it; undefined where nothing of the input looks like it. */
export type FindMaker = (sighting: Sighting, user: Item) => Item | undefined;

/** Whether a workload needs a source to start: then it can't make it. */
export type NeedsSource = (item: Item, sighting: Sighting) => boolean;

/** Looks for the makers of missing sources of some names. */
export function findMakers(context: LintContext, names: ReadonlySet<string>, needs: NeedsSource): FindMaker {
  const { items, workloads, sources } = context;
  const naming = mentionsBy(context, names);
  const writes = writingRoles();
  const creators = new Map<GrantedKind, ReadonlySet<Item>>();
  const creatorsOf = (kind: GrantedKind): ReadonlySet<Item> => {
    let known = creators.get(kind);
    if (known === undefined) {
      const mayCreate = createdBy(items, kind);
      const found = workloads.filter(({ workload }) => mayCreate(workload, serviceAccounts(workload)));
      creators.set(kind, (known = new Set(found.map(({ workload }) => workload.item))));
    }
    return known;
  };
  const jobs = new Map<GrantedKind, JobsBySpace>();
  const jobsOf = (kind: GrantedKind): JobsBySpace => {
    let known = jobs.get(kind);
    if (known === undefined) jobs.set(kind, (known = bySpace([...creatorsOf(kind)].filter(isJob))));
    return known;
  };
  return (sighting, user) => {
    const { kind, namespace, name } = sighting;
    const made = sources.makerNamed(kind, name);
    const declared = user.namespace === "" ? made?.any : made?.unwritten;
    if (declared !== undefined) return declared;
    if (kind === "SecretProviderClass") return undefined;
    const named = naming(name).find((item) => {
      if (item.namespace !== "" && user.namespace !== "" && item.namespace !== namespace) return false;
      if (item.kind === "Role") return writes(item, kind, name);
      // What a Job does it does once; of what runs on only who may create a source makes one.
      return !needs(item, sighting) && !runsAtTheEnd(item) && (isJob(item) || creatorsOf(kind).has(item));
    });
    return named ?? jobsOf(kind)(user.namespace).find((job) => !needs(job, sighting));
  };
}

/** The first Jobs of a namespace, with those that write none; of any, for a user that writes none. */
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
  const at = (namespace: string): readonly Item[] => spaces.get(namespace) ?? [];
  return (namespace) => (namespace === "" ? at(ANY) : [...at(namespace), ...at("")]);
}

const ANY = "*";

/** Helm runs it when a release is taken away, or tested: nothing that starts waits for it. */
function runsAtTheEnd(item: Item): boolean {
  const hook = annotationOf(item, HELM_HOOK);
  return hook !== undefined && !/install|upgrade|rollback/u.test(hook);
}

function isJob({ group, kind }: Item): boolean {
  return group === "batch" && kind === "Job";
}

// Where a workload says what it does, and a Role which objects it is about: not where pods name what they need to start.
const MAKING = { only: new Set(["command", "args", "env", "resourceNames"]), without: /(?:^|\.)valueFrom$/u };
// Nobody looks further: one of them may make it, or none.
const MOST_MAKERS = 4;
// Where a script stands that a container runs.
const SCRIPT = { only: new Set(["data"]) };

/** The Roles and the workloads that name a source in what they run: in their commands, or in a ConfigMap that they see. */
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
