import { labelsOf, type Item } from "../manifest/items.ts";
import { getString } from "../manifest/node.ts";
import type { Sighting } from "../stamps/sightings.ts";
import type { LintContext, LintedWorkload } from "./context.ts";
import { indexMentions, type Mentions } from "./mentions.ts";
import { createdBy, writingRoles, type GrantedKind } from "./permissions.ts";

// Who may make a source that is not in the input. None of it is proof: what is found this way is a note that names the
// maker, and never silent.

/** The object that may make a source for a user of it; undefined where nothing of the input looks like it. */
export type FindMaker = (sighting: Sighting, user: Item) => Item | undefined;

/** Looks for the makers of missing sources; `users` are the workloads that need one to start, and so can't make it. */
export function findMakers(context: LintContext, names: ReadonlySet<string>, users: ReadonlySet<Item>): FindMaker {
  const { items, workloads, sources } = context;
  const others = workloads.filter(({ workload }) => !users.has(workload.item));
  const naming = mentionsBy(context, others, names);
  const writes = writingRoles();
  const creators = new Map<GrantedKind, ByRelease>();
  const creatorsOf = (kind: GrantedKind): ByRelease => {
    let known = creators.get(kind);
    if (known === undefined) {
      const mayCreate = createdBy(items, kind);
      const found = others.filter(({ workload }) => mayCreate(workload, serviceAccounts(workload)));
      creators.set(kind, (known = byRelease(found.map(({ workload }) => workload.item))));
    }
    return known;
  };
  return ({ kind, namespace, name }, user) => {
    const made = sources.makerNamed(kind, name);
    const declared = user.namespace === "" ? made?.any : made?.unwritten;
    if (declared !== undefined) return declared;
    if (kind === "SecretProviderClass") return undefined;
    const creating = creatorsOf(kind);
    const named = naming(name).find((item) => {
      if (item.namespace !== "" && user.namespace !== "" && item.namespace !== namespace) return false;
      // What a Job does it does once; of what runs on only who may create a source makes one.
      if (item.kind === "Role") return writes(item, kind, name);
      return isJob(item) || creating.all.has(item);
    });
    return named ?? creating.of(user);
  };
}

/** What may create sources of a kind. */
interface ByRelease {
  readonly all: ReadonlySet<Item>;
  /** A Job of the user's namespace, or what is of one release with the user. */
  readonly of: (user: Item) => Item | undefined;
}

// By these charts say what belongs together: Helm's own labels, and those of older charts.
const RELEASE_LABELS = ["app.kubernetes.io/instance", "release", "app.kubernetes.io/part-of"] as const;
const ANY = "*";

function byRelease(creators: readonly Item[]): ByRelease {
  const first = new Map<string, Item>();
  for (const item of creators) {
    for (const group of [...(isJob(item) ? ["Job"] : []), ...releasesOf(item)]) {
      for (const namespace of [item.namespace, ANY]) {
        const key = `${namespace}\n${group}`;
        if (!first.has(key)) first.set(key, item);
      }
    }
  }
  const find = (user: Item, group: string): Item | undefined =>
    user.namespace === ""
      ? first.get(`${ANY}\n${group}`)
      : (first.get(`${user.namespace}\n${group}`) ?? first.get(`\n${group}`));
  return {
    all: new Set(creators),
    of: (user) => {
      for (const group of ["Job", ...releasesOf(user)]) {
        const item = find(user, group);
        if (item !== undefined) return item;
      }
      return undefined;
    },
  };
}

function releasesOf(item: Item): readonly string[] {
  const labels = labelsOf(item);
  return RELEASE_LABELS.flatMap((key) => (labels.has(key) ? [`${key}=${labels.get(key) ?? ""}`] : []));
}

function isJob({ group, kind }: Item): boolean {
  return group === "batch" && kind === "Job";
}

// Where a workload says what it does, and a Role which objects it is about: not where pods name what they need to start.
const MAKING = { only: new Set(["command", "args", "env", "resourceNames"]), without: /(?:^|\.)valueFrom$/u };
// Nobody looks further: one of them may make it, or none.
const MOST_USERS = 4;
// Where a script stands that a container runs.
const SCRIPT = { only: new Set(["data"]) };

/** The Roles and the workloads that name a source in what they run: in their commands, or in a ConfigMap that they see. */
function mentionsBy({ items }: LintContext, others: readonly LintedWorkload[], names: ReadonlySet<string>): Mentions {
  const roles = items.filter(({ kind }) => kind === "Role");
  const byItself = indexMentions([...roles, ...others.map(({ workload }) => workload.item)], names, MAKING);
  const users = new Map<Item, Item[]>();
  for (const { workload, templates } of others) {
    for (const { source } of templates.flatMap(({ seen }) => seen)) {
      if (source?.item.kind !== "ConfigMap") continue;
      const known = users.get(source.item);
      if (known === undefined) users.set(source.item, [workload.item]);
      else if (known.length < MOST_USERS) known.push(workload.item);
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
