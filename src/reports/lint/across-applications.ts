import { objectKey } from "../../base/identity.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { type SourceName, sourceNameOf } from "../../base/names.ts";
import type { LintContext } from "./context.ts";

/** The findings of one application, and the sources that matter to other applications of its cluster. */
export interface LintedApplication {
  readonly application: string;
  /** The cluster where it is applied, if known. */
  readonly cluster: string | undefined;
  readonly findings: readonly Finding[];
  readonly has: readonly SourceName[];
  /** The sources that its pod templates name, but that it does not contain. */
  readonly lacks: readonly SourceName[];
}

/** The sources of an application, and the missing ones. */
export function sourcesOfContext({ sources, workloads }: LintContext): Pick<LintedApplication, "has" | "lacks"> {
  const sightings = workloads.flatMap(({ templates }) => templates.flatMap(({ seen }) => seen));
  return {
    has: sources.all.map(({ provides }) => sourceNameOf(provides)),
    lacks: sightings.filter(({ source }) => source === undefined).map(sourceNameOf),
  };
}

/**
 * The findings of all applications, each with its application. A source is not missing if another application of the
 * same cluster has it, and not unused if another one uses it.
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
          return [{ ...withoutCause(tagged), id: "RS001", cause: "otherApplication", params }];
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

/** The location of a finding, without its cause. */
function withoutCause({
  id: _id,
  cause: _cause,
  params: _params,
  ...where
}: Finding): Omit<Finding, "id" | "cause" | "params"> {
  return where;
}

/** Finds the applications of a cluster that have, or lack, a source. */
function byCluster(
  applications: readonly LintedApplication[],
  sourcesOf: (application: LintedApplication) => readonly SourceName[],
): (cluster: string | undefined, source: SourceName) => readonly string[] {
  const found = new Map<string, Set<string>>();
  const keyOf = (cluster: string, source: SourceName): string => `${cluster}\n${objectKey(source)}`;
  for (const linted of applications) {
    if (linted.cluster === undefined) continue;
    for (const source of sourcesOf(linted)) {
      const key = keyOf(linted.cluster, source);
      found.set(key, (found.get(key) ?? new Set()).add(linted.application));
    }
  }
  return (cluster, source) => (cluster === undefined ? [] : [...(found.get(keyOf(cluster, source)) ?? [])]);
}
