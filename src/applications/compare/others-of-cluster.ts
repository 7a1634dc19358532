import { withoutHashSuffix } from "../../base/hosts/kustomize.ts";
import type { SourceName } from "../../base/names.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { alikeGroups, type Failure } from "../../base/alike.ts";
import { groupedBy, onceForText } from "../../base/grouped.ts";
import {
  hasOther,
  lookedAcross,
  unseenChanges,
  usesInCluster,
  type ChangedSource,
  type LookedAcross,
  type OtherApplication,
  type UsesInCluster,
} from "../../reports/plan/across-applications.ts";
import { lostIn, missingIn, withoutFound, withoutMissing } from "../../reports/plan/found-elsewhere.ts";
import { readSide } from "../../reports/plan/side.ts";
import { clusterKey } from "../discover/application.ts";
import type { AppPairs } from "./application-pairs.ts";
import type { AppPair } from "./pairs.ts";
import { renderHeads } from "./render-heads.ts";
import type { Compared, Comparing } from "./compared.ts";
import { mayUse, mayUseInPart, type MayUse } from "./may-use.ts";
import { makesAny, mayName } from "./named-in-files.ts";
import { usesOfRelease } from "./release-uses.ts";
import { isFromElsewhere } from "./shown-applications.ts";

export interface ComparedPair {
  readonly pair: AppPair;
  readonly compared: Compared;
}

/** What is known about another application, or why it is unknown. */
type Looked = LookedAcross | { readonly problem: Failure };

interface Others {
  readonly all: readonly AppPair[];
  /** All applications by their files. Those with these names are rendered to find the applications that they show. */
  readonly findMore: (names: ReadonlySet<string>) => Promise<readonly AppPair[]>;
  readonly predict: AppPairs["predict"];
}

/**
 * Adds findings about workloads of other applications in the same cluster that use a changed source. If a source has changed,
 * the heads of unaffected applications are rendered to find out, unless their files show that they do not name it. `all` are
 * the applications of all shards: if one of them fails, its own row reports it.
 */
export async function withOthersOfCluster(
  comparing: Comparing,
  own: readonly ComparedPair[],
  { all, findMore, predict }: Others,
): Promise<readonly Compared[]> {
  const changing = own.filter(asksOthers);
  if (changing.length === 0) return own.map(({ compared }) => compared);
  const isNamed = namedIn(comparing, changing, predict);
  const found = await findMore(containersOf(comparing, changing, await findMore(new Set()), isNamed));
  const clusters = groupedBy(
    found.filter(({ head, application }) => head !== undefined && clusterKey(application) !== undefined),
    ({ application }) => clusterKey(application) ?? "",
  );
  const inCluster = ({ application }: AppPair): readonly AppPair[] => clusters.get(clusterKey(application) ?? "") ?? [];
  // Names are unique in a revision.
  const looked = new Map<string, Looked>(
    own.flatMap(({ pair: { application, head }, compared: { across } }) =>
      across === undefined || head === undefined ? [] : [[application.name, across] as const],
    ),
  );
  const asking = groupedBy(changing, ({ pair }) => clusterKey(pair.application) ?? "");
  const wanted = [...asking.values()].flatMap(([first, ...more]) =>
    // If only one of a cluster changes, it does not ask for itself.
    inCluster(first.pair).filter(
      ({ application: { name } }) => !looked.has(name) && (more.length > 0 || name !== first.pair.application.name),
    ),
  );
  for (const pair of wanted) if (!isNamed(pair)) looked.set(pair.application.name, { has: [], lacks: [] });
  const partial = new Map([
    ...own.flatMap(({ pair, compared }) =>
      (compared.application.partial ?? [])
        .slice(0, 1)
        .map(({ reason }): readonly [string, Failure] => [pair.application.name, { message: reason }]),
    ),
    ...(await lookAt(comparing, wanted.filter(isNamed), looked)),
  ]);
  const compares = new Set(all.flatMap(({ application, head }) => (head === undefined ? [] : [application.name])));
  const othersOf = onceForText((cluster) =>
    applicationsIn(comparing, clusters.get(cluster) ?? [], { looked, partial, compares }),
  );
  return own.map(({ pair, compared }): Compared => {
    const { part, changed = [] } = compared;
    const { name: application } = pair.application;
    const cluster = clusterKey(pair.application);
    if (part === undefined || cluster === undefined || !asksOthers({ pair, compared })) return compared;
    const { uses, unknownUses, mayMake } = othersOf(cluster);
    const findings = [...unseenChanges(changed, application, uses), ...unknownUses(changed, application)];
    const rows = findings.map((finding) => ({ ...finding, application }));
    const mayHave = (source: SourceName): boolean =>
      hasOther(uses, application, source) || mayMake.size > (mayMake.has(application) ? 1 : 0);
    const here = withoutMissing(withoutFound(part, mayHave), (source) => hasOther(uses, application, source));
    return { ...compared, part: { ...here, others: [...part.others, ...rows] } };
  });
}

