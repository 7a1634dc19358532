import { objectKey } from "../../base/identity.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import type { SourceName } from "../../base/names.ts";
import type { LintContext } from "./context.ts";

/** What a lint of one application found, and what others of its cluster have to know of it. */
export interface LintedApplication {
  readonly application: string;
  /** Where it is applied, as far as that is told. */
  readonly cluster: string | undefined;
  readonly findings: readonly Finding[];
  /** The sources that it has. */
  readonly has: readonly SourceName[];
  /** Those that its pod templates name and it has not. */
  readonly lacks: readonly SourceName[];
}

/** The sources of an application, and those that it lacks. */
export function sourcesOfContext({ sources, workloads }: LintContext): Pick<LintedApplication, "has" | "lacks"> {
  const sightings = workloads.flatMap(({ templates }) => templates.flatMap(({ seen }) => seen));
  return {
    has: sources.all.map(({ provides: { kind, namespace, name } }) => ({ kind, namespace, name })),
    lacks: sightings
      .filter(({ source }) => source === undefined)
      .map(({ kind, namespace, name }) => ({ kind, namespace, name })),
  };
}

/**
 * The findings of all applications, each with the name of its own. A source that only another application of the same
 * cluster has is not missing, and one that only another one uses is not left over.
 */
export function lintedTogether(applications: readonly LintedApplication[]): Finding[] {
  const having = byCluster(applications, ({ has }) => has);
  const lacking = byCluster(applications, ({ lacks }) => lacks);
  return applications.flatMap(({ application, cluster, findings }) =>
    findings.flatMap((finding): Finding[] => {
      const tagged = { ...finding, tags: { ...finding.tags, application } };
      if (finding.id === "RS001" && finding.cause !== "missingTemplate" && finding.cause !== "otherApplication") {
        const { workload, source, through } = finding.params;
        const others = "others" in finding.params ? finding.params.others : [];
        const other = having(cluster, source).find((name) => name !== application);
        if (other !== undefined) {
          const params = { workload, source, through, others, application: other };
          return [{ ...withoutTold(tagged), id: "RS001", cause: "otherApplication", params }];
        }
      }
      if (finding.id === "RS012") {
        const { kind, namespace = "", name } = finding.params.source;
        if (lacking(cluster, { kind, namespace, name }).some((user) => user !== application)) return [];
      }
      return [tagged];
    }),
  );
}

/** Where a finding is, without what it says. */
function withoutTold({
  id: _id,
  cause: _cause,
  params: _params,
  ...where
}: Finding): Omit<Finding, "id" | "cause" | "params"> {
  return where;
}

/** Finds the applications of a cluster that have something to do with a source. */
function byCluster(
  applications: readonly LintedApplication[],
  of: (application: LintedApplication) => readonly SourceName[],
): (cluster: string | undefined, source: SourceName) => readonly string[] {
  const found = new Map<string, Set<string>>();
  const keyOf = (cluster: string, source: SourceName): string => `${cluster}\n${objectKey(source)}`;
  for (const one of applications) {
    if (one.cluster === undefined) continue;
    for (const source of of(one)) {
      const key = keyOf(one.cluster, source);
      found.set(key, (found.get(key) ?? new Set()).add(one.application));
    }
  }
  return (cluster, source) => (cluster === undefined ? [] : [...(found.get(keyOf(cluster, source)) ?? [])]);
}
