import { hasHashSuffix, withoutHashSuffix } from "../../base/hosts/kustomize.ts";
import { knownKeys } from "../../kubernetes/sources/content.ts";
import { isKnownMaker, ownedSources, type OwnedSources } from "../../kubernetes/sources/deleted-makers.ts";
import { objectKey } from "../../base/identity.ts";
import { groupedBy, onceFor } from "../../base/grouped.ts";
import type { SourceName } from "../../base/names.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import type { Item } from "../../yaml/read/items.ts";
import { sightingsOf } from "../../stamping/stamps/sightings.ts";
import { analysedContext, wholeTemplate, type LintContext } from "../lint/context.ts";
import { findingsAt, type Levels } from "../lint/lint.ts";
import type { Problem } from "../lint/rule.ts";
import { MISSING_KEY, MISSING_SOURCE, missingCopies } from "../lint/rules/missing-source.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import type { LostSource } from "./planned-workload.ts";
import { isMade, templatesOf } from "./pair.ts";
import { leavingCopies } from "./leaving-copies.ts";
import { sourceOf, type Side, type SideWorkload } from "./side.ts";

/** A source that a workload needs and does not find, or one of its keys. */
interface Need {
  readonly item: Item;
  readonly source: SourceName;
  /** Undefined for the whole source. */
  readonly key?: string;
  readonly problem: Problem<"RS001"> | Problem<"RS002">;
  /** Whether stamps leave the source out, so that linting does not look at it. */
  readonly isUnstamped: boolean;
}

export interface Loss {
  readonly lost: readonly LostSource[];
  /** The findings that linting does not have, because stamps leave the sources out. */
  readonly findings: readonly Finding[];
}

/**
 * The sources and keys that the base had and that a pod template of the head needs and lacks, by workload. What something
 * else may make is not lost.
 */
export function lostSources(base: Side, head: Side, levels: Levels): ReadonlyMap<Item, Loss> {
  // Linting the head takes long, and nearly no change removes a source or a key.
  const owned = { base: ownedIn(base), head: ownedIn(head) };
  if (!losesAny(base, head, owned)) return new Map<Item, Loss>();
  const context = analysedContext(head.analysis, head.spec, false);
  // Stamping writes the copies that pod templates name.
  const written = new Set(isMade(head) ? missingCopies(context).flatMap(({ finding }) => copyKeys(finding)) : []);
  const needs = [...needsOf(context, false), ...needsOf(withUnstamped(context), true)].filter(
    ({ source }) => !written.has(objectKey(source)),
  );
  const hadInBase = had(base, head, owned);
  const lost = groupedBy(needs.filter(hadInBase), ({ item }) => item);
  return new Map([...lost].map(([item, all]) => [item, { lost: bySource(all), findings: findingsOf(all, levels) }]));
}

function needsOf(context: LintContext, isUnstamped: boolean): Need[] {
  return [
    ...MISSING_SOURCE.check(context).flatMap((problem): Need[] => {
      const { finding, items } = problem;
      if (finding.cause !== "missing" && finding.cause !== "wrongNamespace") return [];
      return [{ item: items[0], source: finding.params.source, problem, isUnstamped }];
    }),
    ...MISSING_KEY.check(context).flatMap((problem): Need[] => {
      const { finding, items } = problem;
      if (finding.cause !== "missing") return [];
      return [{ item: items[0], source: finding.params.source, key: finding.params.key, problem, isUnstamped }];
    }),
  ];
}

/** With only the sources that stamps leave out, such as those of `rollstamp.dev/exclude`: a pod needs them all the same. */
function withUnstamped(context: LintContext): LintContext {
  const workloads = context.workloads.map(({ templates, ...linted }) => ({
    ...linted,
    templates: templates.map((one) => {
      const known = new Set(one.seen.map((sighting) => objectKey(sighting)));
      const all = sightingsOf(wholeTemplate(one.template, context.sources), linted.workload.namespace);
      return { ...one, seen: all.filter((sighting) => !known.has(objectKey(sighting))) };
    }),
  }));
  return { ...context, workloads };
}

function copyKeys(finding: Finding<"RS001">): string[] {
  return finding.cause === "missing" ? [objectKey(finding.params.source)] : [];
}

function findingsOf(needs: readonly Need[], levels: Levels): Finding[] {
  return needs.flatMap(({ problem, isUnstamped }) =>
    isUnstamped ? findingsAt([problem], problem.finding.id, levels.get(problem.finding.id)) : [],
  );
}