/** Whether other applications of the cluster may use what changes, or have what is missing. */
function asksOthers({ pair, compared: { changed = [], part } }: ComparedPair): boolean {
  if (clusterKey(pair.application) === undefined) return false;
  return changed.length > 0 || (part !== undefined && missingIn(part).length > 0);
}

/** What is known about the applications of a cluster. */
interface Applications {
  readonly uses: UsesInCluster;
  /** Those other than `own` that may use a changed source in what is not rendered. */
  readonly unknownUses: (changed: readonly ChangedSource[], own: string) => readonly Finding[];
  /** The names of those that may make any source in what is not rendered. */
  readonly mayMake: ReadonlySet<string>;
}

function applicationsIn(
  comparing: Comparing,
  pairs: readonly AppPair[],
  {
    looked,
    partial,
    compares,
  }: {
    readonly looked: ReadonlyMap<string, Looked>;
    readonly partial: ReadonlyMap<string, Failure>;
    /** The names of those with rows of their own. */
    readonly compares: ReadonlySet<string>;
  },
): Applications {
  const known: OtherApplication[] = [];
  const unknown: (NotLookedAt & { readonly mayUse: MayUse })[] = [];
  const mayMake = new Set<string>();
  for (const pair of pairs) {
    const { name: application } = pair.application;
    const [is, missing] = [looked.get(application), partial.get(application)];
    const isKnown = is !== undefined && !("problem" in is);
    if (isKnown) {
      known.push({ application, ...is });
      if (missing !== undefined) unknown.push({ application, problem: missing, mayUse: mayUseInPart(pair, is) });
    } else if (is !== undefined && !compares.has(application))
      unknown.push({ application, problem: is.problem, mayUse: mayUse(comparing, pair) });
    if ((!isKnown || missing !== undefined) && isTouched(pair)) mayMake.add(application);
  }
  return {
    uses: usesInCluster(known),
    unknownUses: unknownUsesOf(unknown),
    mayMake,
  };
}

/** Applications of one folder change the same sources, and get the same finding. */
function unknownUsesOf(unknown: readonly (NotLookedAt & { readonly mayUse: MayUse })[]): Applications["unknownUses"] {
  const known = new Map<string, { readonly users: readonly NotLookedAt[]; readonly findings: readonly Finding[] }>();
  return (changed, own) => {
    const key = JSON.stringify(changed.map(({ source, isUnused }) => [source, isUnused]));
    let found = known.get(key);
    if (found === undefined) {
      const users = unknown.filter(({ mayUse: may }) => may(changed));
      known.set(key, (found = { users, findings: notLookedAt(changed, users) }));
    }
    const others = found.users.filter(({ application }) => application !== own);
    return others.length === found.users.length ? found.findings : notLookedAt(changed, others);
  };
}

