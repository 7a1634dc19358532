import type { Finding } from "../../findings/finding.ts";
import { objectWords, type ResourceRef } from "../../findings/names.ts";
import type { Item } from "../../manifest/items.ts";
import { resourceRef } from "../../results/location.ts";
import { missingKeys, missingSource } from "../../stamps/findings.ts";
import type { Sighting } from "../../stamps/sightings.ts";
import type { LintContext } from "../context.ts";
import { indexMentions, type Mentions } from "../mentions.ts";
import { grantedJobs, type GrantedKind } from "../permissions.ts";
import type { LintRule, Problem } from "../rule.ts";

/** A source that is not in the input and not optional: the pod would not start. */
export const MISSING_SOURCE: LintRule<"RS001"> = {
  id: "RS001",
  check: (context) => {
    const missing = context.workloads.flatMap(({ workload: { item }, templates }) =>
      templates.flatMap(({ seen }) =>
        seen.flatMap((sighting) =>
          missingSource(item, sighting, context.sources).map((finding) => ({ finding, item, sighting })),
        ),
      ),
    );
    if (missing.length === 0) return [];
    const naming = makersNaming(context, new Set(missing.map(({ sighting }) => sighting.name)));
    const jobs = new Map(KINDS.map((kind) => [kind as string, grantedJobs(context.items, kind, ["create"])]));
    // What needs a source to start can't make it.
    const users = new Set(missing.map(({ item }) => item));
    const makers = (kind: string, name: string): readonly Item[] =>
      [...naming(name), ...(jobs.get(kind) ?? [])].filter((item) => !users.has(item));
    return missing.map(({ finding, item, sighting }) => ({
      finding: asLinted(finding, sighting, context, makers),
      items: [item],
    }));
  },
  join: joinUsers,
};

const KINDS: readonly GrantedKind[] = ["ConfigMap", "Secret"];

/** What ConfigHash finds as well: but a lint may look at anything, not just at a rendering. */
function asLinted(
  finding: Finding<"RS001">,
  { kind, namespace, name }: Sighting,
  { sources }: LintContext,
  makers: (kind: string, name: string) => readonly Item[],
): Finding<"RS001"> {
  if (finding.cause === "noTemplate") return finding;
  const { workload, source, through } = finding.params;
  const params = { workload, source, through, others: [] };
  const maker = makers(kind, name).find((item) => item.namespace === "" || item.namespace === namespace);
  if (maker !== undefined) return { ...finding, cause: "maybeMade", params: { ...params, maker: resourceRef(maker) } };
  const other = sources.named(kind, name)?.item;
  if (other !== undefined) return { ...finding, cause: "elsewhere", params: { ...params, other: resourceRef(other) } };
  return { ...finding, cause: "notGiven", params };
}

/** The Jobs that name a source in what they run, and the Roles by which something may write just it. */
function makersNaming({ items }: LintContext, names: ReadonlySet<string>): Mentions {
  return indexMentions(
    items.filter(({ kind, group }) => (kind === "Job" && group === "batch") || kind === "Role"),
    names,
    MAKING,
  );
}

// Where a Job says what it does, and a Role which objects it is about: not where pods name what they need to start.
const MAKING = { only: new Set(["command", "args", "env", "resourceNames"]), without: /(?:^|\.)valueFrom$/u };

/** One finding for a source, with all that use it: the place is that of the first. */
function joinUsers(problems: readonly Problem<"RS001">[]): readonly Problem<"RS001">[] {
  const groups = new Map<string, [Problem<"RS001">, ...Problem<"RS001">[]]>();
  for (const [i, one] of problems.entries()) {
    const key = groupOf(one.finding) ?? `${i}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [one]);
    else known.push(one);
  }
  return [...groups.values()].map(([first, ...rest]) => {
    const users = new Map(rest.map(({ finding }) => [objectWords(finding.params.workload), finding.params.workload]));
    users.delete(objectWords(first.finding.params.workload));
    return { ...first, finding: withOthers(first.finding, [...users.values()]) };
  });
}

function groupOf(finding: Finding<"RS001">): string | undefined {
  if (finding.cause === "noTemplate") return undefined;
  const { kind, namespace, name } = finding.params.source;
  return `${kind}/${namespace}/${name}`;
}

function withOthers(finding: Finding<"RS001">, others: readonly ResourceRef[]): Finding<"RS001"> {
  switch (finding.cause) {
    case "notGiven":
      return { ...finding, params: { ...finding.params, others } };
    case "elsewhere":
      return { ...finding, params: { ...finding.params, others } };
    case "maybeMade":
      return { ...finding, params: { ...finding.params, others } };
    default:
      return finding;
  }
}

/** A key that a source has not, by a reference that is not optional. */
export const MISSING_KEY: LintRule<"RS002"> = {
  id: "RS002",
  check: ({ workloads, sources }) =>
    workloads.flatMap(({ workload: { item }, templates }) =>
      templates.flatMap(({ seen }) =>
        seen.flatMap((sighting) => {
          const others: readonly Item[] = sighting.source === undefined ? [] : [sighting.source.item];
          return missingKeys(item, sighting, sources).map((finding) => ({
            finding: { ...finding, cause: "notGiven" as const },
            items: [item, ...others] as const,
          }));
        }),
      ),
    ),
};
