import { emptiedNamespaces, isLasting, sharesCluster, type KeptNamespaces } from "../../reports/plan/last-workloads.ts";
import type { AppPair } from "./pairs.ts";
import { renderHeads } from "./render-heads.ts";
import type { Comparing } from "./compared.ts";
import { isComparedAsPlain } from "./plain-applications.ts";
import { assignedPairs, type Made, type Work } from "./plan-work.ts";

/**
 * The namespaces in which other applications have workloads, if some namespace seems to lose its last one: all applications
 * that may be in its cluster are rendered to find out. Those of other shards too, which may not know of this namespace.
 */
export async function namespacesKept(comparing: Comparing, work: Work, made: Made): Promise<readonly KeptNamespaces[]> {
  const { plain, compared, found } = made;
  // Plain manifests are one part, whose namespaces are those of all of them.
  const plainKept =
    plain.part === undefined
      ? []
      : found.pairs
          .filter(isComparedAsPlain)
          .map(({ application: { name } }) => ({ application: name, namespaces: [] }));
  const parts = [plain.part, ...compared.map(({ part }) => part)].flatMap((part) => part ?? []);
  const applications = found.pairs.map(({ application: { name, cluster }, orphan }) => ({
    name,
    status: "NotAffected" as const,
    ...(orphan === undefined ? {} : { orphan }),
    ...(cluster === undefined ? {} : { cluster }),
  }));
  const emptied = emptiedNamespaces(parts, { applications, kept: plainKept });
  if (emptied.length === 0) return plainKept;
  const known = new Set([
    ...plainKept.map(({ application }) => application),
    ...assignedPairs(work).flatMap(({ application: { name } }, i) => (compared[i]?.part === undefined ? [] : [name])),
  ]);
  const others = (await found.findMore()).filter(
    ({ application: { name, cluster }, head, orphan }: AppPair) =>
      head !== undefined &&
      orphan !== true &&
      !known.has(name) &&
      emptied.some((one) => sharesCluster(one.cluster, cluster)),
  );
  const seen = await renderHeads(comparing, others, "looking for workloads in namespaces", (manifests, spec) => [
    ...new Set(
      manifests
        .flatMap(({ items }) => items.filter(isLasting))
        .map(({ namespace }) => namespace || spec.defaultNamespace),
    ),
  ]);
  return [
    ...plainKept,
    ...seen.flatMap(({ pair, outcome, missing }): KeptNamespaces[] => {
      if (outcome.failure !== undefined) return [];
      const namespaces = structuredClone(outcome.is);
      return [
        { application: pair.application.name, namespaces, ...(missing === undefined ? {} : { isPartial: true }) },
      ];
    }),
  ];
}
