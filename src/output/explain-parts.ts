import { table, texts, titled } from "./document/blocks.ts";
import { addTo } from "../base/grouped.ts";
import { objectKey } from "../base/identity.ts";
import { formatList, keyNames, type SourceName } from "../base/names.ts";
import { pluralize } from "../base/words.ts";
import type { Keys } from "../base/digest/hash-v1.ts";
import type { Mount, Reference } from "../kubernetes/workloads/types.ts";
import type { Item } from "../yaml/read/items.ts";
import type { Block } from "./document/document.ts";

/** What is explained, and the sources that it names but that are missing. */
export interface Explanation {
  readonly blocks: readonly Block[];
  readonly missing: readonly SourceName[];
}

/** How a pod sees a source: which keys, through which container, volume and path, and in which field. */
export function referenceLines(reference: Reference, workload: Item): string[] {
  const { item, through, optional, keys, field } = reference;
  const where = item === undefined || item === workload ? "" : ` of ${item.kind} ${item.name}`;
  const read = through === undefined ? "" : `, read by ${through.kind} ${through.name}`;
  return [`${keyList(keys)}: ${describeVia(reference)}${optional ? ", optional" : ""}${read}`, `  ${field}${where}`];
}

const MOST_KEYS = 8;
// A volume of many sources would repeat its mounts for each of them.
const MOST_MOUNTS = 8;

/** The first keys of a source by name, and the number of the others. */
export function keyList(keys: Keys): string {
  if (keys === "*") return "all keys";
  const names = keyNames([...keys]);
  const more = names.length - MOST_KEYS;
  if (more <= 0) return names.join(", ") || "none";
  return `${names.slice(0, MOST_KEYS).join(", ")} and ${more} more`;
}

function describeVia({ via, variable, volume, containers, field }: Reference): string {
  const container = containers[0] === undefined ? "" : ` of ${containerName(field, containers[0])}`;
  switch (via) {
    case "env":
      return `${variable === undefined ? "environment" : `variable ${variable}`}${container}`;
    case "envFrom":
      return `environment${container}`;
    case "extra":
      return "named by an annotation";
    default:
      if (volume === undefined) return "mounted by the operator";
      return `${via === "volume" ? "volume" : `${via} volume`} ${volume.name}${describeMounts(volume.mounts)}`;
  }
}

function containerName(field: string, name: string): string {
  if (/\binitContainers\[/u.test(field)) return `init container ${name}`;
  return /\bephemeralContainers\[/u.test(field) ? `ephemeral container ${name}` : `container ${name}`;
}

function describeMounts(mounts: readonly Mount[]): string {
  if (mounts.length === 0) return ", not mounted by any container";
  const shown = mounts.slice(0, MOST_MOUNTS).map(({ container, field, mountPath, subPath }) => {
    const path = mountPath === "" ? "" : ` at ${mountPath}`;
    return `, in ${containerName(field, container)}${path}${subPath === "" ? "" : ` by subPath ${subPath}`}`;
  });
  const more = mounts.length - shown.length;
  return `${shown.join("")}${more === 0 ? "" : ` and at ${more} more paths`}`;
}

/** The sources of an application: one of them may be what another application names and lacks. */
export interface ApplicationSources {
  readonly application: string;
  readonly cluster: string | undefined;
  readonly has: readonly SourceName[];
}

/** Says which other applications have the missing sources of one; no blocks if none has. */
export type ExplainElsewhere = (
  missing: readonly SourceName[],
  of: Partial<Pick<ApplicationSources, "application" | "cluster">>,
) => readonly Block[];

const MOST_APPLICATIONS = 3;

/** Indexed once: in each of hundreds of applications a workload of the same name may be explained. */
export function elsewhereIn(applications: readonly ApplicationSources[]): ExplainElsewhere {
  const bySource = new Map<string, ApplicationSources[]>();
  for (const applicationSources of applications)
    for (const key of new Set(applicationSources.has.map((source) => objectKey(source))))
      addTo(bySource, key, applicationSources);
  return (missing, { application, cluster }) => {
    const wanted = new Map(missing.map((source) => [objectKey(source), source]));
    const lines = [...wanted].flatMap(([key, { kind, namespace, name }]): string[] => {
      const having = (bySource.get(key) ?? []).filter((one) => one.application !== application);
      return having.length === 0 ? [] : [`${kind} ${namespace}/${name} is in ${describeApplications(having, cluster)}`];
    });
    if (lines.length === 0) return [];
    const why = "Each application is stamped separately, so no stamp covers a source of another application.";
    return [
      titled(
        "In other applications",
        table(
          [texts("")],
          [...lines, why].map((line) => [[line]]),
        ),
      ),
    ];
  };
}

function describeApplications(having: readonly ApplicationSources[], cluster: string | undefined): string {
  const here = having.filter((one) => cluster !== undefined && one.cluster === cluster);
  const [shown, where] =
    here.length > 0
      ? [here, `on the same cluster (${cluster})`]
      : cluster === undefined || having.some((one) => one.cluster === undefined)
        ? [having, "(whether it is on the same cluster is unknown)"]
        : [
            having,
            `on another cluster (${formatList([...new Set(having.map((one) => one.cluster ?? ""))], MOST_APPLICATIONS)})`,
          ];
  const names = formatList(
    shown.map(({ application }) => application),
    MOST_APPLICATIONS,
    " and ",
  );
  return `${pluralize(shown.length, "application")} ${names} ${where}`;
}