/** Tests whether an application may use or have what changes, by its files. */
function namedIn(
  { revisions }: Comparing,
  changing: readonly ComparedPair[],
  predict: AppPairs["predict"],
): (pair: AppPair) => boolean {
  const sources = changing.flatMap(({ compared: { changed = [], part } }) => [
    ...changed.map(({ source }) => source),
    ...(part === undefined ? [] : lostIn(part)),
  ]);
  const missing = changing.flatMap(({ compared: { part } }) => (part === undefined ? [] : missingIn(part)));
  const named = mayName(revisions.head, namesOf(sources));
  // A missing source is usually made by hand: only files that may make it are worth a rendering.
  const makes = makesAny(revisions.head, namesOf(missing));
  const known = new Map<string, boolean>();
  return ({ application: { name, render }, head: side }) => {
    let is = known.get(name);
    if (is === undefined) {
      const isUser =
        sources.length > 0 && (side === undefined || render.by !== "kustomize" || named(side, predict(side)));
      is = isUser || (side !== undefined && makes(side));
      known.set(name, is);
    }
    return is;
  };
}

function namesOf(sources: readonly SourceName[]): readonly string[] {
  return [...new Set(sources.map(({ name }) => withoutHashSuffix(name)))];
}

/**
 * The applications that show releases whose values must be known: patches may change the values of a HelmRelease, which the
 * files do not show. If a chart is missing, only values that name a source count.
 */
function containersOf(
  { charts }: Comparing,
  changing: readonly ComparedPair[],
  pairs: readonly AppPair[],
  isNamed: (pair: AppPair) => boolean,
): ReadonlySet<string> {
  const users = changing.filter(({ compared: { changed = [] } }) => changed.length > 0);
  const clusters = new Set(users.map(({ pair }) => clusterKey(pair.application)));
  const byName = new Map(pairs.map((pair) => [pair.application.name, pair]));
  return new Set(
    pairs.flatMap(({ application, head }) => {
      const { render, shownBy } = application;
      if (head === undefined || shownBy === undefined || render.by === "kustomize") return [];
      if (!clusters.has(clusterKey(application))) return [];
      const container = byName.get(shownBy);
      const isAbsent = isFromElsewhere(head) && charts.fetch === undefined;
      return isAbsent && container !== undefined && !isNamed(container) ? [] : [shownBy];
    }),
  );
}

/** Whether the change is about an application. One that stays the same does not begin to make an object that another one had. */
function isTouched({ base, head }: AppPair): boolean {
  return base?.key !== head?.key;
}

interface NotLookedAt {
  readonly application: string;
  readonly problem: Failure;
}

/** One finding for all applications that can't be rendered, with the most common reason. */
function notLookedAt(changed: readonly ChangedSource[], failed: readonly NotLookedAt[]): Finding[] {
  const groups = alikeGroups(failed, ({ problem }) => problem);
  const [first, ...more] = groups;
  if (first === undefined) return [];
  const most = more.reduce((one, other) => (other.all.length > one.all.length ? other : one), first);
  return [
    {
      id: "unrendered-application",
      cause: "unknownUses",
      params: {
        sources: changed.map(({ source }) => source),
        applications: failed.map(({ application }) => application),
        problem: most.message,
        alike: most.all.length,
      },
      severityOverride: "warning",
    },
  ];
}

/** Adds what other applications have, and returns why some of them were rendered only in part, by name. */
async function lookAt(
  comparing: Comparing,
  pairs: readonly AppPair[],
  looked: Map<string, Looked>,
): Promise<readonly (readonly [string, Failure])[]> {
  const seen = await renderHeads(comparing, pairs, "looking for who uses what changes", (manifests, spec) =>
    structuredClone(lookedAcross(readSide(manifests, spec, comparing.hmacKey))),
  );
  for (const { pair, outcome, missing } of seen) {
    const read = (): LookedAcross | undefined =>
      missing !== undefined && pair.head !== undefined ? usesOfRelease(comparing, pair.head.application) : undefined;
    looked.set(
      pair.application.name,
      outcome.failure === undefined ? outcome.is : (read() ?? { problem: outcome.failure }),
    );
  }
  return seen.flatMap(({ pair, missing }) =>
    missing === undefined ? [] : [[pair.application.name, missing] as const],
  );
}
