import { posix } from "node:path";
import { KUSTOMIZATION_FILES } from "../../base/hosts/kustomize.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import type { SourceName } from "../../base/names.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { alikeGroups, type Failure } from "../../base/alike.ts";
import { objectKey } from "../../base/identity.ts";
import {
  keysOfSources,
  lookedAcross,
  unseenChanges,
  type ChangedSource,
  type LookedAcross,
} from "../../reports/plan/across-applications.ts";
import { withoutFound } from "../../reports/plan/lost-sources.ts";
import { planFinding } from "../../reports/plan/plan-findings.ts";
import { readSide } from "../../reports/plan/side.ts";
import { rendersOf, type KustomizeRender } from "../discover/application.ts";
import { contentOf } from "../discover/marked.ts";
import { kustomizationOf } from "../kustomize/kustomization.ts";
import type { AppPair } from "./application-pairs.ts";
import { lookAtHeads } from "./compare-renderings.ts";
import type { Compared, Comparing } from "./compared.ts";
import { usesOfRelease } from "./release-uses.ts";

/** An application with its comparison. */
export interface ComparedPair {
  readonly pair: AppPair;
  readonly compared: Compared;
}

/** What is known about another application, or why it is unknown. */
type Looked = LookedAcross | { readonly problem: Failure };

/**
 * Adds findings about workloads of other applications in the same cluster that use a changed source. If a source has changed,
 * the heads of unaffected applications are rendered to find out. `all` are the applications of all shards: if one of them
 * fails, its own row reports it.
 */
export async function withOthersOfCluster(
  comparing: Comparing,
  own: readonly ComparedPair[],
  { all, known }: { readonly all: readonly AppPair[]; readonly known: () => Promise<readonly AppPair[]> },
): Promise<readonly Compared[]> {
  const changing = own.filter(
    ({ pair, compared }) => pair.application.cluster !== undefined && (compared.changed ?? []).length > 0,
  );
  if (changing.length === 0) return own.map(({ compared }) => compared);
  const whole = await known();
  const othersOf = ({ application }: AppPair): readonly AppPair[] =>
    whole.filter(
      (other) =>
        other.head !== undefined &&
        other.application.cluster === application.cluster &&
        other.application.name !== application.name,
    );
  // Names are unique in a revision.
  const looked = new Map<string, Looked>(
    own.flatMap(({ pair: { application, head }, compared: { across } }) =>
      across === undefined || head === undefined ? [] : [[application.name, across] as const],
    ),
  );
  const wanted = new Set(
    changing.flatMap(({ pair }) => othersOf(pair)).filter(({ application }) => !looked.has(application.name)),
  );
  const partial = new Map([
    ...own.flatMap(({ pair, compared }) =>
      (compared.application.partial ?? [])
        .slice(0, 1)
        .map(({ reason }): readonly [string, Failure] => [pair.application.name, { message: reason }]),
    ),
    ...(await lookAt(comparing, [...wanted], looked)),
  ]);
  const compares = new Set(all.flatMap(({ application, head }) => (head === undefined ? [] : [application.name])));
  return own.map(({ pair, compared }): Compared => {
    const { part, changed = [] } = compared;
    if (part === undefined || changed.length === 0 || pair.application.cluster === undefined) return compared;
    const others = othersOf(pair).map((other) => ({ other, is: looked.get(other.application.name) }));
    const findings: Finding[] = [
      ...unseenChanges(
        changed,
        others.flatMap(({ other, is }) =>
          is === undefined || "problem" in is ? [] : [{ application: other.application.name, ...is }],
        ),
      ),
      ...notLookedAt(
        changed,
        others.flatMap(({ other, is }) => {
          const { name } = other.application;
          if (is === undefined) return [];
          if ("problem" in is)
            return compares.has(name) || !mayUse(comparing, other, changed)
              ? []
              : [{ application: name, problem: is.problem }];
          const missing = partial.get(name);
          return missing === undefined || !mayUseInPart(other, is, changed)
            ? []
            : [{ application: name, problem: missing }];
        }),
      ),
    ];
    const { name: application } = pair.application;
    const rows = findings.map((finding) => ({ ...planFinding(finding), application }));
    const mayHave = (source: SourceName): boolean =>
      others.some(({ other, is }) => {
        if (is !== undefined && !("problem" in is) && keysOfSources(is.has).has(objectKey(source))) return true;
        const isWhole = is !== undefined && !("problem" in is) && !partial.has(other.application.name);
        return !isWhole && isTouched(other);
      });
    return { ...compared, part: { ...withoutFound(part, mayHave), others: [...part.others, ...rows] } };
  });
}

/** Whether the change is about an application. One that stays the same does not begin to make an object that another one had. */
function isTouched({ base, head }: AppPair): boolean {
  return base?.key !== head?.key;
}

/**
 * Whether pods of an application may use a source. Those of a release, also of Argo CD, are in its namespace, and so are those of a
 * kustomization that sets one.
 */
function mayUse(
  { revisions }: Comparing,
  { application: { foundBy, namespace, render } }: AppPair,
  changed: readonly ChangedSource[],
): boolean {
  const renders = rendersOf(render);
  return changed.some(({ source }) =>
    renders.some((one) => {
      if (one.by === "helm" || foundBy === "HelmRelease")
        return namespace === undefined || source.namespace === namespace;
      if (one.by === "kustomize") {
        const set = namespaceSet(one, revisions.head);
        return set === "" || source.namespace === set;
      }
      if (one.by !== "files") return true;
      const isNamed = (text: string): boolean => text.includes(source.name);
      return one.files.some((path) => revisions.head.says(path, isNamed));
    }),
  );
}

/** The namespace that a kustomization sets in all its objects; "" if it sets none, or its file can't be read. */
function namespaceSet({ folder, argo, flux }: KustomizeRender, head: Snapshot): string {
  const given = argo?.namespace ?? flux?.targetNamespace;
  if (given !== undefined) return given;
  const file = KUSTOMIZATION_FILES.map((name) => posix.join(folder, name)).find((path) => head.entries.has(path));
  const read = file === undefined ? undefined : contentOf(head, file);
  return read !== undefined && "content" in read ? kustomizationOf(read.content).namespace : "";
}

/**
 * Whether what an application is rendered without may use a source of its namespace, and nothing that is rendered does. The
 * values of a HelmRelease show what it uses.
 */
function mayUseInPart({ application }: AppPair, { lacks }: LookedAcross, changed: readonly ChangedSource[]): boolean {
  if (application.foundBy === "HelmRelease") return false;
  const used = new Set(lacks.map(({ source }) => objectKey(source)));
  return changed.some(
    ({ source, isUnused }) => isUnused && source.namespace === application.namespace && !used.has(objectKey(source)),
  );
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
  const seen = await lookAtHeads(comparing, pairs, "looking for who uses what changes", (manifests, spec) =>
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
