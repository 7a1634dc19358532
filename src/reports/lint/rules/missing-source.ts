import type { Finding } from "../../../findings/catalogue/finding.ts";
import { formatObject, type ResourceRef } from "../../../base/names.ts";
import type { Item } from "../../../yaml/read/items.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { missingKeys, missingSource } from "../../../stamping/stamps/findings.ts";
import type { Sighting } from "../../../stamping/stamps/sightings.ts";
import type { Reference, Workload } from "../../../kubernetes/workloads/types.ts";
import type { LintContext } from "../context.ts";
import { problem, type LintRule, type Problem } from "../rule.ts";
import { ANY_PLACEHOLDER } from "./digested-content.ts";
import { findMakers, type FindMaker } from "../source-makers.ts";
import { groupedBy, onceFor } from "../../../base/grouped.ts";

/** A source that is not in the input and not optional: the pod cannot start. */
export const MISSING_SOURCE: LintRule<"RS001"> = {
  id: "RS001",
  about: "state",
  check: (context) => {
    const missing = context.workloads.flatMap(({ workload, templates }) =>
      templates.flatMap(({ seen }) =>
        seen.flatMap((sighting) =>
          missingSource(workload.item, sighting, context.sources).map((finding) => ({ finding, workload, sighting })),
        ),
      ),
    );
    const copies = missingCopies(context);
    if (missing.length === 0) return copies;
    const names = new Set(missing.map(({ sighting }) => sighting.name));
    const needed = new Map<Item, Set<string>>();
    for (const { workload, sighting } of missing) {
      const sources = needed.get(workload.item) ?? new Set();
      needed.set(workload.item, sources.add(sourceId(sighting)));
    }
    const maker = findMakers(context, names, (item, sighting) => needed.get(item)?.has(sourceId(sighting)) === true);
    const found = missing.map(({ finding, workload, sighting }) => ({
      finding: asLinted(finding, workload, sighting, context, maker),
      items: [workload.item] as const,
    }));
    return [...found, ...copies];
  },
  join: joinUsers,
};

/** The copies that pod templates name and that are not in the input, although their sources are (layout Versioned). */
export function missingCopies({ workloads, sources }: LintContext): Problem<"RS001">[] {
  return workloads.flatMap(({ workload: { item }, templates }) =>
    templates.flatMap(({ template: { references } }) => {
      const named = references.filter(({ kind, namespace, copy, optional }) => {
        return copy !== undefined && !optional && sources.findCopy(kind, namespace, copy) === undefined;
      });
      return [...groupedBy(named, ({ copy = "" }) => copy)].map(([name, [{ kind, namespace, node, field }]]) => {
        const params = {
          workload: resourceRef(item),
          source: { kind, namespace, name },
          through: undefined,
          others: [],
        };
        return problem(item, { node, field }, { id: "RS001", cause: "missing", params });
      });
    }),
  );
}

/** ConfigHash finds it too, but lint also checks input that is not a complete rendering. */
function asLinted(
  finding: Finding<"RS001">,
  user: Workload,
  sighting: Sighting,
  { sources }: LintContext,
  findMaker: FindMaker,
): Finding<"RS001"> {
  if (finding.cause === "missingTemplate") return finding;
  const { workload, source, through } = finding.params;
  const params = { workload, source, through, others: [] };
  if (isUnmounted(user, sighting)) return { ...finding, cause: "unmounted", params };
  // Whether the source for the placeholder exists is unknown.
  if (ANY_PLACEHOLDER.test(source.name)) return { ...finding, cause: "placeholder", params };
  const maker = findMaker(sighting, user.item);
  if (maker !== undefined)
    return { ...finding, cause: "mayBeCreated", params: { ...params, maker: resourceRef(maker) } };
  const { kind, name } = sighting;
  const other = sources.named(kind, name)?.item ?? sources.makerNamed(kind, name)?.any;
  if (other !== undefined)
    return { ...finding, cause: "wrongNamespace", params: { ...params, other: resourceRef(other) } };
  return { ...finding, cause: "missing", params };
}

// Operators of other kinds may add containers.
const OWN_PODS: readonly string[] = ["apps", "batch", ""];

/**
 * Whether no container mounts the volumes that need the source, or one of its keys. The kubelet ignores such volumes
 * (pkg/kubelet/volumemanager, desired_state_of_world_populator.go, since Kubernetes 1.17), so the pod starts.
 */
function isUnmounted({ kind }: Workload, sighting: Sighting, key?: string): boolean {
  if (!OWN_PODS.includes(kind.group)) return false;
  const { isAny, keys } = readByContainers(sighting);
  return key === undefined ? !isAny : !keys.has(key);
}

/** What containers need: anything of the source, and which keys. A sighting may lack many keys. */
const readByContainers = onceFor(({ counted }: Sighting) => {
  const needed = counted.filter(({ reference }) => !reference.optional && !isOfUnmountedVolume(reference));
  return { isAny: needed.length > 0, keys: new Set(needed.flatMap(({ reference }) => reference.requiredKeys)) };
});

function isOfUnmountedVolume({ via, volume, containers, through }: Reference): boolean {
  return (
    (via === "volume" || via === "projected" || via === "csi") &&
    through === undefined &&
    volume !== undefined &&
    volume.mounts.length === 0 &&
    containers.length === 0
  );
}

/** Joins the findings about a source into one, with all its users, at the place of the first. */
function joinUsers(problems: readonly Problem<"RS001">[]): readonly Problem<"RS001">[] {
  const groups = groupedBy(problems, (one) => groupOf(one.finding) ?? one);
  return [...groups.values()].map(([first, ...rest]) => {
    const users = new Map(rest.map(({ finding }) => [formatObject(finding.params.workload), finding.params.workload]));
    users.delete(formatObject(first.finding.params.workload));
    return { ...first, finding: withOthers(first.finding, [...users.values()]) };
  });
}

function sourceId({ kind, name }: Sighting): string {
  return `${kind}/${name}`;
}

function groupOf(finding: Finding<"RS001">): string | undefined {
  if (finding.cause === "missingTemplate") return undefined;
  // The cause is part of the key: users that need the source to start are not mixed with others.
  const { kind, namespace, name } = finding.params.source;
  return `${finding.cause}/${kind}/${namespace}/${name}`;
}

function withOthers(finding: Finding<"RS001">, others: readonly ResourceRef[]): Finding<"RS001"> {
  switch (finding.cause) {
    case "missing":
      return { ...finding, params: { ...finding.params, others } };
    case "wrongNamespace":
      return { ...finding, params: { ...finding.params, others } };
    case "placeholder":
      return { ...finding, params: { ...finding.params, others } };
    case "unmounted":
      return { ...finding, params: { ...finding.params, others } };
    case "mayBeCreated":
      return { ...finding, params: { ...finding.params, others } };
    default:
      return finding;
  }
}

/** A key that is not in its source, and whose reference is not optional. */
export const MISSING_KEY: LintRule<"RS002"> = {
  id: "RS002",
  about: "state",
  check: ({ workloads, sources }) =>
    workloads.flatMap(({ workload, templates }) =>
      templates.flatMap(({ seen }) =>
        seen.flatMap((sighting) => {
          const { item } = workload;
          const others: readonly Item[] = sighting.source === undefined ? [] : [sighting.source.item];
          return missingKeys(item, sighting, sources).map((finding) => ({
            finding: {
              ...finding,
              cause: isUnmounted(workload, sighting, finding.params.key)
                ? ("unmounted" as const)
                : ("missing" as const),
            },
            items: [item, ...others] as const,
          }));
        }),
      ),
    ),
};