/** What the objects of both sides would take with them. */
interface Owned {
  readonly base: OwnedSources;
  readonly head: OwnedSources;
}

function ownedIn({ analysis: { items }, spec }: Side): OwnedSources {
  return ownedSources(items, spec.defaultNamespace);
}

/**
 * Whether objects of the base make a source that stays in the cluster without them. A ConfigMap or Secret of the same name
 * is what counts instead.
 */
export function isLeftBehind(base: Side, source: SourceName): boolean {
  const made = sourceOf(base, source);
  return (
    made?.declared !== undefined &&
    isKnownMaker(made.item) &&
    !ownedSources([made.item], base.spec.defaultNamespace).has(source)
  );
}

function losesAny(base: Side, head: Side, owned: Owned): boolean {
  if (leavingCopies(base, head).length > 0) return true;
  if ([...owned.base.keys].some((key) => !owned.head.keys.has(key))) return true;
  const after = new Map(head.analysis.sources.all.map((source) => [objectKey(source.provides), source]));
  return base.analysis.sources.all.some((before) => {
    const now = after.get(objectKey(before.provides));
    if (now === undefined) return true;
    const [old, current] = [keysOf(base, before), keysOf(head, now)];
    return old !== undefined && current !== undefined && [...old.keys()].some((key) => !current.has(key));
  });
}

/**
 * Whether the base had what is needed, by its name or by one that kustomize's generator made of it: the name changes with
 * the content, and a template gets the plain name once the generator is gone.
 */
function had(base: Side, head: Side, owned: Owned): (need: Need) => boolean {
  const [before, after] = [byStem(base), byStem(head)];
  const referencesOf = onceFor((user: SideWorkload): ReadonlySet<string> => {
    return new Set(templatesOf(base, user).flatMap((template) => template.references.map(referenceKey)));
  });
  const ids = new Map([...head.workloads.values()].map(({ id, workload }) => [workload.item, id]));
  return ({ item, source, key }) => {
    const isHere = ({ provides }: Source): boolean => provides.namespace === source.namespace;
    const alike = before.get(stemOf(source)) ?? [];
    const found = alike.some(isHere) ? alike.filter(isHere) : item.namespace === "" ? alike : [];
    const renamed = (): readonly Source[] => {
      if (key === undefined && hasHashSuffix(source.name)) return [];
      const user = base.workloads.get(ids.get(item) ?? "");
      // The generator may be there, and a new template not get the name that it makes.
      if (user === undefined) return key === undefined && after.get(stemOf(source))?.some(isHere) ? [] : found;
      // A template that did not name it loses nothing.
      const references = referencesOf(user);
      return found.filter(({ provides }) => references.has(referenceKey(provides)));
    };
    // Objects that make it, whether they count as sources or not.
    if (key === undefined && owned.base.has(source)) return !owned.head.has(source);
    const exact = found.filter(({ provides }) => provides.name === source.name);
    if (key === undefined && isLeftBehind(base, source)) return false;
    return (exact.length > 0 ? exact : renamed()).some(
      (one) => key === undefined || keysOf(base, one)?.has(key) === true,
    );
  };
}

function keysOf({ analysis: { sources } }: Side, source: Source): ReturnType<typeof knownKeys> {
  return knownKeys(source, sources.entries(source));
}

function referenceKey({ kind, name }: Pick<SourceName, "kind" | "name">): string {
  return `${kind}/${name}`;
}

function byStem({ analysis: { sources } }: Side): ReadonlyMap<string, readonly Source[]> {
  const copies = sources.copies.map(({ source }) => source);
  return groupedBy([...sources.all, ...copies], ({ provides }) => stemOf(provides));
}

function stemOf({ kind, name }: Pick<SourceName, "kind" | "name">): string {
  return `${kind}/${withoutHashSuffix(name)}`;
}

function bySource(needs: readonly Need[]): LostSource[] {
  const found = new Map<string, { source: SourceName; keys: Set<string> }>();
  for (const {
    source: { kind, namespace, name },
    key,
  } of needs) {
    const id = objectKey({ kind, namespace, name });
    const known = found.get(id) ?? { source: { kind, namespace, name }, keys: new Set<string>() };
    found.set(id, known);
    if (key !== undefined) known.keys.add(key);
  }
  return [...found.values()].map(({ source, keys }) => ({ source, keys: [...keys].sort() }));
}
